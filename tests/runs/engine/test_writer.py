from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from app.domain.conversation.lifecycle import RUNNING, Lifecycle
from app.domain.conversation.page_bytes import measure_parts
from app.domain.errors import ErrorClass
from app.domain.run.run import Failed, RunState, apply_event
from app.domain.run.run_events import Interrupted
from app.runs.app_context import AppContext
from app.runs.engine import engine, writer
from app.runs.engine.writer import BEAT_SECONDS, MAX_DELAY, PATIENCE_SECONDS, PAUSE_SECONDS, SAVE_SECONDS
from app.runs.runtime.event_bus import PairsChanged
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import StartedRun
from app.runs.send.stopping import cancel_run
from app.runs.watch.broadcast import follow
from app.runs.wiring import COMMAND_SECONDS, open_app_context
from app.store.database import database
from app.store.database.database import POOL_SIZE
from app.store.ledger.ledger import insert_calls
from app.store.run.ends import finish_run
from app.store.run.runs import RunPlace
from app.store.run.stored_runs import load_run
from tests.runs.by_hand import ByHand
from tests.runs.clock import MovedClock, take_turns
from tests.runs.steps import (
    a_conversation,
    calls_of,
    collect,
    pair_of,
    pairs_of,
    reply_to,
    send,
    settings_of,
    stored_text,
    text_of,
    until_quiet,
    wait_for_text,
)

LOOP_AND_END = 2
"""Number of tasks that wait by the clock while an end cannot be stored: the task that saves regularly, and the end's.
"""


@asynccontextmanager
async def held(path: Path) -> AsyncGenerator[None]:
    """Let another connection lock the database, so that Inview cannot write."""
    holder = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    await asyncio.to_thread(holder.execute, "BEGIN IMMEDIATE")  # a running write needs the loop to finish
    try:
        yield
    finally:
        holder.close()


@contextmanager
def watched(data: Path) -> Generator[Callable[[], bool]]:
    """Return a function that says if another connection has written to the database since the last call."""
    observer = sqlite3.connect(data / "inview.db", isolation_level=None)

    def read_version() -> int:
        (version,) = observer.execute("PRAGMA data_version").fetchone()
        return version

    seen = read_version()

    def touched() -> bool:
        nonlocal seen
        before, seen = seen, read_version()
        return seen != before

    try:
        yield touched
    finally:
        observer.close()


def messages(logs: object) -> list[str]:
    assert isinstance(logs, list)
    return [entry["event"] for entry in logs if entry["log_level"] != "debug"]  # pyright: ignore[reportUnknownVariableType]


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the wait for a locked database."""
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.02)


@pytest.mark.parametrize(
    "room", [writer.WHOLE_CHARACTERS, 0], ids=["stored whole now and then", "in the journal alone"]
)
async def test_text_is_in_the_file_a_moment_after_it_came(
    moved: AppContext, data: Path, hand: ByHand, clock: MovedClock, *, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read the file continuously, as if the process died at that moment. A save is due every 0.15 s."""
    monkeypatch.setattr(writer, "WHOLE_CHARACTERS", room)
    started = await send(moved, await a_conversation(moved), "Hi")
    said = ""
    for number in range(20):
        await clock.move(number * 0.04 % 0.15)  # text arrives at any moment between two saves
        said_before, said = said, f"{said}{number} words "
        hand.say(f"{number} words ")
        await wait_for_text(moved, started, len(said))
        await clock.move(0.15 if said_before else 0.05)
        assert stored_text(data / "inview.db", started.pair_id) == said


async def test_an_idle_process_does_not_touch_the_database(
    moved: AppContext, data: Path, hand: ByHand, clock: MovedClock
) -> None:
    conversation_id = await a_conversation(moved)
    with watched(data) as touched:
        await clock.move(60)
        assert not touched()
        started = await send(moved, conversation_id, "Hi")
        await hand.asked.wait()
        for _ in range(3):
            touched()
            await clock.move(BEAT_SECONDS + SAVE_SECONDS + PAUSE_SECONDS)
            assert touched()
        await cancel_run(moved, LOCAL_OWNER, started.run_id)
        await until_quiet(moved)
        touched()
        await clock.move(60)
        assert not touched()


async def test_nothing_is_stored_while_a_provider_is_being_called(
    moved: AppContext, data: Path, hand: ByHand, clock: MovedClock
) -> None:
    conversation_id = await a_conversation(moved)
    await send(moved, conversation_id, "Hi")
    with watched(data) as touched:
        await hand.asked.wait()
        await clock.move(PAUSE_SECONDS)  # a save that was brought forward would run after this
        assert not touched()
        await clock.move(SAVE_SECONDS)
        assert touched()


@pytest.mark.usefixtures("brief")
async def test_a_reply_continues_while_the_database_cannot_be_written_and_is_stored_after(
    moved: AppContext, data: Path, hand: ByHand, clock: MovedClock
) -> None:
    started = await send(moved, await a_conversation(moved), "Hi")
    hand.say("Before. ")
    await wait_for_text(moved, started)
    await clock.move(SAVE_SECONDS + PAUSE_SECONDS)
    with capture_logs() as logs:
        async with held(data / "inview.db"):
            hand.say("Meanwhile.")
            await wait_for_text(moved, started, len("Before. Meanwhile."))
            await clock.move(SAVE_SECONDS + PAUSE_SECONDS)
            assert stored_text(data / "inview.db", started.pair_id) == "Before. "
    await clock.move(SAVE_SECONDS + PAUSE_SECONDS)
    assert stored_text(data / "inview.db", started.pair_id) == "Before. Meanwhile."
    hand.end()
    await collect(moved, started.run_id)

    assert messages(logs) == ["replies could not be saved; they continue in memory"]
    assert "database is locked" in str(logs[0]["fault"])
    assert (await pair_of(moved, started.pair_id)).lifecycle is Lifecycle.SUCCEEDED
    assert stored_text(data / "inview.db", started.pair_id) == "Before. Meanwhile."


@pytest.mark.usefixtures("brief")
async def test_an_end_is_not_published_before_it_is_stored(
    moved: AppContext, data: Path, hand: ByHand, clock: MovedClock
) -> None:
    started = await send(moved, await a_conversation(moved), "Hi")
    run = moved.engine.runs[started.run_id]
    following = asyncio.create_task(collect(moved, started.run_id))
    with capture_logs() as logs:
        async with held(data / "inview.db"):
            hand.say("Done.")
            hand.end()
            await clock.until_wait(LOOP_AND_END)
            await clock.move(5)
            assert run.state.outcome is not None
            assert run.shown.outcome is None
            assert not following.done()
        await clock.move(MAX_DELAY)
        events = await following

    assert messages(logs) == ["the end of a reply could not be stored; trying again"] * 6
    assert events[-1].kind == "done"
    assert (await pair_of(moved, started.pair_id)).lifecycle is Lifecycle.SUCCEEDED


@pytest.mark.usefixtures("brief")
async def test_subscribers_are_notified_when_an_end_cannot_be_stored_for_long(
    moved: AppContext, data: Path, hand: ByHand, clock: MovedClock
) -> None:
    conversation_id = await a_conversation(moved)
    started = await send(moved, conversation_id, "Hi")
    run = moved.engine.runs[started.run_id]
    with capture_logs() as logs:
        async with held(data / "inview.db"):
            hand.say("Done.")
            hand.end()
            await clock.until_wait(LOOP_AND_END)
            await clock.move(PATIENCE_SECONDS)
            assert run.shown.outcome is None
            await clock.move(MAX_DELAY)
            assert run.shown.outcome is not None
            events = await collect(moved, started.run_id)
        assert (events[-1].kind, events[-1].data["class"]) == ("error", ErrorClass.UNKNOWN)
        assert "could not be stored: The database" in events[-1].data["message"]
        feed = moved.event_bus.subscribe(LOCAL_OWNER, conversation_id)
        await clock.move(MAX_DELAY)
        async with asyncio.timeout(30):
            assert await anext(feed) == PairsChanged((started.pair_id,))
        assert (await pair_of(moved, started.pair_id)).lifecycle is Lifecycle.SUCCEEDED

    assert messages(logs).count("the end of a reply is still not stored") == 1
    assert stored_text(data / "inview.db", started.pair_id) == text_of(events) == "Done."


async def test_fault_of_ours_in_storing_an_end_does_not_leave_the_reply_without_one(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, failures = writer.finish_runs, [ValueError("a fault of ours")]

    async def fail_once(*arguments: Any) -> frozenset[str]:
        if failures:
            raise failures.pop()
        return await real(*arguments)

    monkeypatch.setattr(writer, "finish_runs", fail_once)
    async with asyncio.timeout(30):
        ended = await reply_to(ctx, await a_conversation(ctx), "/rate 0\n/echo Done.")

    assert (ended.pair.lifecycle, ended.text, failures) == (Lifecycle.SUCCEEDED, "Done.", [])


async def test_a_full_disk_is_reported_and_does_not_end_the_reply(
    moved: AppContext, data: Path, hand: ByHand, clock: MovedClock
) -> None:
    """SQLite's own limit of pages represents a full disk."""

    async def limit_pages(limit: int) -> None:
        # Each connection has its own limit: set it on all connections of the pool.
        async with AsyncExitStack() as stack:
            for _ in range(POOL_SIZE):
                connection = await stack.enter_async_context(moved.store.engine.connect())
                await connection.execute(text(f"PRAGMA max_page_count = {limit}"))

    started = await send(moved, await a_conversation(moved), "Hi")
    hand.say("First. ")
    await wait_for_text(moved, started)
    await clock.move(SAVE_SECONDS + PAUSE_SECONDS)

    await limit_pages(1)  # SQLite uses the present size if that is larger
    with capture_logs() as logs:
        hand.say("much more " * 20_000)
        await wait_for_text(moved, started, 200_000)
        await clock.move(SAVE_SECONDS + PAUSE_SECONDS)
    assert started.run_id in moved.engine.runs
    await limit_pages(1_000_000)
    hand.end()
    events = await collect(moved, started.run_id)

    assert "database or disk is full" in str([entry.get("fault") for entry in logs])
    assert events[-1].kind == "done"
    assert stored_text(data / "inview.db", started.pair_id) == text_of(events)


async def test_a_process_learns_that_another_ended_its_run(ctx: AppContext, hand: ByHand) -> None:
    conversation_id = await a_conversation(ctx)
    started = await send(ctx, conversation_id, "Hi")
    hand.say("Hello")
    await wait_for_text(ctx, started)
    run = ctx.engine.runs[started.run_id]
    await ctx.engine.writer.save()
    async with ctx.store.write() as session:
        stored = await load_run(session, LOCAL_OWNER, started.run_id)
        assert await finish_run(session, run.place, apply_event(stored.state, Interrupted())[0], stored.heartbeat_at)

    with capture_logs() as logs:
        hand.end()
        events = await collect(ctx, started.run_id)

    assert (events[-1].kind, events[-1].data["class"]) == ("error", "interrupted")
    assert messages(logs) == ["another process or attempt has stored the end"]
    assert len(await calls_of(ctx, conversation_id)) == 1


# --- ends that wait together ---


@pytest.fixture
def transactions(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Record the number of ends in each transaction."""
    real, seen = writer.finish_runs, list[int]()

    async def note(session: Any, ends: Sequence[Any], at: datetime) -> frozenset[str]:
        seen.append(len(ends))
        return await real(session, ends, at)

    monkeypatch.setattr(writer, "finish_runs", note)
    return seen


async def start_replies(ctx: AppContext, hand: ByHand, conversations: Sequence[str]) -> list[StartedRun]:
    """Start a reply in each conversation, and wait for its text."""
    started = [await send(ctx, one, "Hi") for one in conversations]
    hand.say("Done.")
    for one in started:
        await wait_for_text(ctx, one)
    return started


async def end_all(ctx: AppContext, hand: ByHand) -> None:
    """End all replies, and return when their ends wait for the database. The caller holds the database."""
    hand.end()
    async with asyncio.timeout(30):
        await asyncio.wait([run.work for run in ctx.engine.runs.values() if run.work is not None])
    await take_turns()


async def several(ctx: AppContext, count: int) -> list[str]:
    return [await a_conversation(ctx) for _ in range(count)]


async def test_ends_that_wait_at_the_same_time_are_stored_in_one_transaction(
    moved: AppContext, data: Path, hand: ByHand, transactions: list[int]
) -> None:
    conversations = await several(moved, 10)
    started = await start_replies(moved, hand, conversations)
    async with moved.store.write():
        await end_all(moved, hand)
    async with asyncio.timeout(30):
        logs = [await collect(moved, one.run_id) for one in started]

    assert transactions == [1, 9]  # when the first began to wait, it was the only one
    for conversation_id, one, events in zip(conversations, started, logs, strict=True):
        assert events[-1].kind == "done"
        assert (await pair_of(moved, one.pair_id)).lifecycle is Lifecycle.SUCCEEDED
        assert stored_text(data / "inview.db", one.pair_id) == text_of(events) == "Done."
        assert [call.run_id for call in await calls_of(moved, conversation_id)] == [one.run_id]


async def test_an_end_that_the_database_refuses_delays_no_other_and_is_reported_by_its_own_run(
    moved: AppContext, data: Path, hand: ByHand, clock: MovedClock
) -> None:
    started = await start_replies(moved, hand, await several(moved, 4))
    bad = moved.engine.runs[started[2].run_id]
    with capture_logs() as logs:
        async with moved.store.write() as session:
            await end_all(moved, hand)
            # the ledger refuses a second call with this id
            await insert_calls(session, [replace(call, run_id="another") for call in bad.calls])
        async with asyncio.timeout(30):  # the clock does not move: they need no second attempt
            for one in started:
                if one.run_id != bad.run_id:
                    assert (await collect(moved, one.run_id))[-1].kind == "done"
                    assert (await pair_of(moved, one.pair_id)).lifecycle is Lifecycle.SUCCEEDED
        await clock.until_wait(LOOP_AND_END)
        assert bad.shown.outcome is None
        await clock.move(PATIENCE_SECONDS + MAX_DELAY)
        assert isinstance(bad.shown.outcome, Failed)
        assert "could not be stored: (sqlite3.IntegrityError)" in bad.shown.outcome.reason.message
    bad.calls.clear()
    await clock.move(MAX_DELAY)
    await until_quiet(moved)

    assert messages(logs).count("the ends of replies could not be stored together; each is stored alone") == 1
    assert {log.get("run_id") for log in logs if "could not be stored; trying again" in log["event"]} == {bad.run_id}
    assert (await pair_of(moved, started[2].pair_id)).lifecycle is Lifecycle.SUCCEEDED
    assert stored_text(data / "inview.db", started[2].pair_id) == "Done."


async def test_a_run_that_another_process_ended_is_told_apart_from_those_that_wait_with_it(
    moved: AppContext, hand: ByHand, transactions: list[int]
) -> None:
    conversations = await several(moved, 4)
    started = await start_replies(moved, hand, conversations)
    run = moved.engine.runs[started[2].run_id]
    async with moved.store.write() as session:
        await end_all(moved, hand)
        stored = await load_run(session, LOCAL_OWNER, run.run_id)
        assert await finish_run(session, run.place, apply_event(stored.state, Interrupted())[0], stored.heartbeat_at)
    async with asyncio.timeout(30):
        logs = [await collect(moved, one.run_id) for one in started]

    assert transactions == [1, 3]
    assert [events[-1].kind for events in logs] == ["done", "done", "error", "done"]
    assert [len(await calls_of(moved, one)) for one in conversations] == [1] * 4


async def test_one_transaction_stores_a_limited_amount_of_replies(
    moved: AppContext, hand: ByHand, transactions: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    started = await start_replies(moved, hand, await several(moved, 6))
    size = measure_parts(moved.engine.runs[started[0].run_id].state.parts)
    monkeypatch.setattr(writer, "WHOLE_CHARACTERS", size + 1)  # the second reply may exceed it
    async with moved.store.write():
        await end_all(moved, hand)
    await until_quiet(moved)

    assert transactions == [1, 2, 2, 1]
    assert not moved.engine.runs


async def test_ends_are_stored_although_the_task_that_stores_them_is_cancelled(
    moved: AppContext, hand: ByHand, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, storing, tried = writer.finish_runs, asyncio.Event(), list[list[str]]()

    async def hang(session: Any, ends: Sequence[tuple[RunPlace, RunState]], at: datetime) -> frozenset[str]:
        claimed = await real(session, ends, at)
        tried.append([state.start.run_id for _, state in ends])
        if len(ends) == 3:
            storing.set()
            await asyncio.Event().wait()
        return claimed

    monkeypatch.setattr(writer, "finish_runs", hang)
    started = await start_replies(moved, hand, await several(moved, 4))
    async with moved.store.write():
        await end_all(moved, hand)
    async with asyncio.timeout(30):
        await storing.wait()
    cancelled = moved.engine.runs[tried[-1][0]]
    assert cancelled.finishing is not None
    cancelled.finishing.cancel()
    async with asyncio.timeout(30):
        await asyncio.wait([cancelled.finishing])
        for one in started:
            if one.run_id != cancelled.run_id:
                assert (await collect(moved, one.run_id))[-1].kind == "done"

    assert list(map(len, tried)) == [1, 3, 2]
    kinds = [(await pair_of(moved, one.pair_id)).lifecycle for one in started]
    assert kinds.count(Lifecycle.SUCCEEDED) == 3
    assert len(RUNNING.intersection(kinds)) == 1


# --- the end of the process ---


async def test_closing_ends_and_stores_all_running_replies(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "INTERRUPT_SECONDS", 60)
    async with open_app_context(settings_of(data)) as ctx:
        conversations = [await a_conversation(ctx) for _ in range(20)]
        started = [await send(ctx, one, "/long 5000 /rate 100") for one in conversations]
        waiting = await send(ctx, await a_conversation(ctx), "/fail rate retry-after 30")
        silent = await send(ctx, await a_conversation(ctx), "/wait 25")
        for one in started:
            await wait_for_text(ctx, one, 50)
        followers = [asyncio.create_task(collect(ctx, one.run_id)) for one in (*started, waiting, silent)]
        await asyncio.sleep(0)
        received = [ctx.engine.runs[one.run_id].shown.parts for one in started]

    for events in await asyncio.gather(*followers):
        assert (events[-1].kind, events[-1].data["class"]) == ("error", "interrupted")
    async with open_app_context(settings_of(data)) as ctx:
        for one, parts in zip(started, received, strict=True):
            pair = await pair_of(ctx, one.pair_id)
            assert pair.lifecycle is Lifecycle.ERROR
            assert pair.failure is not None
            assert pair.failure.error_class is ErrorClass.INTERRUPTED
            assert pair.reply is not None
            assert str(pair.reply.parts)[:-3].startswith(str(parts)[:-4])
        for one in (waiting, silent):
            assert (await pair_of(ctx, one.pair_id)).lifecycle is Lifecycle.ERROR
        outcomes = [[call.error_class for call in await calls_of(ctx, one)] for one in conversations]
        assert outcomes == [[ErrorClass.INTERRUPTED]] * 20


async def test_closing_does_not_wait_for_a_database_that_cannot_be_written(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert COMMAND_SECONDS + engine.INTERRUPT_SECONDS < 2  # the maximum total wait
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.02)
    monkeypatch.setattr(engine, "INTERRUPT_SECONDS", 0.1)
    with capture_logs() as logs:
        async with AsyncExitStack() as holding, open_app_context(settings_of(data)) as ctx:
            conversation_id = await a_conversation(ctx)
            started = await send(ctx, conversation_id, "/slow")
            await wait_for_text(ctx, started)
            await holding.enter_async_context(held(data / "inview.db"))  # held until the app context is closed

    assert "the end of a reply was not stored; the next start of Inview will end the reply" in messages(logs)
    async with open_app_context(settings_of(data)) as ctx:
        (pair,) = await pairs_of(ctx, conversation_id)
        assert pair.lifecycle is Lifecycle.ERROR


async def test_following_a_run_to_the_end_of_the_process_ends(data: Path) -> None:
    async with open_app_context(settings_of(data)) as ctx:
        started = await send(ctx, await a_conversation(ctx), "/slow")
        following = follow(ctx, LOCAL_OWNER, started.run_id)
        await anext(following)

    rest = [event.kind async for events in following for event in events]
    assert rest[-1] == "error"
