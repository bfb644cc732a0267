"""Turns to call a provider: limits, who is next, what a rate limit holds back, and calls that were never made."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from app.domain.conversation.lifecycle import Lifecycle
from app.runs.engine.turns import CallTurns, TurnLimits, Waiting
from app.runs.send.commands import LOCAL_OWNER, cancel_run, hurry_run
from app.runs.watch.watcher import Watcher
from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench
from tests.providers.peer import Answer, a_peer
from tests.runs.engine.calls import MODEL, Calls, settle
from tests.runs.steps import a_conversation, calls_of, collect, pair_of, reply_to, send, settings_of

HELLO = b'data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n'
OVER = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


@asynccontextmanager
async def calls_within(in_all: int | None = None, per_person: int | None = None) -> AsyncGenerator[Calls]:
    calls = Calls(CallTurns(TurnLimits(in_all, per_person)))
    yield calls
    for name, task in calls.tasks.items():
        if not task.done():
            await calls.give_up(name)
    assert (calls.turns.on, calls.turns.waiting) == ({}, [])


async def seen(holds: Callable[[], bool]) -> None:
    """Give others their turn until something holds."""
    while not holds():  # noqa: ASYNC110 - what is waited for is not an event of the test's
        await asyncio.sleep(0)


async def test_without_limits_every_call_is_made_at_once_and_nothing_is_shown() -> None:
    async with calls_within() as calls:
        await calls.want(*(f"ada{number}" for number in range(50)))

        assert len(calls.on) == calls.turns.count_on == 50
        assert calls.waits == {}


async def test_calls_beyond_the_limit_wait_in_order_and_say_how_many_are_ahead() -> None:
    async with calls_within(in_all=1) as calls:
        await calls.want("ada1", "ada2", "ada3")
        assert (calls.on, calls.ahead_of("ada2"), calls.ahead_of("ada3")) == (["ada1"], 0, 1)

        await calls.end("ada1")

        assert (calls.on, calls.waits["ada2"], calls.ahead_of("ada3")) == (["ada1", "ada2"], None, 0)


async def test_who_starts_many_delays_nobody_who_starts_one() -> None:
    async with calls_within(in_all=2) as calls:
        await calls.want(*(f"ada{number}" for number in range(1, 8)), "ben1", "cyd1")

        assert (calls.ahead_of("ada3"), calls.ahead_of("ben1"), calls.ahead_of("cyd1"), calls.ahead_of("ada4")) == (
            0,
            1,
            2,
            3,
        )
        for name in ("ada1", "ada2", "ada3", "ben1"):
            await calls.end(name)
        assert calls.on == ["ada1", "ada2", "ada3", "ben1", "cyd1", "ada4"]


async def test_a_person_has_so_many_calls_and_others_are_not_held_back_by_it() -> None:
    async with calls_within(in_all=10, per_person=2) as calls:
        await calls.want("ada1", "ada2", "ada3", "ben1")

        assert calls.on == ["ada1", "ada2", "ben1"]
        await calls.end("ben1")
        assert calls.ahead_of("ada3") == 0
        await calls.end("ada2")
        assert calls.on[-1] == "ada3"


async def test_a_call_that_is_given_up_leaves_its_place() -> None:
    async with calls_within(in_all=1) as calls:
        await calls.want("ada1", "ben1", "cyd1")

        await calls.give_up("ben1")
        assert calls.ahead_of("cyd1") == 0
        await calls.give_up("ada1")
        assert calls.on == ["ada1", "cyd1"]


async def test_a_call_that_is_given_up_as_it_gets_its_turn_gives_it_on() -> None:
    async with calls_within(in_all=1) as calls:
        await calls.want("ada1", "ben1", "cyd1")
        calls.ends["ada1"].set()
        await seen(lambda: "ada" not in calls.turns.on)
        assert calls.turns.on == {"ben": 1}  # its task has not run yet

        await calls.give_up("ben1")

        assert calls.on[-1] == "cyd1"


async def test_after_a_refusal_one_call_goes_first_and_the_others_when_it_is_answered() -> None:
    async with calls_within() as calls:
        await calls.want("ada1")
        calls.held["ada1"].note_refusal(0.02)
        await calls.end("ada1")
        await calls.want("ada2", "ben1", "cyd1")
        await calls.want("ada9", target="openai:gpt")
        assert calls.on == ["ada1", "ada9"]  # another target is not left alone
        waiting = calls.waits["ben1"]
        assert waiting is not None
        assert waiting.until is not None

        await seen(lambda: "ada2" in calls.on)
        assert calls.on == ["ada1", "ada9", "ada2"]
        assert (calls.waits["ada2"], calls.waits["ben1"]) == (None, Waiting(0))

        calls.held["ada2"].note_answer()
        await settle()
        assert calls.on[3:] == ["ben1", "cyd1"]


async def test_when_the_first_call_after_a_refusal_fails_the_next_one_goes_first() -> None:
    async with calls_within() as calls:
        await calls.want("ada1")
        calls.held["ada1"].note_refusal(60)
        await calls.end("ada1")
        await calls.want("ada2", "ben1")
        calls.turns.end_rest(MODEL)  # somebody wants no wait
        await settle()
        assert calls.on == ["ada1", "ada2", "ben1"]

        calls.held["ada2"].note_refusal(0.001)
        await calls.end("ada2")
        await calls.end("ben1")
        await calls.want("cyd1", "dan1")
        await seen(lambda: "cyd1" in calls.on)
        await calls.end("cyd1")  # without an answer
        assert calls.on[-1] == "dan1"


# --- in the engine ---


@pytest.fixture
async def one_at_a_time(tmp_path: Path) -> AsyncGenerator[Workbench]:
    async with open_workbench(settings_of(tmp_path / "data", INVIEW_CALLS_AT_ONCE="server=1; person=off")) as wb:
        yield wb


async def test_a_reply_waits_for_its_turn_and_its_page_says_so(one_at_a_time: Workbench) -> None:
    wb = one_at_a_time
    long, short = await a_conversation(wb), await a_conversation(wb)
    slow = await send(wb, long, "/long 5000 /rate 20")
    quick = await send(wb, short, "/echo at last")

    async with Watcher(wb, LOCAL_OWNER, short) as page:
        screen = await page.next_screen()
        while screen is None or screen.waiting is None:
            screen = await page.next_screen()
        assert screen.waiting.message == "Waiting for a turn: this call is next."
        assert (screen.running, screen.waiting.pair_id) == (quick.pair_id, quick.pair_id)

        await cancel_run(wb, LOCAL_OWNER, slow.run_id)
        while screen is None or screen.ended != quick.pair_id:
            screen = await page.next_screen()
        assert screen.waiting is None

    assert (await pair_of(wb, quick.pair_id)).lifecycle is Lifecycle.SUCCEEDED
    assert wb.engine.turns.count_on == 0


async def test_a_call_that_never_left_is_not_in_the_ledger(one_at_a_time: Workbench) -> None:
    wb = one_at_a_time
    long, short = await a_conversation(wb), await a_conversation(wb)
    slow = await send(wb, long, "/long 5000 /rate 20")
    waits = await send(wb, short, "/echo never")
    await seen(lambda: wb.engine.runs[waits.run_id].waiting is not None)

    await cancel_run(wb, LOCAL_OWNER, waits.run_id)

    assert (await pair_of(wb, waits.pair_id)).lifecycle is Lifecycle.CANCELED
    assert await calls_of(wb, short) == ()
    await cancel_run(wb, LOCAL_OWNER, slow.run_id)
    assert len(await calls_of(wb, long)) == 1


async def test_a_rate_limit_holds_back_other_calls_with_the_same_key_until_somebody_wants_them(tmp_path: Path) -> None:
    busy = Answer(status=429, headers=(("Retry-After", "50"),))
    async with AsyncExitStack() as stack:
        peer = await stack.enter_async_context(a_peer(busy, Answer((HELLO, OVER))))
        settings = settings_of(tmp_path / "data", INVIEW_COMPATIBLE=f"peer={peer.url}/v1,sk-a-key")
        wb = await stack.enter_async_context(open_workbench(settings))
        first, second = (await a_conversation(wb, model="peer:any"), await a_conversation(wb, model="peer:any"))
        refused = await send(wb, first, "Hello")
        await seen(lambda: wb.engine.runs[refused.run_id].state.phase == "retrying")

        held = await send(wb, second, "Hello too")
        await seen(lambda: wb.engine.runs[held.run_id].waiting is not None)
        waiting = wb.engine.runs[held.run_id].waiting
        assert waiting is not None
        assert waiting.until is not None
        assert len(peer.heard) == 1
        await hurry_run(wb, LOCAL_OWNER, held.run_id)

        assert [event.kind for event in await collect(wb, held.run_id)][-1] == "done"
        assert len(peer.heard) == 2
        await cancel_run(wb, LOCAL_OWNER, refused.run_id)


async def test_calls_without_a_key_know_no_rate_limit_of_others(wb: Workbench) -> None:
    first, second = await a_conversation(wb), await a_conversation(wb)
    refused = await send(wb, first, "/fail rate retry-after 50")
    await seen(lambda: wb.engine.runs[refused.run_id].state.phase == "retrying")

    assert (await reply_to(wb, second, "/echo at once")).text == "at once"

    await cancel_run(wb, LOCAL_OWNER, refused.run_id)
