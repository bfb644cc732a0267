"""Queries of tool calls: store them while they run, load them with a reply, and close them if their process died."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import asdict
from datetime import datetime
from typing import Any, cast

from sqlalchemy import select, update
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.tools.tool_records import CallFault, ToolCallRecord
from app.domain.tools.tools import ToolContent
from app.store.conversation.rows import PAIR
from app.store.database.damage import Reading
from app.store.database.mapping import decode_word
from app.store.database.parts_json import decode_parts, encode_parts
from app.store.tools.rows_tools import TOOL_CALL


async def save_tool_calls(session: AsyncSession, run_id: str, records: Iterable[ToolCallRecord]) -> None:
    """Store these calls of a run. Each replaces its earlier record."""
    rows = [{"run_id": run_id, **encode_tool_call(record)} for record in records]
    if rows:
        statement = insert(TOOL_CALL)
        new = {column.name: statement.excluded[column.name] for column in TOOL_CALL.c if not column.primary_key}
        await session.execute(statement.on_conflict_do_update(index_elements=TOOL_CALL.primary_key, set_=new), rows)


async def close_tool_calls(session: AsyncSession, run_id: str, at: datetime) -> None:
    """Mark the open calls of a run as interrupted: its process died, so their outcome is unknown."""
    open_calls = (TOOL_CALL.c.run_id == run_id, TOOL_CALL.c.ended_at.is_(None))
    await session.execute(
        update(TOOL_CALL).where(*open_calls).values(ended_at=at, is_error=True, fault=CallFault.INTERRUPTED.value)
    )


async def load_tool_calls(session: AsyncSession, run_ids: Collection[str]) -> dict[str, tuple[ToolCallRecord, ...]]:
    """Return the calls of these runs, in the order of the model's requests. Runs without calls are left out."""
    query = select(TOOL_CALL).where(TOOL_CALL.c.run_id.in_(run_ids)).order_by(TOOL_CALL.c.run_id, TOOL_CALL.c.number)
    found: defaultdict[str, list[ToolCallRecord]] = defaultdict(list)
    for row in (await session.execute(query)).mappings():
        reading = Reading("tool_call", f"{row['run_id']} {row['number']}")
        found[row["run_id"]] += reading.take_row(TOOL_CALL, row, lambda one: [_decode(one)], [])
    return {run_id: tuple(records) for run_id, records in found.items()}


async def load_begun(session: AsyncSession, run_id: str) -> frozenset[str]:
    """Return the ids of the tool calls that a run started. Only ids are read: other columns may be damaged."""
    query = select(TOOL_CALL.c.tool_call_id).where(TOOL_CALL.c.run_id == run_id, TOOL_CALL.c.started_at.is_not(None))
    return frozenset(found for found in (await session.execute(query)).scalars() if isinstance(found, str))


async def load_pair_tool_calls(session: AsyncSession, pair_id: str) -> tuple[ToolCallRecord, ...]:
    """Return the calls of a pair's current reply."""
    run_id = await session.scalar(select(PAIR.c.run_id).where(PAIR.c.id == pair_id))
    return () if run_id is None else (await load_tool_calls(session, (run_id,))).get(run_id, ())


def encode_tool_call(record: ToolCallRecord) -> dict[str, Any]:
    """Return the record of a tool call as columns of its row, without the id of its run."""
    plain = asdict(record)
    return plain | {
        "fault": None if record.fault is None else record.fault.value,
        "content": None if record.content is None else encode_parts(record.content),
    }


def _decode(row: Any) -> ToolCallRecord:
    fields = {name: value for name, value in row.items() if name != "run_id"}
    fields["fault"] = None if row["fault"] is None else decode_word(CallFault, row["fault"])
    if row["content"] is not None:
        fields["content"] = cast("tuple[ToolContent, ...]", decode_parts(row["content"]))
    return ToolCallRecord(**fields)
