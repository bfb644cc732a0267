from __future__ import annotations

import sqlite3
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from app.domain.conversation.conversation import ConversationStatus
from app.domain.conversation.lifecycle import RUNNING, Lifecycle
from app.domain.errors import ErrorClass, NotFoundError
from app.domain.run.queue import HoldReason
from app.runs.app_context import AppContext
from app.runs.child_calls.summaries import summarise
from app.runs.compare.comparisons import ComparedModels, start_comparison
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation
from app.runs.recovery.reaper import HEARTBEAT_SECONDS, Reaper
from app.runs.runtime.event_bus import ComparisonChanged
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import preview_send
from app.runs.send.queue import queue_text, read_queue
from app.runs.send.send_request import SendRequest
from app.runs.watch.broadcast import follow
from app.runs.wiring import open_app_context
from app.store.conversation.conversations import load_conversation
from app.store.conversation.pairs import insert_pair
from app.store.run.snapshots import load_snapshot
from tests.runs.steps import (
    a_conversation,
    calls_of,
    collect,
    pair_of,
    pairs_of,
    reply_to,
    send,
    settings_of,
    text_of,
    wait_for_text,
)
from tests.store.values import a_pair_of


def copy_as_it_is(data: Path, to: Path) -> Path:
    """Copy a data folder as a process that dies now would leave it."""
    to.mkdir()
    source, target = sqlite3.connect(data / "inview.db"), sqlite3.connect(to / "inview.db")
    source.backup(target)
    source.close()
    target.close()
    return to


@dataclass
class Clock:
    """A steady clock that is moved by hand."""

    at: float = 0.0

    def __call__(self) -> float:
        return self.at


def reaper_of(ctx: AppContext, clock: Clock | None = None) -> Reaper:
    return Reaper(ctx.store, ctx.catalogue, ctx.engine.writer, ctx.event_bus, clock or Clock())


async def test_a_start_leaves_the_runs_of_others_alone_though_the_first_process_has_ended(data: Path) -> None:
    async with AsyncExitStack() as first:
        await first.enter_async_context(open_app_context(settings_of(data)))
        async with open_app_context(settings_of(data)) as driver:
            await first.aclose()
            started = await send(driver, await a_conversation(driver), "/long 900 /rate 100")
            await wait_for_text(driver, started)

            async with open_app_context(settings_of(data)):
                assert (await pair_of(driver, started.pair_id)).lifecycle in RUNNING


async def test_a_start_ends_what_a_dead_process_left_running_and_keeps_its_text(data: Path, tmp_path: Path) -> None:
    async with open_app_context(settings_of(data)) as dying:
        conversation_id = await a_conversation(dying, system_prompt="Be brief.")
        whole = await reply_to(dying, conversation_id, "/echo before")
        preview = await preview_send(dying, LOCAL_OWNER, conversation_id, SendRequest("/long 900 /rate 100"))
        started = await send(dying, conversation_id, "/long 900 /rate 100")
        await wait_for_text(dying, started, 40)
        received = text_of(await first_events(dying, started.run_id))
        await dying.engine.writer.save()
        left = copy_as_it_is(data, tmp_path / "left")

    async with open_app_context(settings_of(left)) as ctx:
        first, pair = await pairs_of(ctx, conversation_id)
        assert first == whole.pair
        assert pair.lifecycle is Lifecycle.ERROR
        assert pair.failure is not None
        assert pair.failure.error_class is ErrorClass.INTERRUPTED
        events = await collect(ctx, started.run_id)
        assert text_of(events).startswith(received)
        assert events[-1].data["class"] == "interrupted"
        call = (await calls_of(ctx, conversation_id))[-1]
        assert (call.run_id, call.attempt, call.error_class) == (started.run_id, 1, ErrorClass.INTERRUPTED)
        async with ctx.store.read() as session:
            snapshot = await load_snapshot(session, LOCAL_OWNER, pair.id)
        assert (snapshot.body, snapshot.url) == (preview.wire.body, preview.wire.url)
        assert snapshot.content_hash == started.content_hash

        again = await reply_to(ctx, conversation_id, "/echo after /rate 0")
        assert again.pair.position == 3
        assert again.pair.lifecycle is Lifecycle.SUCCEEDED


async def test_child_calls_of_a_dead_process_keep_their_purpose_and_their_conversation_is_closed(
    data: Path, tmp_path: Path
) -> None:
    async with open_app_context(settings_of(data)) as dying:
        conversation_id = await a_conversation(dying)
        await reply_to(dying, conversation_id, "/long 60 /rate 0")
        handed_over = await a_conversation(dying)
        await send(dying, handed_over, "/long 900 /rate 100", purpose="delegated")
        models = ("offline:demo", "offline:tiny")
        comparison = await start_comparison(
            dying, LOCAL_OWNER, await a_conversation(dying), SendRequest("/long 900 /rate 100"), ComparedModels(models)
        )
        summary = await summarise(dying, LOCAL_OWNER, conversation_id)  # last: it is short, and ends with the next turn
        left = copy_as_it_is(data, tmp_path / "left")

    async with open_app_context(settings_of(left)) as ctx:
        (pair,) = await pairs_of(ctx, summary.conversation_id)
        assert (pair.lifecycle, pair.failure is not None) == (Lifecycle.ERROR, True)
        (call,) = await calls_of(ctx, summary.conversation_id)
        assert (call.purpose, call.error_class) == ("summary", ErrorClass.INTERRUPTED)
        delegated = await calls_of(ctx, handed_over)
        compared = [call for run in comparison.runs for call in await calls_of(ctx, run.conversation_id)]
        assert [one.purpose for one in (*delegated, *compared)] == ["delegated", "comparison", "comparison"]
        async with ctx.store.read() as session:
            made = [
                await load_conversation(session, LOCAL_OWNER, one) for one in (summary.conversation_id, handed_over)
            ]
        assert [one.status for one in made] == [ConversationStatus.FAILED] * 2


async def test_what_waited_for_the_reply_of_a_dead_process_is_held_and_says_why(data: Path, tmp_path: Path) -> None:
    async with open_app_context(settings_of(data)) as dying:
        conversation_id = await a_conversation(dying)
        await wait_for_text(dying, await send(dying, conversation_id, "/long 900 /rate 100"))
        await queue_text(dying, LOCAL_OWNER, conversation_id, SendRequest("/echo next"))
        left = copy_as_it_is(data, tmp_path / "left")

    for place in (left, data):  # one was killed, the other shut down normally
        async with open_app_context(settings_of(place)) as ctx:
            queue = await read_queue(ctx, LOCAL_OWNER, conversation_id)
        assert [item.text for item in queue.items] == ["/echo next"]
        assert queue.hold is not None
        assert queue.hold.reason is HoldReason.FAILED
        assert "Inview stopped" in queue.hold.message


async def first_events(ctx: AppContext, run_id: str):
    async for events in follow(ctx, LOCAL_OWNER, run_id):
        return events
    return ()


async def test_a_run_that_waited_for_a_retry_made_no_further_call(data: Path, tmp_path: Path) -> None:
    async with open_app_context(settings_of(data)) as dying:
        conversation_id = await a_conversation(dying)
        started = await send(dying, conversation_id, "/fail rate retry-after 30")
        async for events in follow(dying, LOCAL_OWNER, started.run_id):
            if events[-1].kind == "retry":
                break
        await dying.engine.writer.save()
        left = copy_as_it_is(data, tmp_path / "left")

    async with open_app_context(settings_of(left)) as ctx:
        assert (await pair_of(ctx, started.pair_id)).lifecycle is Lifecycle.ERROR
        assert [event.kind for event in await collect(ctx, started.run_id)] == [
            "run",
            "status",
            "retry",
            "status",
            "error",
        ]
        (call,) = await calls_of(ctx, conversation_id)
        assert (call.attempt, call.error_class) == (1, ErrorClass.RATE)


async def test_a_request_that_cannot_be_rebuilt_exactly_is_not_stored(data: Path, tmp_path: Path) -> None:
    async with open_app_context(settings_of(data)) as dying:
        conversation_id = await a_conversation(dying)
        started = await send(dying, conversation_id, "/slow")
        await change_conversation(
            dying, LOCAL_OWNER, conversation_id, SettingChanges(system_prompt="Changed meanwhile.")
        )
        left = copy_as_it_is(data, tmp_path / "left")

    with capture_logs() as logs:
        async with open_app_context(settings_of(left)) as ctx:
            assert (await pair_of(ctx, started.pair_id)).lifecycle is Lifecycle.ERROR
            async with ctx.store.read() as session:
                with pytest.raises(NotFoundError):
                    await load_snapshot(session, LOCAL_OWNER, started.pair_id)
    assert "the request of a dead run could not be built again: its history changed" in [one["event"] for one in logs]


async def test_a_second_process_leaves_the_runs_of_a_living_one_alone(data: Path) -> None:
    async with open_app_context(settings_of(data)) as driver:
        started = await send(driver, await a_conversation(driver), "/long 100 /rate 200")
        await wait_for_text(driver, started)

        async with open_app_context(settings_of(data)) as other:
            clock = Clock()
            reaper = reaper_of(other, clock)
            assert await reaper.reap() == 0
            await driver.engine.writer.save()
            clock.at += HEARTBEAT_SECONDS
            assert await reaper.reap() == 0

        assert (await collect(driver, started.run_id))[-1].kind == "done"


async def test_runs_whose_heartbeat_stopped_are_ended_while_others_live(data: Path) -> None:
    async with open_app_context(settings_of(data)) as driver, open_app_context(settings_of(data)) as other:
        dead, alive = [await send(driver, await a_conversation(driver), "/slow") for _ in range(2)]
        await driver.engine.writer.save()
        run = driver.engine.runs.pop(dead.run_id)
        async with driver.store.write() as session:  # its process has ended, so the heartbeat is not renewed
            await session.execute(text("UPDATE run SET process_id = 'gone' WHERE id = :id"), {"id": dead.run_id})
        clock = Clock()
        reaper = reaper_of(other, clock)
        assert await reaper.reap() == 0
        clock.at += HEARTBEAT_SECONDS
        await driver.engine.writer.save()

        assert await reaper.reap() == 1

        assert (await pair_of(other, dead.pair_id)).lifecycle is Lifecycle.ERROR
        assert driver.engine.runs[alive.run_id].state.outcome is None
        driver.engine.runs[dead.run_id] = run


async def test_a_page_learns_that_a_compared_reply_of_a_dead_process_has_ended(data: Path) -> None:
    async with open_app_context(settings_of(data)) as driver, open_app_context(settings_of(data)) as other:
        conversation_id = await a_conversation(driver)
        models = ("offline:demo", "offline:tiny")
        comparison = await start_comparison(
            driver, LOCAL_OWNER, conversation_id, SendRequest("/slow"), ComparedModels(models)
        )
        await driver.engine.writer.save()
        dead = [driver.engine.runs.pop(run.run_id) for run in comparison.runs]
        async with driver.store.write() as session:
            await session.execute(text("UPDATE run SET process_id = 'gone'"))
        feed = other.event_bus.subscribe(LOCAL_OWNER, conversation_id)
        clock = Clock()
        reaper = reaper_of(other, clock)
        await reaper.reap()
        clock.at += HEARTBEAT_SECONDS

        assert await reaper.reap() == 2

        assert [await anext(feed) for _ in comparison.runs] == [ComparisonChanged()] * 2
        for run, one in zip(comparison.runs, dead, strict=True):
            driver.engine.runs[run.run_id] = one


async def test_what_this_process_drives_is_never_reaped_however_late_its_heartbeat(ctx: AppContext) -> None:
    started = await send(ctx, await a_conversation(ctx), "/slow")
    async with ctx.store.write() as session:
        await session.execute(text("UPDATE run SET heartbeat_at = '2000-01-01 00:00:00.000000'"))

    clock = Clock()
    reaper = reaper_of(ctx, clock)
    await reaper.reap()
    clock.at += HEARTBEAT_SECONDS

    assert await reaper.reap() == 0

    assert ctx.engine.runs[started.run_id].state.outcome is None


async def test_a_pair_that_was_stored_without_a_run_is_ended_too(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)
    lost = replace(a_pair_of(conversation_id, 1, "Hello?", None), lifecycle=Lifecycle.SENDING)
    async with ctx.store.write() as session:
        await insert_pair(session, LOCAL_OWNER, lost, 1)

    clock = Clock()
    reaper = reaper_of(ctx, clock)
    assert await reaper.reap() == 0
    clock.at += HEARTBEAT_SECONDS
    assert await reaper.reap() == 1

    (pair,) = await pairs_of(ctx, conversation_id)
    assert pair.lifecycle is Lifecycle.ERROR
    assert pair.failure is not None
    assert pair.failure.error_class is ErrorClass.INTERRUPTED
    assert await calls_of(ctx, conversation_id) == ()
    clock.at += HEARTBEAT_SECONDS
    assert await reaper.reap() == 0
