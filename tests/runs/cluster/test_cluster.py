"""Several processes on one database: any of them shows, stops and hurries a reply that another one receives."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy import select, update

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.marks import Marks
from app.domain.conversation.parts import plain_text
from app.domain.costs.budgets import Scope, Span, SpendingBudget
from app.domain.errors import ConflictError, NotFoundError
from app.runs.cluster.link import open_link
from app.runs.library.mark_commands import mark_pair
from app.runs.send.commands import (
    LOCAL_OWNER,
    cancel_run,
    change_conversation,
    delete_conversation,
    hurry_run,
    stop_replies,
)
from app.runs.send.intents import NewSend
from app.runs.send.plan import preview_send
from app.runs.usage.budgets import list_budgets, set_budget
from app.runs.watch.broadcast import follow_states
from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench
from app.store.conversation.rows import CONVERSATION, RUN
from app.store.run.running import Running, list_running
from tests.redis_server import RedisServer
from tests.runs.steps import (
    a_conversation,
    collect,
    pair_of,
    reply_to,
    send,
    settings_of,
    text_of,
    until,
    wait_for_text,
)
from tests.runs.watch.page import a_page

LONG = "/long 200 /rate 200"


async def test_a_reply_is_followed_through_another_process_from_any_position(wb: Workbench, far: Workbench) -> None:
    conversation = await a_conversation(wb, model="offline:demo")
    started = await send(wb, conversation, LONG)
    await wait_for_text(wb, started, 100)

    near, whole, later = await asyncio.gather(
        collect(wb, started.run_id), collect(far, started.run_id), collect(far, started.run_id, after=60)
    )

    assert text_of(whole) == text_of(near) == plain_text((await pair_of(far, started.pair_id)).reply.parts)  # pyright: ignore[reportOptionalMemberAccess]
    assert text_of(whole).endswith(text_of(later))
    assert len([event for event in whole if event.kind == "text"]) > 10, "it did not come as it was received"
    assert whole[-1].kind == "done"


async def test_each_state_that_is_followed_has_more_than_the_one_before(wb: Workbench, far: Workbench) -> None:
    conversation = await a_conversation(wb, model="offline:demo")
    started = await send(wb, conversation, LONG)

    states = [state async for state in follow_states(far, LOCAL_OWNER, started.run_id)]

    texts = [plain_text(state.parts) for state in states]
    assert all(later.startswith(before) for before, later in pairwise(texts))


async def test_a_reply_is_stopped_through_another_process(wb: Workbench, far: Workbench) -> None:
    conversation = await a_conversation(wb, model="offline:demo")
    started = await send(wb, conversation, "/long 5000 /rate 50")
    await wait_for_text(far, started, 10)

    await cancel_run(far, LOCAL_OWNER, started.run_id)

    stopped = await pair_of(far, started.pair_id)
    assert stopped.lifecycle is Lifecycle.CANCELED
    assert stopped.reply is not None
    assert plain_text(stopped.reply.parts)
    assert wb.engine.runs == {}


async def test_all_replies_of_a_conversation_are_stopped_through_another_process(wb: Workbench, far: Workbench) -> None:
    conversation = await a_conversation(wb, model="offline:demo")
    started = await send(wb, conversation, "/long 5000 /rate 50")
    await wait_for_text(wb, started, 10)
    async with far.store.read() as session:
        assert await list_running(session, LOCAL_OWNER) == (Running(started.run_id, conversation),)
        assert await list_running(session, "mallory") == ()

    await stop_replies(far, "mallory", conversation)
    assert started.run_id in wb.engine.runs
    await stop_replies(far, LOCAL_OWNER, conversation)

    assert (await pair_of(far, started.pair_id)).lifecycle is Lifecycle.CANCELED
    assert wb.engine.runs == {}


async def test_a_conversation_that_another_process_deletes_costs_no_more(wb: Workbench, far: Workbench) -> None:
    conversation = await a_conversation(wb, model="offline:demo")
    await wait_for_text(wb, await send(wb, conversation, "/long 5000 /rate 50"), 10)

    await delete_conversation(far, LOCAL_OWNER, conversation)

    assert wb.engine.runs == {}


async def test_anothers_reply_is_neither_followed_nor_stopped(wb: Workbench, far: Workbench) -> None:
    conversation = await a_conversation(wb, model="offline:demo")
    started = await send(wb, conversation, LONG)

    with pytest.raises(NotFoundError):
        await anext(follow_states(far, "mallory", started.run_id))
    with pytest.raises(NotFoundError):
        await cancel_run(far, "mallory", started.run_id)

    assert (await collect(wb, started.run_id))[-1].kind == "done"


async def test_a_retry_is_hurried_through_another_process(wb: Workbench, far: Workbench) -> None:
    conversation = await a_conversation(wb, model="offline:demo")
    started = await send(wb, conversation, "/fail overloaded retry-after 50 times 1")
    await until(far, started.run_id, "retry")

    await hurry_run(far, LOCAL_OWNER, started.run_id)

    async with asyncio.timeout(20):
        assert (await collect(far, started.run_id))[-1].kind == "done"


async def test_a_page_of_another_process_shows_what_is_sent_and_its_reply(wb: Workbench, far: Workbench) -> None:
    conversation = await a_conversation(wb, model="offline:demo")
    async with a_page(far, conversation) as page:
        await page.until_known()
        await asyncio.sleep(0.1)  # it has been announced

        started = await send(wb, conversation, "/echo seen from afar")
        screen = await page.until(lambda screen: screen.ended == started.pair_id)

        assert [pair.user_text for pair in screen.pairs] == ["/echo seen from afar"]
        assert screen.pairs[-1].lifecycle == Lifecycle.SUCCEEDED


async def test_a_reply_that_is_looked_at_through_another_process_is_not_unread(wb: Workbench, far: Workbench) -> None:
    seen, unseen = await a_conversation(wb, model="offline:demo"), await a_conversation(wb, model="offline:demo")
    async with a_page(far, seen) as page:
        await page.until_known()
        async with asyncio.timeout(10):
            while not wb.event_bus.is_watched(LOCAL_OWNER, seen):  # noqa: ASYNC110 - nobody tells when it was announced
                await asyncio.sleep(0.05)
        for conversation in (seen, unseen):
            await collect(wb, (await send(wb, conversation, "/echo hello")).run_id)

    async with wb.store.read() as session:
        unread = select(CONVERSATION.c.id).where(CONVERSATION.c.unread.is_(True))
        assert (await session.execute(unread)).scalars().all() == [unseen]


async def test_redis_that_was_restarted_costs_nothing_but_a_moment(
    wb: Workbench, far: Workbench, redis: RedisServer
) -> None:
    conversation = await a_conversation(wb, model="offline:demo")
    async with a_page(far, conversation) as page:
        await page.until_known()
        started = await send(wb, conversation, "/long 200 /rate 60")
        await wait_for_text(far, started, 20)

        redis.restart()

        async with asyncio.timeout(30):
            followed = await collect(far, started.run_id)
            await page.until(lambda screen: screen.pairs and screen.pairs[-1].lifecycle == Lifecycle.SUCCEEDED)
        reply = (await pair_of(wb, started.pair_id)).reply
        assert reply is not None
        assert text_of(followed) == plain_text(reply.parts)

        await send(wb, conversation, "/echo once more")
        async with asyncio.timeout(30):
            await page.until(lambda screen: len(screen.pairs) == 2)


async def test_a_process_that_ends_tells_the_others_what_became_of_its_replies(
    data: Path, far: Workbench, redis: RedisServer
) -> None:
    async with open_workbench(settings_of(data, INVIEW_REDIS_URL=redis.url)) as ending:
        conversation = await a_conversation(ending, model="offline:demo")
        started = await send(ending, conversation, "/long 5000 /rate 50")
        following = asyncio.create_task(collect(far, started.run_id))
        await wait_for_text(far, started, 10)

    async with asyncio.timeout(1):  # much sooner than it would ask again by itself
        events = await following
    assert events[-1].kind == "error"
    reply = (await pair_of(far, started.pair_id)).reply
    assert reply is not None
    assert text_of(events) == plain_text(reply.parts)


async def test_a_reply_of_a_process_that_is_gone_cannot_be_stopped_and_says_so(wb: Workbench, far: Workbench) -> None:
    conversation = await a_conversation(wb, model="offline:demo")
    started = await send(wb, conversation, "/long 5000 /rate 50")
    async with wb.store.write() as session:
        await session.execute(update(RUN).where(RUN.c.id == started.run_id).values(process_id="01gone"))

    with pytest.raises(ConflictError, match="is gone"):
        await cancel_run(far, LOCAL_OWNER, started.run_id)

    await cancel_run(wb, LOCAL_OWNER, started.run_id)


async def test_what_one_process_changed_the_other_sends(wb: Workbench, far: Workbench) -> None:
    """What memory has of a conversation is looked up by its revision, which the database has."""
    conversation = await a_conversation(wb, model="offline:demo")
    first = await reply_to(wb, conversation, "/echo one")
    await reply_to(wb, conversation, "/echo two")
    before = await preview_send(far, LOCAL_OWNER, NewSend(conversation, "three"))
    assert b"/echo one" in before.wire.body

    await mark_pair(wb, LOCAL_OWNER, first.pair.id, Marks(deleted=True))
    await change_conversation(wb, LOCAL_OWNER, conversation, system_prompt="Answer in verse.")
    after = await preview_send(far, LOCAL_OWNER, NewSend(conversation, "three"))

    assert b"/echo one" not in after.wire.body
    assert b"/echo two" in after.wire.body
    assert b"Answer in verse." in after.wire.body


async def test_budgets_that_one_process_set_bind_the_other(wb: Workbench, far: Workbench) -> None:
    assert await list_budgets(far, LOCAL_OWNER) == ()

    await set_budget(wb, LOCAL_OWNER, SpendingBudget(Scope.ALL, "", Span.DAY, Decimal(1)))

    async with asyncio.timeout(5):
        while not await list_budgets(far, LOCAL_OWNER):  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.02)


async def test_one_process_of_several_does_the_upkeep(wb: Workbench, far: Workbench) -> None:
    assert [await one.cluster.link.claim("upkeep", 60) for one in (wb, far, wb) if one.cluster] == [True, False, False]


async def test_installations_with_database_numbers_of_their_own_hear_nothing_of_each_other(redis: RedisServer) -> None:
    heard = asyncio.Queue[bytes]()
    another = redis.url.removesuffix("0") + "1"
    async with (
        open_link(redis.url, "p1") as mine,
        open_link(redis.url, "p2") as ours,
        open_link(another, "p3") as theirs,
    ):
        await mine.listen("events", heard.put_nowait)
        async with asyncio.TaskGroup() as group:
            work = [
                group.create_task(each) for each in (mine.keep_receiving(), ours.keep_sending(), theirs.keep_sending())
            ]
            async with asyncio.timeout(10):
                while heard.empty():
                    theirs.send("events", b"theirs")
                    await asyncio.sleep(0.02)
                    ours.send("events", b"ours")
                    await asyncio.sleep(0.02)
            for each in work:
                each.cancel()
    assert {heard.get_nowait() for _ in range(heard.qsize())} == {b"ours"}
