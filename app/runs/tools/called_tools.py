"""One tool call with all stored details: its part of the reply, its record, and the cost of delegated work.

    called = await read_called_tool(ctx, owner, pair_id, "call_1")
    called.call, called.result, called.record

Not here: making calls (`tool_calls.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

import orjson

from app.domain.child_calls.delegation import DELEGATE
from app.domain.conversation.lifecycle import RUNNING
from app.domain.conversation.parts import Part, ToolCall, ToolResult
from app.domain.costs.spending import Spent
from app.domain.errors import NotFoundError
from app.domain.tools.tool_records import ToolCallRecord
from app.runs.app_context import AppContext
from app.runs.usage.accounts import list_booked
from app.store.conversation.pairs import load_pair
from app.store.tools.tool_calls import load_pair_tool_call

MAX_REQUESTS = 100
"""Maximum number of provider calls of a delegated conversation whose cost is added up."""
_DELEGATE = (DELEGATE.server_id, DELEGATE.tool_name)


@dataclass(frozen=True, slots=True)
class Delegated:
    """Work that was delegated to an agent.

    - `requests`: the number of its provider calls; None if its conversation was deleted.
    - `spent`: the cost of these calls.
    """

    agent: str
    conversation_id: str
    requests: int | None
    spent: Spent


@dataclass(frozen=True, slots=True)
class CalledTool:
    """A tool call of a reply. `version` is the version of the pair that has this reply.

    `result` is None until there is a result. `record` is None until the call is over.
    """

    version: int
    running: bool
    call: ToolCall
    result: ToolResult | None
    record: ToolCallRecord | None
    delegated: Delegated | None


async def read_called_tool(ctx: AppContext, owner: str, pair_id: str, tool_call_id: str) -> CalledTool:
    """Read a tool call of a pair's stored or running reply.

    Raises:
        NotFoundError: this owner has no such pair, or the pair has no such call.
    """
    async with ctx.store.read() as session:
        pair = await load_pair(session, owner, pair_id)
        record = await load_pair_tool_call(session, pair_id, tool_call_id=tool_call_id)
    run = ctx.engine.runs.get(pair.run_id or "")
    parts: tuple[Part, ...] = () if pair.reply is None else pair.reply.parts
    if run is not None:
        parts = run.shown.parts
    call = next((part for part in parts if isinstance(part, ToolCall) and part.tool_call_id == tool_call_id), None)
    if call is None:
        raise NotFoundError("tool call", tool_call_id)
    results = (part for part in parts if isinstance(part, ToolResult) and part.tool_call_id == tool_call_id)
    result, running = next(results, None), pair.lifecycle in RUNNING
    if result is None and running:
        record = None
    return CalledTool(pair.version, running, call, result, record, await _read_delegated(ctx, owner, record))


async def _read_delegated(ctx: AppContext, owner: str, record: ToolCallRecord | None) -> Delegated | None:
    if record is None or (record.server_id, record.tool_name) != _DELEGATE:
        return None
    try:
        handed = orjson.loads(record.structured_json or "null")
        agent, conversation_id = str(handed["agent"]), str(handed["conversation_id"])
    except (ValueError, TypeError, LookupError):  # the task did not start, or an imported record has other data
        return None
    try:
        booked = await list_booked(ctx, owner, conversation_id, limit=MAX_REQUESTS)
    except NotFoundError:
        return Delegated(agent, conversation_id, None, Spent())
    return Delegated(agent, conversation_id, len(booked), sum((one.spent for one in booked), start=Spent()))
