"""Queries of tool sets: the tools in the request of a run. They are needed to build the request again."""

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
from app.store.database.damage import Reading, a_list, a_text, require_row
from app.store.index.rows_index import PAIR_TEXT
from app.store.run.rows_toolset import RUN_TOOLSET, TOOLSET


async def save_sent_tools(
    session: AsyncSession, owner: str, run_id: str, tools: Sequence[ToolDefinition], at: datetime
) -> None:
    """Store the tools in a run's request. Without tools it does nothing."""
    if not tools:
        return
    fields = [asdict(tool) for tool in tools]
    toolset_id = sha256(dumps(fields, ensure_ascii=False).encode()).hexdigest()
    known = select(TOOLSET.c.id).where(TOOLSET.c.owner == owner, TOOLSET.c.id == toolset_id)
    if (await session.execute(known)).one_or_none() is None:
        await session.execute(insert(TOOLSET), {"owner": owner, "id": toolset_id, "tools": fields, "created_at": at})
    await session.execute(insert(RUN_TOOLSET), {"run_id": run_id, "owner": owner, "toolset_id": toolset_id})


async def load_sent_tools(session: AsyncSession, run_id: str) -> tuple[ToolDefinition, ...]:
    """Return the tools in a run's request, in the order of the request.

    Raises:
        DamagedRowError: they cannot be read, so the request cannot be built again.
    """
    of_run = (TOOLSET.c.id == RUN_TOOLSET.c.toolset_id) & (TOOLSET.c.owner == RUN_TOOLSET.c.owner)
    query = select(TOOLSET).join(RUN_TOOLSET, of_run).where(RUN_TOOLSET.c.run_id == run_id)
    row = (await session.execute(query)).mappings().first()
    return () if row is None else require_row(TOOLSET, row, _decode)


def _decode(row: Any) -> tuple[ToolDefinition, ...]:
    return decode_tools(row["tools"])


def decode_tools(stored: Any) -> tuple[ToolDefinition, ...]:
    """Decode the tools of a request."""
    return tuple(ToolDefinition(**fields) for fields in a_list(stored))


async def load_called_tools(session: AsyncSession, owner: str, conversation_id: str) -> dict[str, frozenset[str]]:
    """Return the names of the tools that pairs of a conversation called, by the pair's id."""
    query = (
        select(PAIR_TEXT.c.pair_id, PAIR_TEXT.c.tools)
        .join(PAIR, PAIR.c.id == PAIR_TEXT.c.pair_id)
        .where(PAIR.c.conversation_id == conversation_id, PAIR.c.owner == owner, PAIR.c.deleted_at.is_(None))
        .where(PAIR_TEXT.c.tools != [])
    )
    return {
        pair_id: Reading("pair_text", pair_id).take("tools", names, _decode_names, frozenset())
        for pair_id, names in await session.execute(query)
    }


def _decode_names(stored: Any) -> frozenset[str]:
    return frozenset(map(a_text, a_list(stored)))
