"""The record of what each provider call contained.

`test_ledger_invariants.py` tests that it never changes, whatever a person does.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from structlog.testing import capture_logs

from app.domain.conversation.marks import Marks
from app.domain.conversation.parts import plain_text
from app.domain.errors import NotFoundError
from app.domain.request.request import Request
from app.domain.request.sent_pieces import WrittenPiece
from app.runs.app_context import AppContext, context_for
from app.runs.compare.comparisons import ComparedModels, keep_reply, start_comparison
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation, delete_conversation
from app.runs.conversation.mark_commands import mark_pair
from app.runs.engine import engine
from app.runs.resend.kept_requests import resend_as_it_was
from app.runs.resend.resend import Later, ResendOptions, resend_pair
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.send_request import SendRequest
from app.runs.temporary.temporary import create_temporary, keep_conversation
from app.runs.trash.trash import empty_trash
from app.runs.usage.sent_calls import ReadCall, read_sent_call
from app.runs.wiring import open_app_context
from app.store.conversation import conversations
from app.store.run.stored_runs import load_run
from tests.runs.clock import HANG_SECONDS, MovedClock
from tests.runs.exchange import bring_back, export
from tests.runs.recovery.test_reaper import copy_as_it_is
from tests.runs.steps import a_conversation, calls_of, collect, pairs_of, reply_to, send, settings_of, wait_for_text
from tests.waiting import until

MODEL = "offline:demo"
LOOP_AND_RETRY = 2
"""The number of waits for the clock while a call waits for its retry."""


async def read_calls(ctx: AppContext, conversation_id: str) -> list[ReadCall]:
    return [await read_sent_call(ctx, LOCAL_OWNER, call.id) for call in await calls_of(ctx, conversation_id)]


def texts_of(read: ReadCall) -> list[str | None]:
    return [None if message is None else plain_text(message.parts) for message in read.content.messages]


async def count_rows(ctx: AppContext, table: str) -> int:
    async with ctx.store.read() as session:
        return (await session.execute(text(f"SELECT count(*) FROM {table}"))).scalar_one()


async def test_each_call_is_recorded_as_it_was(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model=MODEL, system_prompt="Be brief.")
    first = await reply_to(ctx, conversation, "/echo one")
    await reply_to(ctx, conversation, "/echo two")
    await change_conversation(ctx, LOCAL_OWNER, conversation, SettingChanges(system_prompt="Be long."))
    edited = await resend_pair(ctx, LOCAL_OWNER, first.pair.id, ResendOptions(later=Later.KEEP), text="/echo uno")
    await collect(ctx, edited.started.run_id)

    calls = await read_calls(ctx, conversation)

    assert [texts_of(call) for call in calls] == [["/echo one"], ["/echo one", "one", "/echo two"], ["/echo uno"]]
    assert [call.content.system for call in calls] == ["Be brief.", "Be brief.", "Be long."]
    assert [call.call.usage for call in calls] == [call.spent.usage for call in calls]
    for call in calls:
        async with ctx.store.read() as session:
            run = await load_run(session, LOCAL_OWNER, call.call.run_id)
        assert call.sent.request_hash == run.state.start.request_hash


async def test_message_that_is_sent_many_times_is_stored_once(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model=MODEL, system_prompt="Be brief.")
    for number in range(8):
        await reply_to(ctx, conversation, f"/echo {number}")
    await change_conversation(ctx, LOCAL_OWNER, conversation, SettingChanges(system_prompt="Be long."))
    last = await reply_to(ctx, conversation, "/echo last")

    assert len(texts_of((await read_calls(ctx, conversation))[-1])) == 17
    async with ctx.store.read() as session:
        own = (await session.execute(text("SELECT role, count(*) FROM sent_text GROUP BY role"))).all()
        pieces = (await session.execute(text("SELECT run_id, json_array_length(pieces) FROM sent_call"))).all()
    assert {role: count for role, count in own if role != "tools"} == {"system": 2, "user": 9, "assistant": 8}
    longer = {run_id for run_id, count in pieces if count > 4}
    assert longer == {last.started.run_id}, "only a call that begins with no earlier call has a whole list"


async def test_retried_and_failed_calls_and_calls_after_tools_are_recorded(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model=MODEL)
    await reply_to(ctx, conversation, "/tool clock")
    failed = await reply_to(ctx, conversation, "/fail auth")
    again = await resend_as_it_was(ctx, LOCAL_OWNER, failed.pair.id)
    await collect(ctx, again.started.run_id)

    asked, followed, refused, repeated = await read_calls(ctx, conversation)

    assert [piece.role for piece in asked.messages] == ["user"]
    assert [piece.role for piece in followed.messages] == ["user", "assistant", "tool"]
    assert [piece.has_tool_calls for piece in followed.messages] == [False, True, False]
    assert (asked.call.run_id, asked.call.attempt + 1) == (followed.call.run_id, followed.call.attempt)
    assert texts_of(refused)[-1] == "/fail auth"
    assert (repeated.sent, repeated.content) == (refused.sent, refused.content)


async def test_stored_request_that_was_imported_is_recorded_when_it_is_sent_again(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model=MODEL)
    await reply_to(ctx, conversation, "/echo one")
    await reply_to(ctx, conversation, "/fail auth")
    (copy,) = await bring_back(ctx, await export(ctx, conversation))
    _, failed = await pairs_of(ctx, copy)

    again = await resend_as_it_was(ctx, LOCAL_OWNER, failed.id)
    await collect(ctx, again.started.run_id)

    assert [texts_of(call) for call in await read_calls(ctx, copy)] == [["/echo one", "one", "/fail auth"]]


async def test_retry_is_recorded_although_another_process_deletes_its_conversation(
    moved: AppContext, clock: MovedClock
) -> None:
    ctx, conversation = moved, await a_conversation(moved, model=MODEL)
    started = await send(ctx, conversation, "/fail rate retry-after 50 times 1")
    run = ctx.engine.runs[started.run_id]
    await clock.until_wait(LOOP_AND_RETRY)
    await ctx.engine.writer.save()
    async with ctx.store.write() as session:
        await conversations.delete_conversation_forever(session, LOCAL_OWNER, conversation)

    ctx.engine.hurry(started.run_id)
    async with asyncio.timeout(HANG_SECONDS):
        await until(lambda: run.finishing is not None and run.finishing.done())

    first, second = await read_calls(ctx, conversation)
    assert (first.call.attempt, second.call.attempt) == (1, 2)
    assert first.sent == second.sent


async def test_texts_of_pairs_are_removed_when_they_are_deleted_permanently(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model=MODEL, system_prompt="Be brief.")
    first = await reply_to(ctx, conversation, "/echo one")
    await reply_to(ctx, conversation, "/echo two")
    before = await read_calls(ctx, conversation)

    await mark_pair(ctx, LOCAL_OWNER, first.pair.id, Marks(deleted=True))
    assert await read_calls(ctx, conversation) == before
    await empty_trash(ctx, LOCAL_OWNER)

    after = await read_calls(ctx, conversation)
    assert [texts_of(call) for call in after] == [[None], [None, None, "/echo two"]]
    for one, known in zip(after, before, strict=True):
        assert (one.call, one.spent, one.sent) == (known.call, known.spent, known.sent)

    await reply_to(ctx, conversation, "/echo three")
    await reply_to(ctx, conversation, "/echo one")
    assert texts_of((await read_calls(ctx, conversation))[-1])[-1] == "/echo one"


async def test_text_that_is_sent_again_after_it_was_deleted_is_stored_again(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model=MODEL)
    for _ in range(2):
        ended = await reply_to(ctx, conversation, "/echo one")
        await mark_pair(ctx, LOCAL_OWNER, ended.pair.id, Marks(deleted=True))
        before = await read_calls(ctx, conversation)
        assert texts_of(before[-1]) == ["/echo one"]
        await empty_trash(ctx, LOCAL_OWNER)

    assert [texts_of(call) for call in await read_calls(ctx, conversation)] == [[None], [None]]


async def test_record_stays_without_texts_when_its_conversation_is_deleted_permanently(ctx: AppContext) -> None:
    conversation, other = [await a_conversation(ctx, model=MODEL, system_prompt="Be brief.") for _ in range(2)]
    for one in (conversation, other):
        await reply_to(ctx, one, "/echo one")
    (before,) = await read_calls(ctx, conversation)

    await delete_conversation(ctx, LOCAL_OWNER, conversation)
    await empty_trash(ctx, LOCAL_OWNER)

    (after,) = await read_calls(ctx, conversation)
    assert (texts_of(after), after.content.system) == ([None], None)
    assert (after.call, after.spent, after.sent) == (before.call, before.spent, before.sent)
    (untouched,) = await read_calls(ctx, other)
    assert (texts_of(untouched), untouched.content.system) == (["/echo one"], "Be brief.")


async def test_kept_reply_of_a_comparison_keeps_its_record(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model=MODEL)
    await reply_to(ctx, conversation, "/echo one")
    models = (MODEL, "offline:tiny")
    comparison = await start_comparison(
        ctx, LOCAL_OWNER, conversation, SendRequest("/echo two"), ComparedModels(models)
    )
    for run in comparison.runs:
        await collect(ctx, run.run_id)

    pair_id = (await keep_reply(ctx, LOCAL_OWNER, conversation, MODEL)).pair_id

    calls = [call for run in comparison.runs for call in await read_calls(ctx, run.conversation_id)]
    assert [texts_of(call) for call in calls] == [["/echo one", "one", "/echo two"]] * 2
    await mark_pair(ctx, LOCAL_OWNER, pair_id, Marks(deleted=True))
    await empty_trash(ctx, LOCAL_OWNER)
    calls = [call for run in comparison.runs for call in await read_calls(ctx, run.conversation_id)]
    assert [texts_of(call) for call in calls] == [["/echo one", "one", None]] * 2


async def test_record_of_a_temporary_conversation_is_in_memory_until_it_is_kept(ctx: AppContext) -> None:
    kept, gone = [(await create_temporary(ctx, LOCAL_OWNER, model=MODEL)).id for _ in range(2)]
    bench = await context_for(ctx, kept)
    for conversation in (kept, gone):
        await reply_to(bench, conversation, "/echo one")
        await reply_to(bench, conversation, "/echo two")
    before = await read_calls(ctx, kept)
    assert texts_of(before[-1]) == ["/echo one", "one", "/echo two"]
    assert (await count_rows(ctx, "sent_call"), await count_rows(ctx, "sent_text")) == (0, 0)

    await keep_conversation(bench, LOCAL_OWNER, kept)
    await delete_conversation(bench, LOCAL_OWNER, gone)

    assert await read_calls(ctx, kept) == before
    assert await count_rows(ctx, "sent_call") == 2
    with pytest.raises(NotFoundError):
        await read_calls(ctx, gone)
    assert (await count_rows(bench, "sent_call"), await count_rows(bench, "sent_text")) == (0, 0)


async def test_call_of_a_process_that_died_before_its_first_save_is_recorded_at_the_next_start(
    moved: AppContext, data: Path, tmp_path: Path
) -> None:
    conversation = await a_conversation(moved, model=MODEL)
    await wait_for_text(moved, await send(moved, conversation, "/rate 25 /long 400"))

    folder = copy_as_it_is(data, tmp_path / "copy")
    async with open_app_context(settings_of(folder)) as ctx:
        (call,) = await read_calls(ctx, conversation)

    assert texts_of(call) == ["/rate 25 /long 400"]


@pytest.mark.parametrize(
    "change", ["UPDATE sent_call SET pieces = '[]'", "DELETE FROM sent_call", "UPDATE sent_text SET text = ''"]
)
async def test_database_refuses_to_change_a_record(ctx: AppContext, change: str) -> None:
    await reply_to(ctx, await a_conversation(ctx, model=MODEL), "/echo one")

    with pytest.raises(IntegrityError, match="is never"):
        async with ctx.store.write() as session:
            await session.execute(text(change))


@pytest.fixture
def debug() -> Generator[None]:
    usual: Any = structlog.get_config()["wrapper_class"]
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG))
    yield
    structlog.configure(wrapper_class=usual)


@pytest.mark.usefixtures("debug")
async def test_each_call_logs_a_line_for_each_message_without_its_text(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model=MODEL, system_prompt="Be brief.")

    with capture_logs() as logs:
        await reply_to(ctx, conversation, "/tool clock")

    lines = [line for line in logs if line["event"] == "message of a request"]
    assert [(line["attempt"], line["message_index"], line["role"], line["has_tool_calls"]) for line in lines] == [
        (1, 0, "system", False),
        (1, 1, "user", False),
        (2, 0, "system", False),
        (2, 1, "user", False),
        (2, 2, "assistant", True),
        (2, 3, "tool", False),
    ]
    assert (lines[1]["content_length"], lines[1]["log_level"]) == (len("/tool clock"), "debug")
    (first, _) = await read_calls(ctx, conversation)
    assert [line["hash"] for line in lines[:2]] == [piece.hash for piece in first.sent.pieces if piece.role != "tools"]


async def test_other_levels_spend_no_time_on_messages(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    written = list[Request]()

    def note(request: Request) -> Iterator[WrittenPiece]:
        written.append(request)
        return iter(())

    monkeypatch.setattr(engine, "write_pieces", note)
    await reply_to(ctx, await a_conversation(ctx, model=MODEL), "/echo one")

    assert written == []
