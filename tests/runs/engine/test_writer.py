from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import plain_text
from app.domain.errors import ErrorClass
from app.domain.run.events import Interrupted
from app.domain.run.transitions import apply_event
from app.runs.engine import writer
from app.runs.process.event_bus import PairsChanged
from app.runs.send.commands import LOCAL_OWNER, cancel_run
from app.runs.watch.broadcast import follow, load_state, watch
from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench
from app.store.database import kind
from app.store.run.runs import finish_run, load_run
from tests.databases import held, seeing_writes, without_room
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
    wait_for_text,
)


def messages(logs: object) -> list[str]:
    assert isinstance(logs, list)
    return [entry["event"] for entry in logs if entry["log_level"] != "debug"]  # pyright: ignore[reportUnknownVariableType]


@pytest.mark.parametrize(
    "room", [writer.WHOLE_CHARACTERS, 0], ids=["stored whole now and then", "in the journal alone"]
)
async def test_text_is_stored_a_moment_after_it_came(
    wb: Workbench, data: Path, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looks at what is stored all along, as if the process died at that moment. A save is due every 0.15 s."""
    monkeypatch.setattr(writer, "WHOLE_CHARACTERS", room)
    started = await send(wb, await a_conversation(wb), "/long 5000 /rate 300")
    shown: list[tuple[float, int]] = []
    first_stored_at = 0.0
    worst = 0.0
    until = time.monotonic() + 3.5
    while time.monotonic() < until:
        await asyncio.sleep(0.02)
        state = await load_state(wb, LOCAL_OWNER, started.run_id)
        received = len(plain_text(state.parts))
        shown.append((time.monotonic(), received))
        stored = len(stored_text(data, started.pair_id))
        first_stored_at = first_stored_at or (time.monotonic() if stored else 0.0)
        lost_since = next(at for at, length in shown if length >= stored)
        worst = max(worst, time.monotonic() - lost_since)
    await cancel_run(wb, LOCAL_OWNER, started.run_id)

    first_shown_at = next(at for at, length in shown if length)
    assert worst <= 0.8  # 0.15 s and a save, on a machine that has other things to do
    assert first_stored_at - first_shown_at < 0.4


async def test_an_idle_process_does_not_touch_the_database(wb: Workbench, data: Path) -> None:
    with seeing_writes(data) as was_written:

        async def written_within(seconds: float) -> bool:
            was_written()
            await asyncio.sleep(seconds)
            return was_written()

        conversation_id = await a_conversation(wb)
        assert not await written_within(1.2)
        started = await send(wb, conversation_id, "/wait 20")
        assert await written_within(1.2)
        await cancel_run(wb, LOCAL_OWNER, started.run_id)
        async with asyncio.timeout(20):
            while await written_within(0.2):  # the end is being stored
                pass
        assert not await written_within(1.2)


async def test_nothing_is_stored_while_a_provider_is_being_called(
    wb: Workbench, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "SAVE_SECONDS", 60)
    conversation_id = await a_conversation(wb)

    started = await send(wb, conversation_id, "/wait 20")
    with seeing_writes(data) as was_written:
        await asyncio.sleep(0.5)

        assert not was_written()
    await cancel_run(wb, LOCAL_OWNER, started.run_id)


async def test_a_reply_goes_on_while_the_database_cannot_be_written_and_is_stored_after(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kind, "BUSY_SECONDS", 0.1)
    async with open_workbench(settings_of(data)) as wb:
        started = await send(wb, await a_conversation(wb), "/long 200 /rate 200")
        await wait_for_text(wb, started)
        with capture_logs() as logs:
            async with held(data):
                stored = stored_text(data, started.pair_id)
                await wait_for_text(wb, started, 500)
                assert stored_text(data, started.pair_id) == stored
            events = await collect(wb, started.run_id)

        assert "replies could not be saved; they go on in memory" in messages(logs)
        assert "lock" in str(logs[0]["fault"])
        pair = await pair_of(wb, started.pair_id)
        assert pair.lifecycle is Lifecycle.SUCCEEDED
        assert stored_text(data, started.pair_id) == text_of(events)


async def test_an_end_is_not_told_before_it_is_stored(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kind, "BUSY_SECONDS", 0.05)
    async with open_workbench(settings_of(data)) as wb:
        started = await send(wb, await a_conversation(wb), "/wait 1 /long 20 /rate 0")
        following = asyncio.create_task(collect(wb, started.run_id))
        with capture_logs() as logs:
            async with held(data):
                await wait_for_text(wb, started, 20)
                await asyncio.sleep(0.5)
                assert not following.done()
            events = await following

        assert "the end of a reply could not be stored; trying again" in messages(logs)
        assert events[-1].kind == "done"
        assert (await pair_of(wb, started.pair_id)).lifecycle is Lifecycle.SUCCEEDED


async def test_watchers_are_told_when_an_end_cannot_be_stored_for_long(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kind, "BUSY_SECONDS", 0.05)
    monkeypatch.setattr(writer, "PATIENCE_SECONDS", 0.3)
    async with open_workbench(settings_of(data)) as wb:
        conversation_id = await a_conversation(wb)
        started = await send(wb, conversation_id, "/wait 1 /long 20 /rate 0")
        with capture_logs() as logs:
            async with held(data):
                events = await collect(wb, started.run_id)
            assert (events[-1].kind, events[-1].data["class"]) == ("error", ErrorClass.UNKNOWN)
            assert "could not be stored: The database" in events[-1].data["message"]
            feed = watch(wb, LOCAL_OWNER, conversation_id)
            async with asyncio.timeout(10):
                assert await anext(feed) == PairsChanged((started.pair_id,))
            assert (await pair_of(wb, started.pair_id)).lifecycle is Lifecycle.SUCCEEDED

        assert "the end of a reply is still not stored" in messages(logs)
        assert stored_text(data, started.pair_id) == text_of(events)


async def test_fault_of_ours_in_storing_an_end_does_not_leave_the_reply_without_one(
    wb: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, failures = writer.finish_run, [ValueError("a fault of ours")]

    async def fail_once(*arguments: Any, **named: Any) -> bool:
        if failures:
            raise failures.pop()
        return await real(*arguments, **named)

    monkeypatch.setattr(writer, "finish_run", fail_once)
    async with asyncio.timeout(30):
        ended = await reply_to(wb, await a_conversation(wb), "/rate 0\n/echo Done.")

    assert (ended.pair.lifecycle, ended.text, failures) == (Lifecycle.SUCCEEDED, "Done.", [])


async def test_a_full_disk_is_said_and_does_not_end_the_reply(wb: Workbench, data: Path) -> None:
    started = await send(wb, await a_conversation(wb), "/long 12000 /rate 6000")
    await wait_for_text(wb, started)

    async with without_room(data, wb.store.engine):
        with capture_logs() as logs:
            await asyncio.sleep(1.5)
        assert started.run_id in wb.engine.runs
    events = await collect(wb, started.run_id)

    faults = str([entry.get("fault") for entry in logs])
    assert "database or disk is full" in faults or "No space left" in faults
    assert events[-1].kind == "done"
    assert stored_text(data, started.pair_id) == text_of(events)


async def test_whoever_was_ended_by_another_process_learns_it(wb: Workbench) -> None:
    conversation_id = await a_conversation(wb)
    started = await send(wb, conversation_id, "/long 100 /rate 100")
    await wait_for_text(wb, started)
    run = wb.engine.runs[started.run_id]
    await wb.engine.writer.save()
    async with wb.store.write() as session:
        stored = await load_run(session, LOCAL_OWNER, started.run_id)
        assert await finish_run(session, run.place, apply_event(stored.state, Interrupted())[0], stored.heartbeat_at)

    with capture_logs() as logs:
        events = await collect(wb, started.run_id)

    assert (events[-1].kind, events[-1].data["class"]) == ("error", "interrupted")
    assert messages(logs) == ["a run had been ended by another process"]
    assert len(await calls_of(wb, conversation_id)) == 1


# --- the end of the process ---


async def test_closing_ends_and_stores_all_running_replies_within_two_seconds(data: Path) -> None:
    async with open_workbench(settings_of(data)) as wb:
        conversations = [await a_conversation(wb) for _ in range(20)]
        started = [await send(wb, one, "/long 5000 /rate 100") for one in conversations]
        waiting = await send(wb, await a_conversation(wb), "/fail rate retry-after 30")
        silent = await send(wb, await a_conversation(wb), "/wait 25")
        for one in started:
            await wait_for_text(wb, one, 50)
        followers = [asyncio.create_task(collect(wb, one.run_id)) for one in (*started, waiting, silent)]
        await asyncio.sleep(0)
        received = [wb.engine.runs[one.run_id].shown.parts for one in started]
        closing_at = time.monotonic()

    assert time.monotonic() - closing_at < 2
    for events in await asyncio.gather(*followers):
        assert (events[-1].kind, events[-1].data["class"]) == ("error", "interrupted")
    async with open_workbench(settings_of(data)) as wb:
        for one, parts in zip(started, received, strict=True):
            pair = await pair_of(wb, one.pair_id)
            assert pair.lifecycle is Lifecycle.ERROR
            assert pair.failure is not None
            assert pair.failure.error_class is ErrorClass.INTERRUPTED
            assert pair.reply is not None
            assert str(pair.reply.parts)[:-3].startswith(str(parts)[:-4])
        for one in (waiting, silent):
            assert (await pair_of(wb, one.pair_id)).lifecycle is Lifecycle.ERROR
        outcomes = [[call.error_class for call in await calls_of(wb, one)] for one in conversations]
        assert outcomes == [[ErrorClass.INTERRUPTED]] * 20


async def test_closing_does_not_wait_for_a_database_that_cannot_be_written(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kind, "BUSY_SECONDS", 0.1)
    with capture_logs() as logs:
        async with open_workbench(settings_of(data)) as wb:
            conversation_id = await a_conversation(wb)
            started = await send(wb, conversation_id, "/slow")
            await wait_for_text(wb, started)
            holding = held(data)
            await holding.__aenter__()
            closing_at = time.monotonic()
        took = time.monotonic() - closing_at
        await holding.__aexit__(None, None, None)

    assert took < 2
    assert "the end of a reply was not stored; the next start will end it" in messages(logs)
    async with open_workbench(settings_of(data)) as wb:
        (pair,) = await pairs_of(wb, conversation_id)
        assert pair.lifecycle is Lifecycle.ERROR


async def test_following_a_run_to_the_end_of_the_process_ends(data: Path) -> None:
    async with open_workbench(settings_of(data)) as wb:
        started = await send(wb, await a_conversation(wb), "/slow")
        following = follow(wb, LOCAL_OWNER, started.run_id)
        await anext(following)

    rest = [event.kind async for events in following for event in events]
    assert rest[-1] == "error"
