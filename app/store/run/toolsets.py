"""Queries of tool sets: the tools that a run's request carried, stored with it, read to rebuild it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from hashlib import sha256
from json import dumps
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.request.request import ToolDefinition
from app.store.conversation.rows import PAIR
from app.store.database.damage import decode_each, decode_one
from app.store.database.mapping import decode_names
from app.store.index.rows_index import PAIR_TEXT
from app.store.run.rows_toolset import RUN_TOOLSET, TOOLSET


async def save_sent_tools(
    session: AsyncSession, owner: str, run_id: str, tools: Sequence[ToolDefinition], at: datetime
) -> None:
    """Note which tools went with a run's request; nothing is done where there were none."""
    if not tools:
        return
    fields = [asdict(tool) for tool in tools]
    toolset_id = sha256(dumps(fields, ensure_ascii=False).encode()).hexdigest()
    known = select(TOOLSET.c.id).where(TOOLSET.c.owner == owner, TOOLSET.c.id == toolset_id)
    if (await session.execute(known)).one_or_none() is None:
        await session.execute(insert(TOOLSET).values(owner=owner, id=toolset_id, tools=fields, created_at=at))
    await session.execute(insert(RUN_TOOLSET).values(run_id=run_id, owner=owner, toolset_id=toolset_id))


async def load_sent_tools(session: AsyncSession, run_id: str) -> tuple[ToolDefinition, ...]:
    """The tools that went with a run's request, in the order in which the model was told."""
    of_run = (TOOLSET.c.id == RUN_TOOLSET.c.toolset_id) & (TOOLSET.c.owner == RUN_TOOLSET.c.owner)
    query = select(TOOLSET.c.id, TOOLSET.c.tools).join(RUN_TOOLSET, of_run).where(RUN_TOOLSET.c.run_id == run_id)
    row = (await session.execute(query)).mappings().one_or_none()
    return () if row is None else decode_one("toolset", row, _decode)


def _decode(row: Any) -> tuple[ToolDefinition, ...]:
    return tuple(ToolDefinition(**fields) for fields in row["tools"])


async def load_called_tools(session: AsyncSession, owner: str, conversation_id: str) -> dict[str, frozenset[str]]:
    """The names of the tools that pairs of a conversation called, by the pair's id."""
    query = (
        select(PAIR_TEXT.c.pair_id, PAIR_TEXT.c.tools)
        .join(PAIR, PAIR.c.id == PAIR_TEXT.c.pair_id)
        .where(PAIR.c.conversation_id == conversation_id, PAIR.c.owner == owner, PAIR.c.deleted_at.is_(None))
        .where(PAIR_TEXT.c.tools != [])
    )
    rows = (await session.execute(query)).mappings()
    return dict(decode_each("pair_text", rows, lambda row: (row["pair_id"], frozenset(decode_names(row["tools"])))))
