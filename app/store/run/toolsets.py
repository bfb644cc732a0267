"""Queries of tool sets: the tools that went with a run's request, written with it, read to make it again."""

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
    query = select(TOOLSET.c.tools).join(RUN_TOOLSET, of_run).where(RUN_TOOLSET.c.run_id == run_id)
    tools: list[dict[str, Any]] = await session.scalar(query) or []
    return tuple(ToolDefinition(**fields) for fields in tools)


async def load_called_tools(session: AsyncSession, owner: str, conversation_id: str) -> dict[str, frozenset[str]]:
    """The names of the tools that pairs of a conversation called, by the pair's id."""
    query = (
        select(PAIR_TEXT.c.pair_id, PAIR_TEXT.c.tools)
        .join(PAIR, PAIR.c.id == PAIR_TEXT.c.pair_id)
        .where(PAIR.c.conversation_id == conversation_id, PAIR.c.owner == owner, PAIR.c.deleted_at.is_(None))
        .where(PAIR_TEXT.c.tools != [])
    )
    return {pair_id: frozenset(names) for pair_id, names in await session.execute(query)}
