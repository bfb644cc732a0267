"""The queue: each text is sent once, in order, after a reply that succeeded, and after nothing else automatically."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from app.domain.context.over_budget import OverBudgetError
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.errors import ConflictError, InputError, NotFoundError
from app.domain.filters.language.errors import FilterError
from app.domain.run.queue import MAX_QUEUED, HoldReason, Queue, QueuedText
from app.domain.settings.preferences import OverBudget
from app.runs.app_context import AppContext
from app.runs.child_calls import post_run
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation, delete_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.send.queue import (
    QueuedChanges,
    change_queued,
    drop_queued,
    go_on_after,
    pause_queue,
    queue_text,
    read_queue,
    resume_queue,
)
from app.runs.send.send_request import SendRequest
from app.runs.send.stopping import cancel_run
from app.runs.wiring import open_app_context
from app.store.run.stored_runs import load_run
from tests.runs.by_hand import hold_first
from tests.runs.steps import (
    a_conversation,
    calls_of,
    collect,
    count_statements,
    pairs_of,
    reply_to,
    send,
    settings_of,
    until_quiet,
    wait_for_text,
)

SLOW = "/long 400 /rate 40"


@pytest.fixture
def first_goes_on(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Return an event that delays the first reply, while texts are queued, until the test sets it."""
    return hold_first(monkeypatch)


async def queue(
    ctx: AppContext, conversation_id: str, *texts: str, options: ViewOptions | None = None
) -> tuple[QueuedText, ...]:
    for text in texts:
        await queue_text(ctx, LOCAL_OWNER, conversation_id, SendRequest(text, options or ViewOptions()))
    return (await read_queue(ctx, LOCAL_OWNER, conversation_id)).items


async def waiting(ctx: AppContext, conversation_id: str) -> list[str]:
    return [item.text for item in (await read_queue(ctx, LOCAL_OWNER, conversation_id)).items]


async def texts_of(ctx: AppContext, conversation_id: str) -> list[str]:
    pairs = await pairs_of(ctx, conversation_id)
    return ["".join(getattr(part, "text", "") for part in pair.request.parts) for pair in pairs]


async def settled(ctx: AppContext, conversation_id: str) -> Queue:
    """Return the queue once no reply and no task after a reply is running."""
    await until_quiet(ctx)
    return await read_queue(ctx, LOCAL_OWNER, conversation_id)


async def test_what_waits_is_sent_in_its_order_once_the_reply_has_succeeded(
    ctx: AppContext, first_goes_on: asyncio.Event
) -> None:
    conversation_id = await a_conversation(ctx)
    await send(ctx, conversation_id, "/long 30")
    await queue(ctx, conversation_id, "/echo one", "/echo two")
    assert await waiting(ctx, conversation_id) == ["/echo one", "/echo two"]

    first_goes_on.set()
    left = await settled(ctx, conversation_id)

    assert (left.items, left.hold) == ((), None)
    assert await texts_of(ctx, conversation_id) == ["/long 30", "/echo one", "/echo two"]
    assert {pair.lifecycle for pair in await pairs_of(ctx, conversation_id)} == {Lifecycle.SUCCEEDED}
    assert len(await calls_of(ctx, conversation_id)) == 3


async def test_text_is_sent_at_once_where_nothing_runs(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)

    assert await queue(ctx, conversation_id, "/echo now") == ()

    await settled(ctx, conversation_id)
    assert await texts_of(ctx, conversation_id) == ["/echo now"]


async def test_stop_holds_what_waits_until_it_is_resumed(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)
    started = await send(ctx, conversation_id, SLOW)
    await wait_for_text(ctx, started)
    await queue(ctx, conversation_id, "/echo one")

    await cancel_run(ctx, LOCAL_OWNER, started.run_id)
    held = await settled(ctx, conversation_id)

    assert held.hold is not None
    assert (held.hold.reason, len(held.items)) == (HoldReason.STOPPED, 1)
    assert await texts_of(ctx, conversation_id) == [SLOW]

    await reply_to(ctx, conversation_id, "/echo by hand")
    assert len((await settled(ctx, conversation_id)).items) == 1, "held is held, also after another reply"

    await resume_queue(ctx, LOCAL_OWNER, conversation_id)
    assert (await settled(ctx, conversation_id)).items == ()
    assert await texts_of(ctx, conversation_id) == [SLOW, "/echo by hand", "/echo one"]


async def test_queue_that_is_resumed_before_what_follows_a_stop_is_not_held_again(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(post_run, "AFTERWARDS", ())
    conversation_id = await a_conversation(ctx)
    started = await send(ctx, conversation_id, SLOW)
    await wait_for_text(ctx, started)
    await queue(ctx, conversation_id, SLOW, "/echo two")
    stopped = ctx.engine.runs[started.run_id]
    await cancel_run(ctx, LOCAL_OWNER, started.run_id)
    await resume_queue(ctx, LOCAL_OWNER, conversation_id)

    await go_on_after(ctx, stopped)

    left = await read_queue(ctx, LOCAL_OWNER, conversation_id)
    assert ([item.text for item in left.items], left.hold) == (["/echo two"], None)


async def test_failure_holds_what_waits_and_says_why(ctx: AppContext, first_goes_on: asyncio.Event) -> None:
    conversation_id = await a_conversation(ctx)
    await send(ctx, conversation_id, "/long 60 /fail auth after 30")
    await queue(ctx, conversation_id, "/echo one", "/echo two")

    first_goes_on.set()
    held = await settled(ctx, conversation_id)

    assert held.hold is not None
    assert held.hold.reason is HoldReason.FAILED
    assert held.hold.message.startswith("[error: auth]")
    assert len(held.items) == 2


async def test_queued_text_is_sent_with_the_view_of_its_queueing(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation_id = await a_conversation(ctx)
    await reply_to(ctx, conversation_id, "/echo first")
    goes_on = hold_first(monkeypatch)
    await send(ctx, conversation_id, "/long 30")
    await queue(ctx, conversation_id, "/echo last", options=ViewOptions(filter="c'nothing says this'"))
    await queue(ctx, conversation_id, "/echo all")
    await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(filter="c'first'"))

    goes_on.set()
    await settled(ctx, conversation_id)

    *_, last, everything = await pairs_of(ctx, conversation_id)
    sent = {pair.id: await _positions_sent(ctx, pair.run_id or "") for pair in (last, everything)}
    assert sent[last.id] == []
    assert sent[everything.id] == [1, 2, 3], "no filter stood when it was queued; the replies it waited for are in view"


async def _positions_sent(ctx: AppContext, run_id: str) -> list[int]:
    async with ctx.store.read() as session:
        spans = (await load_run(session, LOCAL_OWNER, run_id)).sent or ()
    return [position for first, last in spans for position in range(first, last + 1)]


async def test_waiting_text_is_edited_moved_and_dropped(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)
    started = await send(ctx, conversation_id, SLOW)
    one, two, three = await queue(ctx, conversation_id, "one", "two", "three")

    await change_queued(ctx, LOCAL_OWNER, conversation_id, three.id, QueuedChanges(place=0))
    await change_queued(ctx, LOCAL_OWNER, conversation_id, one.id, QueuedChanges(text="one, edited"), version=1)
    with pytest.raises(ConflictError, match="edited elsewhere"):
        await change_queued(ctx, LOCAL_OWNER, conversation_id, one.id, QueuedChanges(text="over it"), version=1)
    dropped = await drop_queued(ctx, LOCAL_OWNER, conversation_id, two.id)

    assert await waiting(ctx, conversation_id) == ["three", "one, edited"]
    assert dropped.item == two
    await queue_text(ctx, LOCAL_OWNER, conversation_id, SendRequest(dropped.item.text), place=1)
    assert await waiting(ctx, conversation_id) == ["three", "two", "one, edited"]
    with pytest.raises(NotFoundError):
        await drop_queued(ctx, LOCAL_OWNER, conversation_id, two.id)
    with pytest.raises(NotFoundError):
        await change_queued(ctx, "somebody else", conversation_id, one.id, QueuedChanges(text="x"))
    await cancel_run(ctx, LOCAL_OWNER, started.run_id)


async def test_paused_queue_sends_nothing_and_continues_when_resumed(
    ctx: AppContext, first_goes_on: asyncio.Event
) -> None:
    conversation_id = await a_conversation(ctx)
    await send(ctx, conversation_id, "/long 30")
    await queue(ctx, conversation_id, "/echo one")
    await pause_queue(ctx, LOCAL_OWNER, conversation_id)

    first_goes_on.set()
    held = await settled(ctx, conversation_id)
    assert held.hold is not None
    assert held.hold.reason is HoldReason.PAUSED
    assert len(await texts_of(ctx, conversation_id)) == 1

    await resume_queue(ctx, LOCAL_OWNER, conversation_id, only=HoldReason.STOPPED)
    assert len(await waiting(ctx, conversation_id)) == 1
    await resume_queue(ctx, LOCAL_OWNER, conversation_id, only=HoldReason.PAUSED)
    await settled(ctx, conversation_id)
    assert await texts_of(ctx, conversation_id) == ["/long 30", "/echo one"]


async def test_reply_stopped_while_a_pause_ends_holds_the_queue(
    ctx: AppContext, first_goes_on: asyncio.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation_id = await a_conversation(ctx)
    started = await send(ctx, conversation_id, "/long 30")
    await queue(ctx, conversation_id, "/echo one")
    await pause_queue(ctx, LOCAL_OWNER, conversation_id)

    async def read_then_stop(*asked: Any) -> Queue:
        read = await read_queue(*asked)
        monkeypatch.undo()
        await cancel_run(ctx, LOCAL_OWNER, started.run_id)
        await settled(ctx, conversation_id)
        return read

    monkeypatch.setattr("app.runs.send.queue.read_queue", read_then_stop)
    held = await resume_queue(ctx, LOCAL_OWNER, conversation_id, only=HoldReason.PAUSED)

    assert held.hold is not None
    assert held.hold.reason is HoldReason.STOPPED
    assert len(held.items) == 1


async def test_failure_during_a_pause_is_what_holds_the_queue_then(
    ctx: AppContext, first_goes_on: asyncio.Event
) -> None:
    conversation_id = await a_conversation(ctx)
    await send(ctx, conversation_id, "/long 60 /fail auth after 30")
    await queue(ctx, conversation_id, "/echo one")
    await pause_queue(ctx, LOCAL_OWNER, conversation_id)

    first_goes_on.set()
    held = await settled(ctx, conversation_id)

    assert held.hold is not None
    assert held.hold.reason is HoldReason.FAILED


async def test_text_that_is_refused_when_its_turn_comes_stays_and_says_why(
    ctx: AppContext, first_goes_on: asyncio.Event
) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await send(ctx, conversation_id, "/long 30")
    await queue(ctx, conversation_id, "/echo one", options=ViewOptions(model="anthropic:claude-sonnet-4-5"))

    first_goes_on.set()
    held = await settled(ctx, conversation_id)

    assert held.hold is not None
    assert held.hold.reason is HoldReason.REFUSED
    assert 'There is no key for provider "anthropic"' in held.hold.message
    await resume_queue(ctx, LOCAL_OWNER, conversation_id, model="offline:demo")
    assert (await settled(ctx, conversation_id)).items == ()
    assert (await pairs_of(ctx, conversation_id))[-1].model == "offline:demo"


async def test_text_that_does_not_fit_waits_for_a_choice(ctx: AppContext, first_goes_on: asyncio.Event) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await send(ctx, conversation_id, "word " * 40_000 + "/long 5")
    await queue(ctx, conversation_id, "word " * 100_000)

    first_goes_on.set()
    held = await settled(ctx, conversation_id)

    assert held.hold is not None
    assert held.hold.reason is HoldReason.REFUSED
    with pytest.raises(OverBudgetError):
        await resume_queue(ctx, LOCAL_OWNER, conversation_id)
    assert (await read_queue(ctx, LOCAL_OWNER, conversation_id)).hold == held.hold
    await resume_queue(ctx, LOCAL_OWNER, conversation_id, over_budget=OverBudget.FIT)
    assert (await settled(ctx, conversation_id)).items == ()


async def test_many_hands_that_resume_at_once_send_each_text_once(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)
    started = await send(ctx, conversation_id, SLOW)
    await queue(ctx, conversation_id, *(f"/echo {number}" for number in range(4)))
    await cancel_run(ctx, LOCAL_OWNER, started.run_id)
    await settled(ctx, conversation_id)

    await asyncio.gather(*(resume_queue(ctx, LOCAL_OWNER, conversation_id) for _ in range(8)))

    await settled(ctx, conversation_id)
    assert await texts_of(ctx, conversation_id) == [SLOW, *(f"/echo {number}" for number in range(4))]


async def test_queue_outlives_the_process_and_sends_nothing_automatically_at_the_next_start(data: Path) -> None:
    async with open_app_context(settings_of(data)) as ctx:
        conversation_id = await a_conversation(ctx)
        started = await send(ctx, conversation_id, SLOW)
        await wait_for_text(ctx, started)
        await queue(ctx, conversation_id, "/echo one", "/echo two")

    async with open_app_context(settings_of(data)) as ctx:
        assert await waiting(ctx, conversation_id) == ["/echo one", "/echo two"]
        # and nothing after that reply sends the queue here
        await reply_to(ctx, await a_conversation(ctx), "/echo elsewhere")
        await until_quiet(ctx)
        assert len(await pairs_of(ctx, conversation_id)) == 1
        await resume_queue(ctx, LOCAL_OWNER, conversation_id)
        await settled(ctx, conversation_id)
        assert await texts_of(ctx, conversation_id) == [SLOW, "/echo one", "/echo two"]


async def test_queue_goes_with_its_conversation(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)
    await send(ctx, conversation_id, SLOW)
    await queue(ctx, conversation_id, "/echo one")

    with capture_logs() as logs:
        await delete_conversation(ctx, LOCAL_OWNER, conversation_id)
        while ctx.background:
            await asyncio.wait(set(ctx.background))

    with pytest.raises(NotFoundError):
        await read_queue(ctx, LOCAL_OWNER, conversation_id)
    assert [one["event"] for one in logs if one["log_level"] == "error"] == []


async def test_what_cannot_be_sent_is_not_queued(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)
    started = await send(ctx, conversation_id, "/long 4000 /rate 40")

    with pytest.raises(InputError, match="text: is empty"):
        await queue(ctx, conversation_id, "  ")
    with pytest.raises(FilterError):
        await queue(ctx, conversation_id, "x", options=ViewOptions(filter="s>="))
    with pytest.raises(InputError):
        await queue(ctx, conversation_id, "x", options=ViewOptions(model="nobody"))
    with pytest.raises(NotFoundError):
        await queue(ctx, "nowhere", "x")
    await queue(ctx, conversation_id, *("x" for _ in range(MAX_QUEUED)))
    with pytest.raises(ConflictError, match="This conversation already has"):
        await queue(ctx, conversation_id, "x")
    await cancel_run(ctx, LOCAL_OWNER, started.run_id)


async def test_end_of_a_reply_that_nothing_waits_for_costs_one_question(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)
    started = await send(ctx, conversation_id, "/echo one")
    asked = count_statements(ctx)

    await collect(ctx, started.run_id)
    await settled(ctx, conversation_id)

    assert len([statement for statement in asked if "FROM queued" in statement]) == 1 + 1  # one more by the test itself
