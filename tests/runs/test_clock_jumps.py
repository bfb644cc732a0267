"""The clock jumps an hour forward or back: no reply ends, no wait becomes longer, every order stays the same."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import text

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.errors import ErrorClass
from app.runs.app_context import AppContext
from app.runs.compare.comparisons import ComparedModels, discard_comparison, reopen_comparison, start_comparison
from app.runs.recovery.reaper import HEARTBEAT_SECONDS
from app.runs.resend.resend import resend_pair
from app.runs.runtime import ids
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.queue import queue_text
from app.runs.send.send_request import SendRequest
from app.runs.send.stopping import cancel_run
from app.runs.wiring import open_app_context
from app.store.conversation.nodes import load_accounting
from tests.runs.recovery.test_reaper import Clock, copy_as_it_is, reaper_of
from tests.runs.send.test_queue import settled, texts_of
from tests.runs.steps import a_conversation, calls_of, collect, pair_of, pairs_of, reply_to, send, settings_of

HOUR = timedelta(hours=1)


class WallClock:
    """The machine's clock, which the test can move."""

    def __init__(self) -> None:
        self.jumped = timedelta()

    def jump(self, by: timedelta) -> None:
        self.jumped += by

    def now(self, zone: object) -> datetime:
        assert zone is UTC
        return datetime.now(UTC) + self.jumped

    def time_ns(self) -> int:
        return int(self.now(UTC).timestamp() * 1_000_000_000)


@pytest.fixture(params=[HOUR, -HOUR], ids=["an hour ahead", "an hour back"])
def jump(request: pytest.FixtureRequest) -> timedelta:
    return request.param


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> WallClock:
    """Replace the clock that Inview uses for stored times."""
    clock = WallClock()
    monkeypatch.setattr(ids, "datetime", SimpleNamespace(now=clock.now))
    monkeypatch.setattr(ids, "time", clock)
    return clock


async def test_a_living_process_keeps_its_runs_and_a_dead_one_does_not(
    data: Path, wall: WallClock, jump: timedelta
) -> None:
    async with open_app_context(settings_of(data)) as driver, open_app_context(settings_of(data)) as other:
        alive, dead = [await send(driver, await a_conversation(driver), "/slow") for _ in range(2)]
        await driver.engine.writer.save()
        steady = Clock()
        reaper = reaper_of(other, steady)
        assert await reaper.reap() == 0

        wall.jump(jump)
        assert await reaper.reap() == 0, "the clock alone ended a reply"

        gone = driver.engine.runs.pop(dead.run_id)
        async with driver.store.write() as session:
            await session.execute(text("UPDATE run SET process_id = 'gone' WHERE id = :id"), {"id": dead.run_id})
        await driver.engine.writer.save()
        assert await reaper.reap() == 0  # another heartbeat may have been stored since the last check
        await driver.engine.writer.save()
        steady.at += HEARTBEAT_SECONDS
        assert await reaper.reap() == 1
        assert (await pair_of(other, dead.pair_id)).lifecycle is Lifecycle.ERROR
        assert driver.engine.runs[alive.run_id].state.outcome is None
        driver.engine.runs[dead.run_id] = gone


async def test_a_start_ends_what_was_left_whatever_the_clock_says(
    data: Path, tmp_path: Path, wall: WallClock, jump: timedelta
) -> None:
    async with open_app_context(settings_of(data)) as dying:
        started = await send(dying, await a_conversation(dying), "/slow")
        left = copy_as_it_is(data, tmp_path / "left")

    wall.jump(jump)
    async with open_app_context(settings_of(left)) as ctx:
        pair = await pair_of(ctx, started.pair_id)
        assert pair.lifecycle is Lifecycle.ERROR
        assert pair.failure is not None
        assert pair.failure.error_class is ErrorClass.INTERRUPTED


async def test_removed_pairs_are_listed_in_order_also_after_a_restart(
    data: Path, wall: WallClock, jump: timedelta, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app_context(settings_of(data)) as ctx:
        conversation_id = await a_conversation(ctx)
        first = await reply_to(ctx, conversation_id, "/echo one /rate 0")
        await collect(
            ctx, (await resend_pair(ctx, LOCAL_OWNER, first.pair.id, text="/echo two /rate 0")).started.run_id
        )

    wall.jump(jump)
    monkeypatch.setattr(ids, "_last", 0)  # a new process has no earlier ids

    async with open_app_context(settings_of(data)) as ctx:
        for words in ("/echo three /rate 0", "/echo four /rate 0"):
            again = await resend_pair(ctx, LOCAL_OWNER, first.pair.id, text=words)
            await collect(ctx, again.started.run_id)
        async with ctx.store.read() as session:
            nodes = await load_accounting(session, LOCAL_OWNER, conversation_id)

        assert [node.calls for node in nodes] == [1, 2, 3]
        assert len(await calls_of(ctx, conversation_id)) == 4


async def test_what_waits_in_the_queue_goes_out_in_its_order(ctx: AppContext, wall: WallClock, jump: timedelta) -> None:
    conversation_id = await a_conversation(ctx)
    await send(ctx, conversation_id, "/long 30 /rate 100")
    await queue_text(ctx, LOCAL_OWNER, conversation_id, SendRequest("/echo one"))
    wall.jump(jump)
    await queue_text(ctx, LOCAL_OWNER, conversation_id, SendRequest("/echo two"))

    await settled(ctx, conversation_id)

    assert await texts_of(ctx, conversation_id) == ["/long 30 /rate 100", "/echo one", "/echo two"]
    assert [pair.position for pair in await pairs_of(ctx, conversation_id)] == [1, 2, 3]


async def test_a_retry_waits_as_long_as_announced(ctx: AppContext, wall: WallClock, jump: timedelta) -> None:
    conversation_id = await a_conversation(ctx)
    started = await send(ctx, conversation_id, "/fail overloaded retry-after 0.3 times 1")
    wall.jump(jump)

    events = await collect(ctx, started.run_id)

    assert events[-1].kind == "done"


async def test_the_comparison_discarded_last_is_the_one_that_comes_back(
    ctx: AppContext, wall: WallClock, jump: timedelta
) -> None:
    conversation_id = await a_conversation(ctx)
    for words in ("/echo first", "/echo second"):
        comparison = await start_comparison(
            ctx, LOCAL_OWNER, conversation_id, SendRequest(words), ComparedModels(("offline:demo", "offline:tiny"))
        )
        for run in comparison.runs:
            await cancel_run(ctx, LOCAL_OWNER, run.run_id)
        await discard_comparison(ctx, LOCAL_OWNER, conversation_id)
        wall.jump(jump)

    assert (await reopen_comparison(ctx, LOCAL_OWNER, conversation_id)).text == "/echo second"
