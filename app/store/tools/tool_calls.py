"""Queries of tool calls: store them while they run, load them with a reply, and close them after their process died."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, cast

from sqlalchemy import LargeBinary, Select, func, null, select, update
from sqlalchemy import cast as sql_cast
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.tools.tool_records import CallFault, ToolCallRecord
from app.domain.tools.tools import ToolContent
from app.store.conversation.rows import PAIR
from app.store.database.damage import Reading
from app.store.database.mapping import decode_word
from app.store.database.parts_json import decode_parts, encode_parts
from app.store.tools.rows_tools import TOOL_CALL

_STRUCTURED, _CONTENT = TOOL_CALL.c.structured_json, TOOL_CALL.c.content


async def save_tool_calls(session: AsyncSession, run_id: str, records: Iterable[ToolCallRecord]) -> None:
    """Store these tool calls of a run. Each replaces its earlier record."""
    rows = [{"run_id": run_id, **encode_tool_call(record)} for record in records]
    if rows:
        statement = insert(TOOL_CALL)
        new = {column.name: statement.excluded[column.name] for column in TOOL_CALL.c if not column.primary_key}
        await session.execute(statement.on_conflict_do_update(index_elements=TOOL_CALL.primary_key, set_=new), rows)


async def close_tool_calls(session: AsyncSession, run_id: str, at: datetime) -> None:
    """Mark the open tool calls of a run as interrupted: its process died, so their outcome is unknown."""
    open_calls = (TOOL_CALL.c.run_id == run_id, TOOL_CALL.c.ended_at.is_(None))
    await session.execute(
        update(TOOL_CALL).where(*open_calls).values(ended_at=at, is_error=True, fault=CallFault.INTERRUPTED.value)
    )


async def load_tool_calls(session: AsyncSession, run_ids: Collection[str]) -> dict[str, tuple[ToolCallRecord, ...]]:
    """Return the tool calls of each of these runs, in the order of the model's calls, by the id of the run.

    A run without tool calls is left out.
    """
    found: defaultdict[str, list[ToolCallRecord]] = defaultdict(list)
    for run_id, record in await _read(session, select(TOOL_CALL).where(TOOL_CALL.c.run_id.in_(run_ids))):
        found[run_id].append(record)
    return {run_id: _sort(records) for run_id, records in found.items()}


async def load_begun(session: AsyncSession, run_id: str) -> frozenset[str]:
    """Return the ids of the tool calls that a run started. Only ids are read: other columns may be damaged."""
    query = select(TOOL_CALL.c.tool_call_id).where(TOOL_CALL.c.run_id == run_id, TOOL_CALL.c.started_at.is_not(None))
    return frozenset(found for found in (await session.execute(query)).scalars() if isinstance(found, str))


async def load_pair_tool_calls(session: AsyncSession, pair_id: str) -> tuple[ToolCallRecord, ...]:
    """Return the tool calls of a pair's current reply."""
    run_id = await _find_run(session, pair_id)
    return () if run_id is None else (await load_tool_calls(session, (run_id,))).get(run_id, ())


async def load_pair_tool_call(
    session: AsyncSession, pair_id: str, *, tool_call_id: str | None = None, number: int | None = None
) -> ToolCallRecord | None:
    """Return one tool call of a pair's current reply, by its id or its number.

    Return None if there is no such call, or if it is damaged.
    """
    named = TOOL_CALL.c.number == number if tool_call_id is None else TOOL_CALL.c.tool_call_id == tool_call_id
    query = select(TOOL_CALL).where(TOOL_CALL.c.run_id == await _find_run(session, pair_id), named)
    return next((record for _, record in await _read(session, query)), None)


@dataclass(frozen=True, slots=True)
class ToolCallPage:
    """The tool calls of a reply, some of them without their results.

    For a call with its id in `cut`, the structured content and the full result were not loaded.
    """

    records: tuple[ToolCallRecord, ...]
    cut: frozenset[str]


async def load_tool_call_page(session: AsyncSession, pair_id: str, most: int) -> ToolCallPage:
    """Return the tool calls of a pair's current reply, with results of at most `most` bytes together."""
    of_run = TOOL_CALL.c.run_id == await _find_run(session, pair_id)
    size = func.length(sql_cast(_STRUCTURED, LargeBinary)), func.length(sql_cast(_CONTENT, LargeBinary))
    sizes = await session.execute(select(TOOL_CALL.c.tool_call_id, *size).where(of_run))
    cut, total = set[str](), 0
    for tool_call_id, structured, content in sorted(sizes, key=lambda row: (row[1] or 0) + (row[2] or 0)):
        total += (structured or 0) + (content or 0)
        if total > most:
            cut.add(tool_call_id)
    whole = [column for column in TOOL_CALL.c if column not in {_STRUCTURED, _CONTENT}]
    smaller = select(*whole, null().label(_STRUCTURED.name), null().label(_CONTENT.name))
    is_cut = TOOL_CALL.c.tool_call_id.in_(cut)
    read = await _read(session, select(TOOL_CALL).where(of_run, ~is_cut))
    read += await _read(session, smaller.where(of_run, is_cut))
    return ToolCallPage(_sort([record for _, record in read]), frozenset(cut))


async def _find_run(session: AsyncSession, pair_id: str) -> str | None:
    return await session.scalar(select(PAIR.c.run_id).where(PAIR.c.id == pair_id))


async def _read(session: AsyncSession, query: Select[Any]) -> list[tuple[str, ToolCallRecord]]:
    """Return the records of the rows that can be read, each with its run. The query must not have an order.

    To sort the rows, SQLite would copy their texts: then a record of 16 MB takes 90 MB of memory instead of 30.
    """
    found = list[tuple[str, ToolCallRecord]]()
    for row in (await session.execute(query)).mappings():
        reading = Reading("tool_call", f"{row['run_id']} {row['number']}")
        found += reading.take_row(TOOL_CALL, row, lambda one: [(one["run_id"], _decode(one))], [])
    return found


def _sort(records: Iterable[ToolCallRecord]) -> tuple[ToolCallRecord, ...]:
    return tuple(sorted(records, key=lambda record: record.number))


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
