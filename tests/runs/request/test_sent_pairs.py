from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.domain.conversation.conversation import Pair
from app.domain.conversation.parts import Text
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import delete_conversation
from app.runs.memory.memory_cache import MemoryCache
from app.runs.request import sent_pairs as module
from app.runs.request.sent_pairs import SentPairs
from app.runs.runtime.event_bus import ConversationChanged
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import preview_send
from app.runs.send.composition import compose_base
from app.runs.send.context_selection import ViewOptions, read_base
from app.runs.send.prefetch import warm
from app.runs.send.send_request import SendRequest
from app.runs.send.stopping import cancel_run
from app.runs.watch import watcher
from app.runs.watch.watcher import Watcher
from app.runs.wiring import drop_unused, open_app_context
from app.store.conversation.conversations import next_revision
from app.store.conversation.pairs import insert_pair, load_standing
from app.store.conversation.rows import PAIR
from tests.providers.peer import Answer, a_peer
from tests.runs.clock import HANG_SECONDS
from tests.runs.steps import (
    a_conversation,
    count_own_statements,
    count_statements,
    pairs_of,
    reply_to,
    send,
    settings_of,
)
from tests.store.values import START, a_pair_of
from tests.waiting import until


async def seed(ctx: AppContext, count: int, first: int = 1, conversation_id: str | None = None) -> str:
    conversation_id = conversation_id or await a_conversation(ctx, model="offline:demo")
    async with ctx.store.write() as session:
        revision = await next_revision(session, conversation_id, START)
        for position in range(first, first + count):
            await insert_pair(
                session, LOCAL_OWNER, a_pair_of(conversation_id, position, f"Question {position}"), revision
            )
    return conversation_id


async def load(ctx: AppContext, kept: SentPairs, conversation_id: str) -> tuple[Pair, ...]:
    base = await read_base(ctx, LOCAL_OWNER, conversation_id, ViewOptions())
    pairs = await kept.load(ctx.store, LOCAL_OWNER, conversation_id, (await compose_base(base)).composition.sent)
    assert pairs is not None
    return pairs


async def test_all_that_is_sent_is_read_in_order_however_many_batches_it_takes(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH", 7)
    conversation_id = await seed(ctx, 21)

    pairs = await load(ctx, SentPairs(), conversation_id)

    assert pairs == await pairs_of(ctx, conversation_id)
    assert len(pairs) == 21


async def test_cached_pairs_are_not_read_again_and_changed_ones_are(ctx: AppContext) -> None:
    conversation_id = await seed(ctx, 5)
    kept = SentPairs()
    await load(ctx, kept, conversation_id)
    asked = count_own_statements(ctx)

    again = await load(ctx, kept, conversation_id)
    assert not [statement for statement in asked if "JOIN message" in statement]
    await seed(ctx, 2, 6, conversation_id)
    longer = await load(ctx, kept, conversation_id)

    assert len(again) == 5
    assert longer == await pairs_of(ctx, conversation_id)


async def test_a_send_of_some_reads_no_other_pair(ctx: AppContext) -> None:
    conversation_id = await seed(ctx, 600)
    await read_base(ctx, LOCAL_OWNER, conversation_id, ViewOptions())

    preview = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("next", ViewOptions(filter="r20")))

    kept = ctx.sent_pairs.kept.find(conversation_id)
    assert kept is not None
    assert len(kept.read) == len(preview.sent) == 20
    assert [pair.position for pair in preview.sent] == list(range(581, 601))


async def test_a_pair_that_changed_takes_its_place_again(ctx: AppContext) -> None:
    """This includes a pair between others, as an import or a restored pair would be."""
    conversation_id = await seed(ctx, 2, 1)
    await seed(ctx, 2, 4, conversation_id)
    kept = SentPairs()
    await load(ctx, kept, conversation_id)

    await seed(ctx, 1, 3, conversation_id)

    assert [pair.position for pair in await load(ctx, kept, conversation_id)] == [1, 2, 3, 4, 5]


async def test_a_pair_that_changed_since_the_preview_is_not_sent_with_its_old_text(ctx: AppContext) -> None:
    conversation_id = await seed(ctx, 3)
    base = await read_base(ctx, LOCAL_OWNER, conversation_id, ViewOptions())
    sent = (await compose_base(base)).composition.sent
    async with ctx.store.write() as session:
        revision = await next_revision(session, conversation_id, None)
        second = PAIR.update().where(PAIR.c.conversation_id == conversation_id, PAIR.c.position == 2)
        await session.execute(second.values(revision=revision))

    assert await SentPairs().load(ctx.store, LOCAL_OWNER, conversation_id, sent) is None
    assert await SentPairs().load(ctx.store, LOCAL_OWNER, conversation_id, (sent[0], sent[2])) is not None


async def test_what_is_kept_from_send_to_send_is_what_a_fresh_look_finds(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)
    for number in range(8):
        await reply_to(ctx, conversation_id, f"/rate 0 /long {number + 1}")

        kept = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("next"))
        ctx.sent_pairs.forget(conversation_id)
        fresh = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("next"))

        assert kept.plan == fresh.plan
        assert len(kept.built.request.messages) == 2 * number + 3


async def test_the_conversations_with_the_oldest_sends_are_evicted(ctx: AppContext) -> None:
    kept = SentPairs(MemoryCache(100))
    old, new = [await seed(ctx, 4) for _ in range(2)]
    for conversation_id in (old, new):
        await load(ctx, kept, conversation_id)
    asked = count_own_statements(ctx)

    await load(ctx, kept, new)
    assert not [statement for statement in asked if "JOIN message" in statement]
    await load(ctx, kept, old)

    assert [statement for statement in asked if "JOIN message" in statement]


async def test_a_conversation_larger_than_all_that_is_kept_keeps_what_its_last_send_took(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_CHARACTERS", 100)
    conversation_id = await seed(ctx, 40)
    for line in ("", "r2"):
        await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("next", ViewOptions(filter=line)))
    await seed(ctx, 1, 41, conversation_id)
    await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("next", ViewOptions(filter="r2")))
    asked = count_own_statements(ctx)

    await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("next", ViewOptions(filter="r2")))

    assert not [statement for statement in asked if "JOIN message" in statement]
    kept = ctx.sent_pairs.kept.find(conversation_id)
    assert kept is not None
    assert len(kept.read) == 2


@pytest.mark.parametrize("most", [100, 10_000])
async def test_a_send_has_all_its_pairs_although_a_page_reads_some_while_it_reads_others(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """The page reads a newer text of one pair. If the cache is too small, the pairs of the page replace the others."""
    monkeypatch.setattr(module, "MAX_CHARACTERS", most)
    conversation_id = await seed(ctx, 6)
    kept = SentPairs()
    sent = (await compose_base(await read_base(ctx, LOCAL_OWNER, conversation_id, ViewOptions()))).composition.sent
    assert await kept.load(ctx.store, LOCAL_OWNER, conversation_id, sent[:4]) is not None
    pairs = await pairs_of(ctx, conversation_id)

    async def look(*asked: Any) -> dict[str, tuple[int, Pair]]:
        kept.note({pairs[1].id: (sent[1].revision + 1, replace(pairs[1], request=pairs[5].request))})
        return await load_standing(*asked)

    monkeypatch.setattr(module, "load_standing", look)

    assert await kept.load(ctx.store, LOCAL_OWNER, conversation_id, sent) == pairs


async def test_unused_pairs_are_released(ctx: AppContext) -> None:
    conversation_id = await seed(ctx, 40)
    before = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("next"))

    assert ctx.expire(60) == 0
    assert ctx.expire(0) == 3
    assert not any(map(len, (ctx.sent_pairs.kept, ctx.sizes.kept, ctx.snapshots.kept)))
    assert (await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("next"))).plan == before.plan


async def test_with_unused_pairs_the_connections_to_the_database_are_released(ctx: AppContext) -> None:
    conversation_id = await seed(ctx, 1)
    before = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("next"))
    pool: Any = ctx.store.engine.sync_engine.pool
    assert pool.checkedin() > 0

    await drop_unused(ctx, 60)
    assert ctx.store.engine.sync_engine.pool is pool
    await drop_unused(ctx, 0)

    assert pool.checkedin() == 0
    assert (await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("next"))).plan == before.plan


async def test_an_open_page_has_the_next_send_prepared(ctx: AppContext) -> None:
    conversation_id = await seed(ctx, 40)

    async with (
        Watcher(ctx, LOCAL_OWNER, conversation_id) as one,
        Watcher(ctx, LOCAL_OWNER, conversation_id) as other,
    ):
        await until(lambda: bool(ctx.warming))
        await asyncio.gather(one.loaded.wait(), other.loaded.wait())
        (task,) = ctx.warming.values()
        await task
    asked = count_own_statements(ctx)
    preview = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("Hello"))

    assert ctx.warming == {}
    assert not [statement for statement in asked if "JOIN message" in statement]
    assert len(preview.built.request.messages) == 81


async def test_nothing_is_prepared_while_a_running_reply_changes_it(ctx: AppContext) -> None:
    conversation_id = await seed(ctx, 4)
    started = await send(ctx, conversation_id, "/slow")
    base = await read_base(ctx, LOCAL_OWNER, conversation_id, ViewOptions())
    asked = count_own_statements(ctx)

    warm(ctx, base, ViewOptions())
    (task,) = ctx.warming.values()
    await task

    assert not [statement for statement in asked if "JOIN message" in statement]
    await cancel_run(ctx, LOCAL_OWNER, started.run_id)


async def test_pairs_that_an_open_page_has_read_are_not_read_again_for_the_send(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watcher, "PATIENCE_SECONDS", HANG_SECONDS)  # a busy machine causes no further screen
    conversation_id = await seed(ctx, 5)
    asked = count_statements(ctx)

    async with Watcher(ctx, LOCAL_OWNER, conversation_id):
        await until(lambda: bool(ctx.warming))
        await asyncio.gather(*ctx.warming.values())
        preview = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("Hello"))

    assert sum("request_parts" in statement for statement in asked) == 2, "The index and the page read them."
    assert len(preview.built.request.messages) == 11


async def test_a_reply_that_runs_while_a_page_reads_it_is_not_cached(ctx: AppContext) -> None:
    conversation_id = await seed(ctx, 2)
    started = await send(ctx, conversation_id, "/slow")

    async with Watcher(ctx, LOCAL_OWNER, conversation_id) as page:
        await page.loaded.wait()
        kept = ctx.sent_pairs.kept.find(conversation_id)
        assert kept is not None
        assert len(kept.read) == 2
        assert page.pair(started.pair_id) is not None
    await cancel_run(ctx, LOCAL_OWNER, started.run_id)


async def test_a_conversation_without_pairs_has_a_history_that_grows_with_it(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)
    asked = count_own_statements(ctx)

    await reply_to(ctx, conversation_id, "/echo one")
    assert not [statement for statement in asked if "pair.revision >" in statement and "JOIN message" in statement]
    preview = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("And then?"))

    assert len(preview.built.request.messages) == 3


async def test_preparing_a_conversation_deleted_meanwhile_is_harmless(ctx: AppContext) -> None:
    conversation_id = await seed(ctx, 2)
    warm(ctx, await read_base(ctx, LOCAL_OWNER, conversation_id, ViewOptions()), ViewOptions())
    (task,) = ctx.warming.values()

    await delete_conversation(ctx, LOCAL_OWNER, conversation_id)

    await task


async def test_a_stale_text_is_never_sent(ctx: AppContext) -> None:
    """A pair changes in the database: the revision shows it, and the next send has the new text."""
    conversation_id = await seed(ctx, 3)
    before = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("next"))
    changed = replace(a_pair_of(conversation_id, 9, "New words"), position=4)
    async with ctx.store.write() as session:
        await insert_pair(session, LOCAL_OWNER, changed, await next_revision(session, conversation_id, START))

    after = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("next"))

    assert len(before.built.request.messages) == 7
    assert after.built.request.messages[6].parts == (Text("New words"),)


async def test_opening_a_conversation_learns_the_window_that_its_provider_reports(data: Path) -> None:
    lists = b'{"object":"list","data":[{"id":"big","object":"model","max_model_len":131072}]}'
    async with (
        a_peer(Answer((lists,), headers=(("Content-Type", "application/json"),))) as peer,
        open_app_context(settings_of(data, INVIEW_COMPATIBLE=f"peer={peer.url}/v1")) as ctx,
    ):
        conversation_id = await a_conversation(ctx, model="peer:big")
        before = await read_base(ctx, LOCAL_OWNER, conversation_id, ViewOptions())
        feed = ctx.event_bus.subscribe(LOCAL_OWNER, conversation_id)
        warm(ctx, before, ViewOptions())

        assert await anext(feed) == ConversationChanged()
        after = await read_base(ctx, LOCAL_OWNER, conversation_id, ViewOptions())
        assert (before.terms.window, after.terms.window) == (8_192, 131_072)
