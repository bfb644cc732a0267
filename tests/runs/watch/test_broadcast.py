from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.domain.errors import NotFoundError
from app.domain.run.run import RunStart, RunState, apply_event, start_run
from app.domain.run.run_events import Interrupted, RunEvent
from app.domain.run.run_log import LogEvent, events_after
from app.domain.stream.stream_events import TextReceived
from app.providers.base import WireRequest
from app.runs.app_context import AppContext
from app.runs.engine.live import LiveRun
from app.runs.engine.update_rate import FRAME_SECONDS, MAX_SECONDS, Throttle
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.watch import broadcast
from app.runs.watch.broadcast import follow, follow_states, load_state
from app.runs.wiring import open_app_context
from app.store.run.runs import RunPlace
from tests.domain.run.test_run import merged, run_events
from tests.effort import examples
from tests.providers.playing import a_provider
from tests.runs.by_hand import ByHand
from tests.runs.clock import LoopClock, take_turns
from tests.runs.steps import a_conversation, collect, reply_to, send, settings_of, text_of, wait_for_text
from tests.store.values import START


@dataclass
class Follower:
    """A follower that disconnects and reconnects. `seen` has all events that it received."""

    ctx: AppContext
    run_id: str
    seen: list[LogEvent] = field(default_factory=list[LogEvent])
    task: asyncio.Task[None] | None = None

    @property
    def position(self) -> int:
        return self.seen[-1].position if self.seen else 0

    def come(self) -> None:
        self.task = asyncio.create_task(self._listen())

    async def go(self) -> None:
        assert self.task is not None
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)

    async def _listen(self) -> None:
        async for events in follow(self.ctx, LOCAL_OWNER, self.run_id, self.position):
            self.seen += events


def live_run(ctx: AppContext) -> LiveRun:
    """Create a run whose states the test sets."""
    state = start_run(RunStart("r1", "p1", "c1", "offline:demo", "hash"))[0]
    place = RunPlace(LOCAL_OWNER, "c1", "p1", "m1")
    wire = WireRequest("offline:demo", "POST", "http://offline.invalid/v1/replies", (), b"")
    run = LiveRun(place, a_provider("offline"), wire, state, state, state, START)
    ctx.engine.runs["r1"] = run
    return run


@asynccontextmanager
async def told_to_the_end(ctx: AppContext) -> AsyncGenerator[tuple[LiveRun, asyncio.Queue[str]]]:
    """Yield a run that the test ends, and a queue of the texts that a follower of it receives."""
    run = live_run(ctx)
    pieces: asyncio.Queue[str] = asyncio.Queue()

    async def listen() -> None:
        async for events in follow(ctx, LOCAL_OWNER, "r1"):
            pieces.put_nowait(text_of(events))

    listening = asyncio.create_task(listen())
    async with asyncio.timeout(30):  # the tests move the clock forward by 20 seconds at most
        assert await pieces.get() == ""
        yield run, pieces
        await listening
    del ctx.engine.runs["r1"]


async def next_of(pieces: asyncio.Queue[str]) -> str:
    """Return the next piece that the follower has already received. No time passes."""
    await take_turns()
    return pieces.get_nowait()


@given(
    events=st.lists(run_events, max_size=20),
    visits=st.lists(st.tuples(st.integers(0, 1), st.booleans(), st.integers(0, 4)), min_size=20, max_size=20),
)
@settings(max_examples=examples(80), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_followers_that_come_and_go_at_any_moment_lose_and_repeat_nothing(
    ctx: AppContext, events: list[RunEvent], visits: list[tuple[int, bool, int]]
) -> None:
    ctx.throttle.window = 0
    run = live_run(ctx)
    state: RunState = run.state
    followers = (Follower(ctx, "r1"), Follower(ctx, "r1"))
    for follower in followers:
        follower.come()

    for event, (who, goes, steps) in zip((*events, Interrupted()), visits, strict=False):
        state, _ = apply_event(state, event)
        if state is not run.shown:
            run.show(state)
        for _ in range(steps):
            await asyncio.sleep(0)
        if goes:
            await followers[who].go()
            followers[who].come()
    state, _ = apply_event(state, Interrupted())
    run.show(state)
    async with asyncio.timeout(5):
        for follower in followers:
            assert follower.task is not None
            await follower.task
    del ctx.engine.runs["r1"]

    for follower in followers:
        assert merged(follower.seen) == merged(list(events_after(state, 0)))
        positions = [event.position for event in follower.seen]
        assert positions == sorted(set(positions))


async def test_the_log_of_a_stored_run_is_that_of_the_live_one(ctx: AppContext) -> None:
    ended = await reply_to(ctx, await a_conversation(ctx), "/think 20 /long 60 /rate 0")

    stored = await collect(ctx, ended.started.run_id)

    assert ended.started.run_id not in ctx.engine.runs
    assert merged(stored) == merged(ended.events)
    for position in (0, 1, 2, 3, 17, stored[-1].position - 1):
        rest = await collect(ctx, ended.started.run_id, position)
        assert rest[-1].kind == "done"
        assert text_of(stored).endswith(text_of(rest))
    assert await collect(ctx, ended.started.run_id, stored[-1].position) == []


async def test_a_real_stream_reaches_every_follower_whole_whenever_it_comes(ctx: AppContext, hand: ByHand) -> None:
    started = await send(ctx, await a_conversation(ctx), "Hi")
    following: list[asyncio.Task[list[LogEvent]]] = []
    said = ""

    for number in range(10):
        following.append(asyncio.create_task(collect(ctx, started.run_id)))
        said += f"{number} words "
        hand.say(f"{number} words ")
        await wait_for_text(ctx, started, len(said))
    hand.end()

    logs = await asyncio.gather(*following)
    assert {text_of(log) for log in logs} == {said}
    assert all(merged(log) == merged(logs[0]) for log in logs)


async def test_a_slow_follower_does_not_delay_a_reply(ctx: AppContext) -> None:
    started = await send(ctx, await a_conversation(ctx), "/long 200 /rate 0")
    sleeper = follow(ctx, LOCAL_OWNER, started.run_id)
    await anext(sleeper)  # and then reads no more

    assert (await collect(ctx, started.run_id))[-1].kind == "done"
    rest = [event async for events in sleeper for event in events]
    assert rest[-1].kind == "done"


async def test_the_first_piece_is_given_at_once_and_the_next_a_window_later(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = LoopClock.at_work(monkeypatch)
    ctx.throttle.window = 5
    async with told_to_the_end(ctx) as (run, pieces):
        _show(run, TextReceived("a"))
        assert await next_of(pieces) == "a"
        for text in "bc":
            _show(run, TextReceived(text))
            await take_turns()
            assert pieces.empty()
        await clock.move(ctx.throttle.window)
        assert await next_of(pieces) == "bc"
        _show(run, Interrupted())


async def test_a_piece_that_is_due_goes_with_the_next_chunk(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broadcast, "COMPANY_SECONDS", 1_000)
    clock = LoopClock.at_work(monkeypatch)
    ctx.throttle.window = 5
    async with told_to_the_end(ctx) as (run, pieces):
        _show(run, TextReceived("a"))
        assert await next_of(pieces) == "a"
        _show(run, TextReceived("b"))
        await take_turns()
        await clock.move(2 * ctx.throttle.window)
        assert pieces.empty()  # due, and no event has woken the follower
        _show(run, TextReceived("c"))
        assert await next_of(pieces) == "bc"

        ctx.throttle.window = 1_000
        _show(run, TextReceived("d"))
        await take_turns()
        assert pieces.empty()
        _show(run, Interrupted())
        assert await next_of(pieces) == "d"  # and the window does not delay the end


async def test_a_slow_reply_is_published_as_it_arrives_and_a_fast_one_in_windows(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcast, "COMPANY_SECONDS", 1_000)
    clock = LoopClock.at_work(monkeypatch)
    ctx.throttle.window = 5
    async with told_to_the_end(ctx) as (run, pieces):
        _show(run, TextReceived("a"))
        assert await next_of(pieces) == "a"
        await clock.move(2 * ctx.throttle.window)
        _show(run, TextReceived("b"))
        assert await next_of(pieces) == "b"
        _show(run, TextReceived("c"))
        assert await next_of(pieces) == "c"  # b was late, and c is not delayed for it

        _show(run, TextReceived("d"))
        await take_turns()
        assert pieces.empty()
        await clock.move(2 * ctx.throttle.window)
        _show(run, TextReceived("e"))
        assert await next_of(pieces) == "de"
        _show(run, TextReceived("f"))
        await take_turns()
        assert pieces.empty()  # it comes faster than the windows: the windows apply
        _show(run, Interrupted())
        assert await next_of(pieces) == "f"


def _show(run: LiveRun, event: RunEvent) -> None:
    run.chunks += isinstance(event, TextReceived)
    run.state, _ = apply_event(run.state, event)
    run.show(run.state)


def test_the_window_grows_with_a_late_loop_and_shrinks_again() -> None:
    throttle = Throttle()
    assert throttle.window == FRAME_SECONDS

    for _ in range(50):
        throttle.observe(0.02)
    assert throttle.window == MAX_SECONDS
    for _ in range(200):
        throttle.observe(0)
    assert throttle.window == pytest.approx(FRAME_SECONDS, rel=0.01)


async def test_a_run_of_another_owner_cannot_be_followed(ctx: AppContext) -> None:
    started = await send(ctx, await a_conversation(ctx), "/slow")

    async def listen(run_id: str) -> None:
        async for _ in follow(ctx, "mallory", run_id):
            pass

    for run_id in (started.run_id, "nothing"):
        with pytest.raises(NotFoundError):
            await listen(run_id)
        with pytest.raises(NotFoundError):
            await load_state(ctx, "mallory", run_id)


async def test_a_run_of_another_process_is_followed_through_the_database(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcast, "POLL_SECONDS", 0.05)
    async with open_app_context(settings_of(data)) as driver, open_app_context(settings_of(data)) as reader:
        started = await send(driver, await a_conversation(driver), "/long 100 /rate 200")

        here, there = await asyncio.gather(collect(driver, started.run_id), collect(reader, started.run_id))

        assert merged(there) == merged(here)


async def test_each_state_of_a_run_of_another_process_is_given_once_and_whole(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcast, "POLL_SECONDS", 0.001)
    async with open_app_context(settings_of(data)) as driver, open_app_context(settings_of(data)) as reader:
        started = await send(driver, await a_conversation(driver), "/long 20 /rate 100")

        seen = [update async for update in follow_states(reader, LOCAL_OWNER, started.run_id)]

    assert all(earlier != later for (earlier, _), (later, _) in pairwise(seen))
    assert all((growth.kept, growth.parts) == (0, state.parts) for state, growth in seen)


async def test_state_of_a_running_reply_is_the_current_one(ctx: AppContext, hand: ByHand) -> None:
    started = await send(ctx, await a_conversation(ctx), "Hi")
    hand.say("One. ")
    await wait_for_text(ctx, started)

    state = await load_state(ctx, LOCAL_OWNER, started.run_id)
    hand.say("Two.")
    hand.end()
    rest = await collect(ctx, started.run_id, events_after(state, 0)[-1].position)

    assert state.outcome is None
    assert (text_of(events_after(state, 0)), text_of(rest)) == ("One. ", "Two.")
    assert text_of(await collect(ctx, started.run_id)) == "One. Two."
