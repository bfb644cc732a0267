"""Calls of the tools that a reply asks for: the tool executor of the engine.

    finished = await RecordedToolExecutor(ctx).call_tool(run, call)      # every outcome is a result, failures too

A tool is called only if the request offered it, the input matches its schema, the call is permitted, and the store has
recorded that the call is about to be made. In all other cases the result describes the fault to the model.

Not here: the next call of the model (`tool_rounds.py`), permissions (`permissions.py`), the protocol of tool servers
(`app/tools`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

import structlog

from app.domain.conversation.parts import ToolCall, ToolResult
from app.domain.errors import InputError, StoreError
from app.domain.run.rounds import measure_result
from app.domain.run.run_events import ToolFinished
from app.domain.tools.arguments import read_arguments
from app.domain.tools.permission_requests import Denied
from app.domain.tools.tool_records import CallFault, ToolCallRecord
from app.domain.tools.tool_results import cut_result, say_result, spread_problems, whole_result, without_attachments
from app.domain.tools.tools import Caller, Tool, ToolFailedError, ToolFault, ToolOutcome, changed_tool
from app.runs.app_context import AppContext
from app.runs.engine.live import LiveRun, Loop, loop_of
from app.runs.runtime.event_bus import ToolProgress
from app.runs.runtime.ids import now
from app.runs.tools.permissions import ask_permission
from app.store.attachments.attachments import keep_attachments
from app.tools.mcp.schemas import check_arguments

log = structlog.get_logger()

CALL_SECONDS = 120.0
"""Maximum seconds of a tool call, unless its server has a lower limit. Waiting for permission does not count."""
PROGRESS_SECONDS = 0.25
"""Minimum seconds between two published progress reports of a tool."""


class _NotMadeError(Exception):
    """A tool call was not made, or failed. `text` is the reason, for the model."""

    def __init__(self, fault: CallFault, text: str, *, by_person: bool = False) -> None:
        super().__init__(text)
        self.fault = fault
        self.text = text
        self.by_person = by_person


@dataclass(frozen=True)
class RecordedToolExecutor:
    """The tool executor, which calls and records the tools that the replies of this app context ask for."""

    ctx: AppContext

    async def call_tool(self, run: LiveRun, call: ToolCall) -> ToolFinished:
        """Call a tool. Failures are returned as results. Cancelling this coroutine cancels the call."""
        calls = [part.tool_call_id for part in run.state.parts if isinstance(part, ToolCall)]
        run.records[call.tool_call_id] = ToolCallRecord(
            call.tool_call_id, calls.index(call.tool_call_id) + 1, call.name, call.input_json, now()
        )
        try:
            async with run.hands:
                outcome = await self._make(run, loop_of(run), call)
            return await self._take(run, call, outcome)
        except _NotMadeError as error:
            _note(run, call, ended_at=now(), is_error=True, fault=error.fault)
            return say_result(call, error.text, _seconds(run, call), denied=error.by_person)
        except Exception:
            _note(run, call, ended_at=now(), is_error=True, fault=CallFault.INTERNAL)
            raise
        finally:
            run.progress.pop(call.tool_call_id, None)

    async def _make(self, run: LiveRun, loop: Loop, call: ToolCall) -> ToolOutcome:
        tool = self._find(run, loop, call)
        definition = self.ctx.toolbox.definition_of(run.place.owner, tool.server_id)
        _note(run, call, server_id=tool.server_id, server_name=tool.server_name)
        _note(run, call, tool_name=tool.tool_name, title=tool.title)
        await _check(run, tool, call.name, call.input_json)
        run_json = await self._ask(run, loop, tool, call)
        arguments = await _check(run, tool, call.name, run_json)
        _note(run, call, run_json=run_json, started_at=now())
        try:
            await self.ctx.engine.writer.save()
        except StoreError as error:
            log.warning("a tool call could not be recorded, so it was not made", run_id=run.run_id, fault=str(error))
            _note(run, call, run_json=None, started_at=None)
            text = f"{call.name} was not called, because Inview could not record the call."
            raise _NotMadeError(CallFault.UNRECORDED, text) from error
        place = run.place
        caller = Caller(place.owner, place.conversation_id, place.pair_id, run.run_id, call.tool_call_id)
        try:
            if self.ctx.toolbox.definition_of(place.owner, tool.server_id) != definition:
                raise changed_tool(tool)
            return await self.ctx.toolbox.call(
                tool,
                arguments,
                caller=caller,
                progress=_ProgressReporter(self.ctx, run, call.tool_call_id),
                timeout=CALL_SECONDS,
            )
        except ToolFailedError as error:
            if error.fault is ToolFault.CHANGED:
                _note(run, call, run_json=None, started_at=None)
            raise _NotMadeError(CallFault(error.fault.value), f"{call.name}: {error.message}") from error

    def _find(self, run: LiveRun, loop: Loop, call: ToolCall) -> Tool:
        """Return the current version of the tool, if this reply's request offered the tool."""
        tools = {tool.name: tool for tool in loop.tools}
        offered = tools.get(call.name)
        if offered is None:
            there = f"The tools are: {', '.join(tools)}." if tools else "This conversation has no tools."
            raise _NotMadeError(CallFault.UNKNOWN, f'There is no tool "{call.name}". {there}')
        found = self.ctx.toolbox.find(run.place.owner, call.name)
        if found is None or (found.server_id, found.tool_name) != (offered.server_id, offered.tool_name):
            raise _NotMadeError(CallFault.GONE, f'The tool "{call.name}" no longer exists: its server was removed.')
        return found

    async def _ask(self, run: LiveRun, loop: Loop, tool: Tool, call: ToolCall) -> str:
        """Request permission for the call. Return the input to call the tool with."""
        try:
            answer = await ask_permission(self.ctx, run, tool, call, agent=loop.agent)
        except StoreError as error:
            log.warning("the permission for a tool call could not be requested", run_id=run.run_id, fault=str(error))
            text = f"{call.name} was not called, because its permission could not be read or stored."
            raise _NotMadeError(CallFault.UNRECORDED, text) from error
        if isinstance(answer, Denied):
            text = f"{call.name} was not called. {answer.reason}"
            raise _NotMadeError(CallFault.DENIED, text, by_person=answer.by_person)
        return answer.input_json

    async def _take(self, run: LiveRun, call: ToolCall, outcome: ToolOutcome) -> ToolFinished:
        """Turn an outcome into the result for the model, which may be cut. The record keeps the whole result."""
        outcome = await self._keep(run, outcome)
        whole, loop = whole_result(outcome), loop_of(run)
        # True if the results of this reply have reached their size limit; then the next round makes no calls.
        is_full = run.result_bytes >= loop.limits.result_bytes
        content = cut_result(whole, 0 if is_full else loop.model.context_window)
        run.result_bytes += measure_result(ToolResult(call.tool_call_id, content))
        _note(
            run,
            call,
            ended_at=now(),
            is_error=outcome.is_error,
            structured_json=outcome.structured_json,
            content=None if content == whole else whole,
        )
        return ToolFinished(call.tool_call_id, content, outcome.is_error, _seconds(run, call))

    async def _keep(self, run: LiveRun, outcome: ToolOutcome) -> ToolOutcome:
        """Store the attachments of an outcome. If that fails, return the outcome without them and with the reason."""
        if not outcome.attachments:
            return outcome
        place = run.place
        try:
            async with self.ctx.store.write() as session:
                await keep_attachments(session, place.owner, place.conversation_id, outcome.attachments, now())
        except (InputError, StoreError) as error:
            log.warning("the result of a tool call could not be stored", run_id=run.run_id, fault=str(error))
            return without_attachments(outcome, str(error))
        return outcome


@dataclass(eq=False)
class _ProgressReporter:
    """Publishes a tool's progress to subscribers, at most once per PROGRESS_SECONDS."""

    ctx: AppContext
    run: LiveRun
    tool_call_id: str
    published_at: float = 0.0
    published_all: bool = False

    def __call__(self, progress: float, total: float | None, message: str) -> None:
        if self.run.records[self.tool_call_id].ended_at is not None:
            return  # a server may report progress after the result
        at, is_all = monotonic(), progress == total and not self.published_all
        if at - self.published_at < PROGRESS_SECONDS and not is_all:
            return
        self.published_at, self.published_all = at, self.published_all or is_all
        place = self.run.place
        done_in = self.run.handed_to.get(self.tool_call_id)
        report = ToolProgress(self.run.run_id, self.tool_call_id, progress, total, message[:300], done_in)
        self.ctx.event_bus.publish(place.owner, place.conversation_id, report)
        self.run.report(report)


async def _check(run: LiveRun, tool: Tool, name: str, input_json: str) -> Mapping[str, Any]:
    """Parse and check the arguments of a call."""
    try:
        arguments = read_arguments(input_json)
    except InputError as error:
        text = f"{name} was not called: its input could not be read. {error.reason} Call it again with a JSON object."
        raise _NotMadeError(CallFault.INVALID_INPUT, text) from error
    problems = await check_arguments(tool.input_schema_json, arguments, account=run.place.conversation_id)
    if problems:
        text = f"{name} was not called: its input does not match its schema.\n{spread_problems(problems)}"
        raise _NotMadeError(CallFault.INVALID_INPUT, text)
    return arguments


def _note(run: LiveRun, call: ToolCall, **changes: Any) -> None:
    """Change the record of a call, unless the record is closed because the run is over."""
    record = run.records[call.tool_call_id]
    if record.ended_at is None:
        run.records[call.tool_call_id] = replace(record, **changes)


def _seconds(run: LiveRun, call: ToolCall) -> float | None:
    record = run.records[call.tool_call_id]
    if record.started_at is None or record.ended_at is None:
        return None
    return max(0.0, (record.ended_at - record.started_at).total_seconds())
