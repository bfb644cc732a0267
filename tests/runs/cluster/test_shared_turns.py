"""Turns of all processes: three of them let no more calls through than one, by a real Redis."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime

import pytest

from app.runs.cluster import shared_turns
from app.runs.cluster.link import open_link
from app.runs.cluster.shared_turns import SharedTurns
from app.runs.engine.turns import CallTurns, TurnLimits
from tests.redis_server import RedisServer
from tests.runs.engine.calls import MODEL, Calls


class Process:
    """A process of an installation, as far as it gives turns."""

    def __init__(self, shared: SharedTurns) -> None:
        self.shared = shared
        self.calls = Calls(shared.turns)
        self.work: list[asyncio.Task[None]] = []

    async def begin(self) -> None:
        link = self.shared.link
        await self.shared.join()
        work = (link.keep_receiving(), link.keep_sending(), *self.shared.list_work())
        self.work = [asyncio.create_task(each) for each in work]

    async def die(self) -> None:
        """End without a word to the others."""
        for task in self.work:
            task.cancel()
        await asyncio.gather(*self.work, return_exceptions=True)


Start = Callable[[], "asyncio.Future[Process]"]


@asynccontextmanager
async def processes(
    redis: RedisServer, count: int, in_all: int | None = None, per_person: int | None = None
) -> AsyncGenerator[list[Process]]:
    async with AsyncExitStack() as stack:
        started: list[Process] = []
        for number in range(count):
            link = await stack.enter_async_context(open_link(redis.url, f"p{number}"))
            turns = CallTurns(TurnLimits(in_all, per_person))
            turns.of_all = shared = SharedTurns(link, turns)
            process = Process(shared)
            await process.begin()
            stack.push_async_callback(process.die)
            started.append(process)
        await asyncio.sleep(0.05)  # each of them listens
        yield started
        for process in started:
            for name, task in process.calls.tasks.items():
                if not task.done():
                    await process.calls.give_up(name)


async def eventually(holds: Callable[[], bool], seconds: float = 5) -> None:
    async with asyncio.timeout(seconds):
        while not holds():  # noqa: ASYNC110 - it comes from another process
            await asyncio.sleep(0.005)


async def test_all_processes_let_no_more_through_than_one(redis: RedisServer) -> None:
    async with processes(redis, 3, in_all=4) as started:
        for number in range(3):
            for process in started:
                await process.calls.want(f"ada{number}")
        await eventually(lambda: sum(len(one.calls.on) for one in started) == 4)
        await asyncio.sleep(0.1)

        assert sum(one.shared.turns.count_on for one in started) == 4
        assert sum(len(one.shared.turns.waiting) for one in started) == 5


async def test_a_person_has_so_many_calls_over_all_processes(redis: RedisServer) -> None:
    async with processes(redis, 2, in_all=10, per_person=2) as (one, other):
        await one.calls.want("ada1", "ada2")
        await eventually(lambda: len(one.calls.on) == 2)

        await other.calls.want("ada3", "ben1")

        await eventually(lambda: other.calls.on == ["ben1"] and other.calls.ahead_of("ada3") == 0)
        await one.calls.end("ada1")
        await eventually(lambda: other.calls.on == ["ben1", "ada3"])


async def test_who_starts_many_in_one_process_delays_nobody_in_another(redis: RedisServer) -> None:
    async with processes(redis, 2, in_all=1) as (one, other):
        await one.calls.want("ada1")
        await eventually(lambda: one.calls.on == ["ada1"])
        await one.calls.want("ada2", "ada3", "ada4")
        await eventually(lambda: one.calls.ahead_of("ada4") == 2)

        await other.calls.want("ben1")

        await eventually(lambda: other.calls.ahead_of("ben1") == 1 and one.calls.ahead_of("ada4") == 3)
        await one.calls.end("ada1")
        await eventually(lambda: one.calls.on == ["ada1", "ada2"] and other.calls.ahead_of("ben1") == 0)
        await one.calls.end("ada2")
        await eventually(lambda: other.calls.on == ["ben1"] and other.calls.waits["ben1"] is None)


async def test_a_call_that_is_given_up_leaves_its_place_to_one_of_another_process(redis: RedisServer) -> None:
    async with processes(redis, 2, in_all=1) as (one, other):
        await one.calls.want("ada1", "cyd1")
        await eventually(lambda: one.calls.ahead_of("cyd1") == 0)
        await other.calls.want("ben1")
        await eventually(lambda: other.calls.ahead_of("ben1") == 1)

        await one.calls.give_up("cyd1")
        await eventually(lambda: other.calls.ahead_of("ben1") == 0)
        await one.calls.give_up("ada1")

        await eventually(lambda: other.calls.on == ["ben1"])


async def test_a_refusal_that_one_process_hears_holds_the_calls_of_the_others(redis: RedisServer) -> None:
    async with processes(redis, 2) as (one, other):
        await one.calls.want("ada1")
        await eventually(lambda: one.calls.on == ["ada1"])
        one.calls.held["ada1"].note_refusal(1)
        await one.calls.end("ada1")
        await eventually(lambda: bool(other.shared.turns.list_rests()))

        await other.calls.want("ben1")
        await one.calls.want("ada2")
        await other.calls.want("cyd1", target="openai:gpt")
        await eventually(lambda: one.calls.waits.get("ada2") is not None and other.calls.waits.get("ben1") is not None)
        waiting = other.calls.waits["ben1"]
        assert waiting is not None
        assert waiting.until is not None
        assert 0 < (waiting.until - datetime.now(UTC)).total_seconds() < 1
        assert other.calls.on == ["cyd1"]  # another target is not left alone

        await eventually(lambda: other.calls.on == ["cyd1", "ben1"])  # one goes first
        await asyncio.sleep(0.2)
        assert one.calls.on == ["ada1"]
        other.calls.held["ben1"].note_answer()
        await eventually(lambda: one.calls.on == ["ada1", "ada2"])
        assert other.shared.turns.list_rests() == {}


async def test_who_wants_no_wait_ends_it_for_all_processes(redis: RedisServer) -> None:
    async with processes(redis, 2) as (one, other):
        await one.calls.want("ada1")
        await eventually(lambda: one.calls.on == ["ada1"])
        one.calls.held["ada1"].note_refusal(60)
        await other.calls.want("ben1")
        await eventually(lambda: other.calls.waits.get("ben1") is not None)

        one.shared.turns.end_rest(MODEL)

        await eventually(lambda: other.calls.on == ["ben1"])


async def test_a_process_that_died_gives_its_turns_back(redis: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shared_turns.LEASE_SECONDS + shared_turns.BEAT_SECONDS <= 20
    monkeypatch.setattr(shared_turns, "LEASE_SECONDS", 0.6)
    monkeypatch.setattr(shared_turns, "BEAT_SECONDS", 0.2)
    monkeypatch.setattr(shared_turns, "LOOK_SECONDS", 0.2)
    async with processes(redis, 2, in_all=1) as (dying, other):
        await dying.calls.want("ada1", "ada2")
        await eventually(lambda: dying.calls.on == ["ada1"])
        await other.calls.want("ben1")
        await eventually(lambda: other.calls.ahead_of("ben1") == 1)

        await dying.die()

        await eventually(lambda: other.calls.on == ["ben1"])


async def test_a_process_that_ends_in_order_gives_its_turns_back_at_once(redis: RedisServer) -> None:
    async with processes(redis, 2, in_all=1) as (ending, other):
        await ending.calls.want("ada1")
        await eventually(lambda: ending.calls.on == ["ada1"])
        await other.calls.want("ben1")

        await ending.shared.part()

        await eventually(lambda: other.calls.on == ["ben1"], 1)


async def test_a_process_that_lost_its_lease_enters_its_calls_again(redis: RedisServer) -> None:
    async with processes(redis, 2, in_all=2) as (one, other):
        await one.calls.want("ada1")
        await eventually(lambda: one.calls.on == ["ada1"])
        await one.shared.link.prompt.evalsha(one.shared._sha, 1, "inview:0:turns", "part", "p0", 2, -1, 12_000)  # pyright: ignore[reportPrivateUsage]

        await one.calls.want("ada2")
        await eventually(lambda: one.calls.on == ["ada1", "ada2"])
        await other.calls.want("ben1")

        await eventually(lambda: other.calls.ahead_of("ben1") == 0)


async def test_without_redis_each_process_keeps_to_the_limits_by_itself_and_joins_again(redis: RedisServer) -> None:
    async with processes(redis, 2, in_all=1) as (one, other):
        await one.calls.want("ada1")
        await eventually(lambda: one.calls.on == ["ada1"])
        await other.calls.want("ben1", "cyd1")
        await eventually(lambda: other.calls.ahead_of("cyd1") == 1)

        redis.kill()
        await eventually(lambda: other.calls.on == ["ben1"])  # never a door that is locked,
        await one.calls.want("dan1")
        await eventually(lambda: one.calls.ahead_of("dan1") == 0 and other.calls.ahead_of("cyd1") == 0)
        assert not one.shared.reached  # and none that is open
        await one.calls.end("ada1")
        await eventually(lambda: one.calls.on == ["ada1", "dan1"])

        redis.start()
        await eventually(lambda: one.shared.reached and other.shared.reached)
        await other.calls.end("ben1")
        await asyncio.sleep(0.3)
        assert other.calls.on == ["ben1"], "dan1 of the first process has the one turn there is"
        await one.calls.end("dan1")
        await eventually(lambda: other.calls.on == ["ben1", "cyd1"])


async def test_a_refusal_is_remembered_over_a_restart_of_redis(redis: RedisServer) -> None:
    async with processes(redis, 2) as (one, other):
        await one.calls.want("ada1")
        await eventually(lambda: one.calls.on == ["ada1"])
        one.calls.held["ada1"].note_refusal(60)
        await eventually(lambda: bool(other.shared.turns.list_rests()))

        redis.kill()
        await one.calls.want("ada2")
        await other.calls.want("ben1")
        await eventually(lambda: not one.shared.reached and not other.shared.reached)
        redis.start()
        await eventually(lambda: one.shared.reached and other.shared.reached)
        await asyncio.sleep(0.2)

        assert (one.calls.on, other.calls.on) == (["ada1"], [])
