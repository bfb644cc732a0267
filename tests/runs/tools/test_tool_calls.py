from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import orjson
import pytest
from sqlalchemy import event

from app.domain.attachments.attachments import Attachment
from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Image, Text, ToolCall, ToolResult, plain_text
from app.domain.errors import ConflictError
from app.domain.run.rounds import NOT_RUN, UNANSWERED, ToolLimits
from app.domain.run.run_log import LogEvent
from app.domain.stream.stream_events import StopReason
from app.domain.tools import permissions
from app.domain.tools.tool_records import CallFault, ToolCallRecord
from app.domain.tools.tools import ToolFailedError, ToolFault, ToolOutcome
from app.runs.app_context import AppContext
from app.runs.conversation.forks import fork_conversation
from app.runs.engine import writer
from app.runs.request import preview
from app.runs.runtime.event_bus import ToolProgress
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import preview_send
from app.runs.send.send_request import SendRequest
from app.runs.send.stopping import cancel_run
from app.runs.settings.preference_commands import read_preferences, set_preferences
from app.runs.tools import tool_calls, tool_rounds
from app.runs.tools.permission_commands import list_pending
from app.runs.watch.broadcast import follow
from app.runs.wiring import open_app_context
from app.store.tools.tool_calls import load_pair_tool_calls
from app.tools.toolbox import Progress
from tests.domain.run.test_run import merged
from tests.runs.steps import a_conversation, calls_of, collect, pair_of, pairs_of, reply_to, send, settings_of, until
from tests.runs.toolsmith import add_tools, said
from tests.waiting import until_found

GIF = b"GIF89a" + bytes([3, 0, 2, 0]) + bytes(20)


@pytest.fixture(autouse=True)
def nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow these tools without permission. Permissions have their own tests."""
    names = ("double", "meet", "draw", "fail", "break_down", "say_no", "hang", "pour", "leave", "work", "count", "wait")
    monkeypatch.setattr(permissions, "UNASKED", frozenset(names))


async def records_of(ctx: AppContext, pair: Pair) -> tuple[ToolCallRecord, ...]:
    async with ctx.store.read() as session:
        return await load_pair_tool_calls(session, pair.id)


def results_of(pair: Pair) -> list[ToolResult]:
    assert pair.reply is not None
    return [part for part in pair.reply.parts if isinstance(part, ToolResult)]


def words_of(result: ToolResult) -> str:
    return plain_text(result.content)


async def double(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
    return ToolOutcome((Text(str(2 * arguments.get("a", 1))),), '{"result":1}')


# --- a round ---


async def test_a_reply_calls_tools_at_the_same_time_and_continues_with_their_results(ctx: AppContext) -> None:
    both = asyncio.Barrier(2)

    async def meet(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
        await both.wait()
        return said(f"met {arguments['a']}")

    await add_tools(ctx, meet=meet)
    conversation_id = await a_conversation(ctx)
    ended = await reply_to(ctx, conversation_id, '/rate 0\n/tool meet {"a": 1}\n/tool meet {"a": 2}')

    assert ended.pair.lifecycle is Lifecycle.SUCCEEDED
    assert ended.pair.reply is not None
    assert [type(part) for part in ended.pair.reply.parts] == [ToolCall, ToolCall, ToolResult, ToolResult, Text]
    assert sorted(map(words_of, results_of(ended.pair))) == ["met 1", "met 2"]
    assert "met 1" in ended.text
    assert merged(await collect(ctx, ended.started.run_id)) == merged(ended.events)


async def test_a_secret_that_a_tool_gives_goes_back_as_a_mark_and_that_is_noted(ctx: AppContext) -> None:
    async def read(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
        return said("id AKIAIOSFODNN7EXAMPLE")

    await set_preferences(ctx, LOCAL_OWNER, replace(await read_preferences(ctx, LOCAL_OWNER), redact=True))
    await add_tools(ctx, work=read)
    ended = await reply_to(ctx, await a_conversation(ctx), "/rate 0\n/tool work {}")

    assert words_of(*results_of(ended.pair)) == "id AKIAIOSFODNN7EXAMPLE"
    assert "id [redacted: AWS access key]" in ended.text
    assert [(one.kind, one.place) for one in ended.pair.redacted] == [("AWS access key", "tool_result")]


async def test_every_round_is_a_row_of_the_ledger_and_the_pairs_usage_is_their_sum(ctx: AppContext) -> None:
    await add_tools(ctx, double=double)
    conversation_id = await a_conversation(ctx)
    text = '/rate 0\n/tool double {"a": 1}\n/then\n/tool double {"a": 2}\n/then\n/echo done'
    ended = await reply_to(ctx, conversation_id, text)

    calls = await calls_of(ctx, conversation_id)
    assert [(call.attempt, call.outcome) for call in calls] == [(n, Lifecycle.SUCCEEDED) for n in (1, 2, 3)]
    used = [call.usage for call in calls if call.usage is not None]
    assert ended.pair.usage == used[0] + used[1] + used[2]
    assert ended.text == "done"
    assert ended.events[-3].data["input_tokens"] == sum(usage.input_tokens for usage in used)


async def test_the_record_of_a_call_has_what_was_asked_run_and_answered_and_when(ctx: AppContext) -> None:
    await add_tools(ctx, double=double)
    ended = await reply_to(ctx, await a_conversation(ctx), '/rate 0\n/tool double {"a": 4}')

    (record,) = await records_of(ctx, ended.pair)
    assert (record.name, record.tool_name, record.number) == ("double", "double", 1)
    assert (record.asked_json, record.run_json) == ('{"a": 4}', '{"a": 4}')
    assert (record.is_error, record.fault, record.structured_json) == (False, None, '{"result":1}')
    assert record.started_at is not None
    assert record.ended_at is not None
    assert record.asked_at <= record.started_at <= record.ended_at
    (result,) = results_of(ended.pair)
    assert result.seconds is not None


async def test_the_next_send_has_the_calls_and_their_results_in_full(ctx: AppContext) -> None:
    await add_tools(ctx, double=double)
    conversation_id = await a_conversation(ctx)
    await reply_to(ctx, conversation_id, '/rate 0\n/tool double {"a": 4}')

    preview = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("And now?"))

    roles = [message.role for message in preview.built.request.messages]
    assert roles == ["user", "assistant", "tool", "assistant", "user"]
    body = orjson.loads(preview.wire.body)
    assert body["messages"][2]["parts"][0]["content"] == [{"text": "8"}]
    assert preview.built.unsupported == ()


async def test_a_round_begins_with_the_bytes_and_hashes_of_the_request_before_it(ctx: AppContext) -> None:
    await add_tools(ctx, double=double)
    sent: list[dict[str, Any]] = []
    stream = ctx.engine.transport.stream

    def listen(provider: Any, wire: Any, timeouts: Any) -> Any:
        sent.append(orjson.loads(wire.body))
        return stream(provider, wire, timeouts)

    ctx.engine.transport.stream = listen  # type: ignore[method-assign] - who carries the bytes sees them
    conversation_id = await a_conversation(ctx)
    await reply_to(ctx, conversation_id, "/rate 0\n/tool double {}\n/then\n/tool double {}")
    await reply_to(ctx, conversation_id, "/rate 0\n/echo next")

    for earlier, later in pairwise(sent):
        assert later["messages"][: len(earlier["messages"])] == earlier["messages"]
        assert later["tools"] == earlier["tools"]


async def test_pictures_of_a_tool_are_kept_and_sent(ctx: AppContext) -> None:
    picture = Attachment("image/gif", GIF)

    async def draw(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
        return ToolOutcome((Text("Here:"), picture.part()), attachments=(picture,))

    await add_tools(ctx, draw=draw)
    ended = await reply_to(ctx, await a_conversation(ctx), "/rate 0\n/tool draw {}")

    (result,) = results_of(ended.pair)
    assert result.content[1] == Image(picture.id, "image/gif", 3, 2)
    assert ended.pair.lifecycle is Lifecycle.SUCCEEDED


async def test_a_branch_has_the_calls_with_their_records_and_the_same_usage(ctx: AppContext) -> None:
    await add_tools(ctx, double=double)
    conversation_id = await a_conversation(ctx)
    ended = await reply_to(ctx, conversation_id, '/rate 0\n/tool double {"a": 4}')

    fork_id = await fork_conversation(ctx, LOCAL_OWNER, conversation_id, (ended.pair.id,))

    (copy,) = await pairs_of(ctx, fork_id)
    assert results_of(copy) == results_of(ended.pair)
    assert copy.usage == ended.pair.usage
    assert await records_of(ctx, copy) == await records_of(ctx, ended.pair)


# --- what goes wrong is an answer ---


async def fail(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
    raise ToolFailedError(ToolFault.DIED, "The server of this tool ended.", "Check its log.")


async def break_down(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
    raise ZeroDivisionError("a bug of a tool")


async def say_no(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
    return ToolOutcome((Text("no such file"),), is_error=True)


async def hang(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
    await asyncio.Event().wait()
    raise AssertionError


@pytest.mark.parametrize(
    ("call", "fault", "words"),
    [
        ('double {"a": 1', CallFault.INVALID_INPUT, "could not be read"),
        ("double [1]", CallFault.INVALID_INPUT, "JSON object"),
        ('double {"a": "x"}', CallFault.INVALID_INPUT, "- a: 'x' is not of type 'integer'"),
        ('double {"b": 1}', CallFault.INVALID_INPUT, "'b' was unexpected"),
        ("nothing {}", CallFault.UNKNOWN, 'There is no tool "nothing". The tools are: '),
        ("fail {}", CallFault.DIED, "The server of this tool ended."),
        ("break_down {}", CallFault.INTERNAL, "Inview failed"),
        ("say_no {}", None, "no such file"),
        ("hang {}", CallFault.TIMED_OUT, "within 0.05 seconds"),
    ],
)
async def test_whatever_goes_wrong_with_a_call_the_model_gets_the_reason_and_the_reply_continues(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch, call: str, fault: CallFault | None, words: str
) -> None:
    monkeypatch.setattr(tool_calls, "CALL_SECONDS", 0.05)
    await add_tools(ctx, double=double, fail=fail, break_down=break_down, say_no=say_no, hang=hang)
    ended = await reply_to(ctx, await a_conversation(ctx), f"/rate 0\n/tool {call}")

    (result,) = results_of(ended.pair)
    assert result.is_error
    assert words in words_of(result)
    (record,) = await records_of(ctx, ended.pair)
    assert (record.is_error, record.fault) == (True, fault)
    assert record.ended_at is not None
    assert (ended.pair.lifecycle, ended.pair.stop_reason) == (Lifecycle.SUCCEEDED, StopReason.END)
    assert words.splitlines()[0].strip("- ") in ended.text


async def test_an_oversized_result_is_cut_with_a_visible_note_and_stored_whole(ctx: AppContext) -> None:
    async def pour(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
        return said("x" * 300_000)

    await add_tools(ctx, pour=pour)
    ended = await reply_to(ctx, await a_conversation(ctx), "/rate 0\n/tool pour {}\n/then\n/echo enough")

    (result,) = results_of(ended.pair)
    assert "[Cut here: 100,000 of 300,000 characters were given." in words_of(result)
    assert len(words_of(result)) < 101_000
    (record,) = await records_of(ctx, ended.pair)
    assert record.content == (Text("x" * 300_000),)


async def test_results_of_one_round_have_a_bound_together_and_are_stored_whole(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A round may have a hundred calls, and the reply is stored as one value."""

    async def pour(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
        return said("x" * 80_000)

    monkeypatch.setattr(preview, "TOOL_LIMITS", ToolLimits(result_bytes=100_000))
    await add_tools(ctx, pour=pour)
    calls = "/tool pour {}\n" * 4
    ended = await reply_to(ctx, await a_conversation(ctx), f"/rate 0\n{calls}/then\n/echo enough")

    sizes = sorted(len(words_of(result)) for result in results_of(ended.pair))
    assert sizes[2:] == [80_000, 80_000]
    assert all(
        "[Cut here: 1,000 of 80,000 char" in words_of(one)
        for one in results_of(ended.pair)
        if len(words_of(one)) < 2_000
    )
    assert sizes[1] < 1_200
    wholes = [record.content for record in await records_of(ctx, ended.pair)]
    assert sorted(map(str, wholes)) == sorted(map(str, [None, None, (Text("x" * 80_000),), (Text("x" * 80_000),)]))


@pytest.mark.parametrize(("limits", "rounds"), [(ToolLimits(rounds=3), 3), (ToolLimits(calls=2), 2)])
async def test_an_endless_loop_ends_at_its_limit_with_a_note(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch, limits: ToolLimits, rounds: int
) -> None:
    monkeypatch.setattr(preview, "TOOL_LIMITS", limits)
    await add_tools(ctx, double=double)
    ended = await reply_to(ctx, await a_conversation(ctx), "/rate 0\n/tool double {}\n/again")

    assert (ended.pair.lifecycle, ended.pair.stop_reason) == (Lifecycle.SUCCEEDED, StopReason.TOOL_LIMIT)
    assert [result.is_error for result in results_of(ended.pair)] == [False] * rounds + [True]
    assert "Not called" in words_of(results_of(ended.pair)[-1])
    assert len(await records_of(ctx, ended.pair)) == rounds


async def test_a_call_without_offered_tools_is_answered_that_there_are_none(ctx: AppContext) -> None:
    ended = await reply_to(ctx, await a_conversation(ctx), "/rate 0\n/tool clock {}")

    assert "This conversation has no tools." in words_of(results_of(ended.pair)[0])


async def test_a_tool_removed_since_it_was_offered_is_missing(ctx: AppContext) -> None:
    async def leave(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
        del ctx.toolbox.built_ins["double"]
        return said("gone")

    await add_tools(ctx, double=double, leave=leave)
    ended = await reply_to(ctx, await a_conversation(ctx), "/rate 0\n/tool leave {}\n/then\n/tool double {}")

    assert (await records_of(ctx, ended.pair))[1].fault is CallFault.GONE


async def test_a_round_that_cannot_be_made_is_a_failure_and_no_call_in_the_ledger(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def spend(*_: object) -> None:
        raise ConflictError("The budget of today is spent.")

    await add_tools(ctx, double=double)
    conversation_id = await a_conversation(ctx)
    monkeypatch.setattr(tool_rounds, "require_budgets_for", spend)
    ended = await reply_to(ctx, conversation_id, "/rate 0\n/tool double {}")

    assert ended.pair.failure is not None
    assert ended.pair.failure.message == "The budget of today is spent."
    assert len(await calls_of(ctx, conversation_id)) == 1


# --- stopping, dying, watching ---


async def test_stopping_ends_the_tool_and_reports_an_unknown_outcome(ctx: AppContext) -> None:
    ends = list[str]()

    async def work(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
        try:
            await asyncio.Event().wait()
        finally:
            ends.append("cancelled")
        raise AssertionError

    await add_tools(ctx, work=work, double=double)
    started = await send(ctx, await a_conversation(ctx), "/rate 0\n/tool work {}\n/tool double {}")
    await until(ctx, started.run_id, "tool_result")

    await cancel_run(ctx, LOCAL_OWNER, started.run_id)

    pair = await pair_of(ctx, started.pair_id)
    assert pair.lifecycle is Lifecycle.CANCELED
    assert [words_of(result) for result in results_of(pair)] == ["2", UNANSWERED]
    assert ends == ["cancelled"]
    first, second = await records_of(ctx, pair)
    assert (first.fault, second.fault) == (CallFault.STOPPED, None)


async def test_a_pending_call_is_reported_as_not_run_after_a_stop_and_after_a_kill(
    ctx: AppContext, data: Path, tmp_path: Path
) -> None:
    await add_tools(ctx, risky=double)
    conversation_id = await a_conversation(ctx)
    started = await send(ctx, conversation_id, "/rate 0\n/tool risky {}")
    await until_found(lambda: list_pending(ctx, LOCAL_OWNER, conversation_id))
    await ctx.engine.writer.save()
    left = tmp_path / "left"  # the state that a process leaves if it dies now
    left.mkdir()
    with closing(sqlite3.connect(data / "inview.db")) as mine, closing(sqlite3.connect(left / "inview.db")) as copy:
        mine.backup(copy)

    await cancel_run(ctx, LOCAL_OWNER, started.run_id)
    async with open_app_context(settings_of(left)) as next_start:
        died = await pair_of(next_start, started.pair_id)
    stopped = await pair_of(ctx, started.pair_id)

    assert (stopped.lifecycle, died.lifecycle) == (Lifecycle.CANCELED, Lifecycle.ERROR)
    for pair in (stopped, died):
        assert [words_of(result) for result in results_of(pair)] == [NOT_RUN]


async def test_a_started_call_is_not_reported_as_not_run_when_its_record_is_damaged(
    ctx: AppContext, data: Path, tmp_path: Path
) -> None:
    began = asyncio.Event()

    async def hang(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
        began.set()
        await asyncio.Event().wait()
        raise AssertionError

    await add_tools(ctx, hang=hang)
    started = await send(ctx, await a_conversation(ctx), "/rate 0\n/tool hang {}")
    await began.wait()
    left = tmp_path / "left"  # the state that a process leaves if it dies now
    left.mkdir()
    with closing(sqlite3.connect(data / "inview.db")) as mine, closing(sqlite3.connect(left / "inview.db")) as copy:
        mine.backup(copy)
        copy.execute("UPDATE tool_call SET started_at = 'once', asked_json = x'00ff'")
        copy.commit()

    async with open_app_context(settings_of(left)) as next_start:
        died = await pair_of(next_start, started.pair_id)

    assert [words_of(result) for result in results_of(died)] == [UNANSWERED]
    await cancel_run(ctx, LOCAL_OWNER, started.run_id)


async def test_stop_that_comes_while_a_call_is_being_noted_ends_the_reply(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commit of the call's start also happens if no task waits for it: its ledger row exists already."""
    monkeypatch.setattr(writer, "PAUSE_SECONDS", 60)  # no other save comes first
    await add_tools(ctx, double=double)
    started = await send(ctx, await a_conversation(ctx), "/rate 0\n/tool double {}")
    stopped = list[str]()

    def stop(_connection: object) -> None:
        run = ctx.engine.runs.get(started.run_id)
        if run is not None and any(record.started_at for record in run.records.values()) and not stopped:
            stopped.append(run.run_id)
            asyncio.get_running_loop().call_soon(ctx.engine.cancel, run.run_id)

    event.listen(ctx.store.engine.sync_engine, "commit", stop)
    async with asyncio.timeout(30):
        await collect(ctx, started.run_id)
    pair = await pair_of(ctx, started.pair_id)

    assert stopped == [started.run_id]
    assert pair.lifecycle is Lifecycle.CANCELED
    assert [call.attempt for call in await calls_of(ctx, pair.conversation_id)] == [1]


async def test_progress_of_a_tool_is_published_to_subscribers(ctx: AppContext) -> None:
    async def count(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
        progress(1, 4, "one")
        progress(2, 4, "too soon")
        progress(4, 4, "all")
        return said("counted")

    await add_tools(ctx, count=count)
    conversation_id = await a_conversation(ctx)
    feed = ctx.event_bus.subscribe(LOCAL_OWNER, conversation_id)
    await reply_to(ctx, conversation_id, "/rate 0\n/tool count {}")

    told = list[ToolProgress]()
    while len(told) < 2:
        event = await asyncio.wait_for(anext(feed), 5)
        told += [event] if isinstance(event, ToolProgress) else []
    assert [(one.progress, one.total, one.message) for one in told] == [(1, 4, "one"), (4, 4, "all")]


async def test_an_event_stream_has_the_newest_progress_of_a_tool_until_it_ends(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool_calls, "PROGRESS_SECONDS", 0)
    began, ended = asyncio.Event(), asyncio.Event()
    kept: list[Progress] = []

    async def count(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
        kept.append(progress)
        progress(1, 4, "one" + "!" * 400)
        began.set()
        await ended.wait()
        progress(4, 4, "all")
        return said("counted")

    await add_tools(ctx, count=count)
    started = await send(ctx, await a_conversation(ctx), "/rate 0\n/tool count {}\n/then\n/long 5 /rate 50")
    await began.wait()
    events: list[LogEvent] = []
    async with asyncio.timeout(30):
        async for batch in follow(ctx, LOCAL_OWNER, started.run_id):  # begins after the first report
            events += batch
            if any(event.kind == "tool_progress" for event in batch):
                ended.set()
            if any(event.kind == "tool_result" for event in batch):
                kept[0](2, 4, "too late")
                assert ctx.engine.runs[started.run_id].progress == {}

    call, *_ = [event.data["tool_call_id"] for event in events if event.kind == "tool_call"]
    told = [event.data for event in events if event.kind == "tool_progress"]
    first = {"tool_call_id": call, "progress": 1, "total": 4, "message": ("one" + "!" * 400)[:300]}
    assert told[0] == {**first, "conversation_id": None}
    assert [one["message"] for one in told[1:]] in ([], ["all"])  # the result may come before "all" is read
    positions = [event.position for event in events]
    assert positions == sorted(positions)
    log = [event for event in events if event.kind != "tool_progress"]
    assert merged(await collect(ctx, started.run_id)) == merged(log)


async def test_a_retry_within_a_later_round_is_booked_and_succeeds(ctx: AppContext) -> None:
    await add_tools(ctx, double=double)
    conversation_id = await a_conversation(ctx)
    ended = await reply_to(
        ctx, conversation_id, "/rate 0\n/tool double {}\n/then\n/fail overloaded times 1 /long 3 /rate 0"
    )

    calls = await calls_of(ctx, conversation_id)
    assert [(call.attempt, call.outcome) for call in calls] == [
        (1, Lifecycle.SUCCEEDED),
        (2, Lifecycle.ERROR),
        (3, Lifecycle.SUCCEEDED),
    ]
    assert ended.pair.lifecycle is Lifecycle.SUCCEEDED
    assert ended.kinds.index("retry") > ended.kinds.index("tool_result")
    assert merged(await collect(ctx, ended.started.run_id)) == merged(ended.events)


async def test_the_end_of_the_process_ends_a_call_and_nothing_is_called_again(data: Any) -> None:
    called = list[int]()
    began = asyncio.Event()

    async def wait(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
        called.append(1)
        began.set()
        await asyncio.Event().wait()
        raise AssertionError

    async with open_app_context(settings_of(data)) as ctx:
        await add_tools(ctx, wait=wait)
        conversation_id = await a_conversation(ctx)
        started = await send(ctx, conversation_id, "/rate 0\n/tool wait {}")
        await began.wait()

    async with open_app_context(settings_of(data)) as ctx:
        await add_tools(ctx, wait=wait)
        pair = await pair_of(ctx, started.pair_id)
        assert pair.failure is not None
        assert pair.failure.error_class == "interrupted"
        assert words_of(results_of(pair)[0]) == UNANSWERED
        (record,) = await records_of(ctx, pair)
        assert record.fault is CallFault.INTERRUPTED
    assert called == [1]
