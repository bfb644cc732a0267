"""Queries of agents. Those that were deleted are found only by who asks for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.agents.agents import Agent
from app.domain.errors import NotFoundError
from app.domain.tools.permissions import AllowedTool, ArgumentPattern
from app.store.database.mapping import Columns, decode_parameters, encode_parameters
from app.store.settings.rows_agents import AGENT


async def load_agents(session: AsyncSession, owner: str) -> tuple[Agent, ...]:
    """An owner's agents by name, without those that were deleted."""
    query = select(AGENT).where(AGENT.c.owner == owner, AGENT.c.deleted_at.is_(None))
    rows = (await session.execute(query)).mappings()
    return tuple(sorted(map(decode_agent, rows), key=lambda agent: (agent.name.casefold(), agent.id)))


AGENT_COLUMNS = tuple(column.label(f"agent_{column.name}_") for column in AGENT.c)
"""The columns of an agent beside those of other tables, for `decode_labelled`."""


def answers(owner: str | ColumnElement[str], agent_id: ColumnElement[Any]) -> ColumnElement[bool]:
    """The condition of the agent of that id, unless it was deleted."""
    return and_(AGENT.c.id == agent_id, AGENT.c.owner == owner, AGENT.c.deleted_at.is_(None))


def decode_labelled(row: Columns) -> Agent | None:
    """The agent out of `AGENT_COLUMNS`; None: the row has none."""
    if row["agent_id_"] is None:
        return None
    return decode_agent({column.name: row[f"agent_{column.name}_"] for column in AGENT.c})


async def load_names(session: AsyncSession, owner: str) -> dict[str, str]:
    """The name of every agent an owner has or had, by its id."""
    query = select(AGENT.c.id, AGENT.c.name).where(AGENT.c.owner == owner)
    return {row.id: row.name for row in await session.execute(query)}


async def load_agent(session: AsyncSession, owner: str, agent_id: str, *, deleted: bool = False) -> Agent:
    """One agent. `deleted`: also one that was deleted.

    Raises:
        NotFoundError: there is none of that id, or it is another's.
    """
    query = select(AGENT).where(AGENT.c.id == agent_id, AGENT.c.owner == owner)
    row = (await session.execute(query if deleted else query.where(AGENT.c.deleted_at.is_(None)))).mappings()
    if (found := row.one_or_none()) is None:
        raise NotFoundError("agent", agent_id)
    return decode_agent(found)


async def find_agent(session: AsyncSession, owner: str, agent_id: str | None) -> Agent | None:
    """The agent of that id, also one that was deleted; None: there is none."""
    query = select(AGENT).where(AGENT.c.id == agent_id, AGENT.c.owner == owner)
    row = (await session.execute(query)).mappings().one_or_none()
    return None if row is None else decode_agent(row)


async def insert_agents(session: AsyncSession, agents: Iterable[Agent]) -> None:
    if rows := list(map(encode_agent, agents)):
        await session.execute(insert(AGENT), rows)


async def save_agent(session: AsyncSession, agent: Agent) -> None:
    """Write all of an agent that is there."""
    await session.execute(update(AGENT).where(AGENT.c.id == agent.id).values(**encode_agent(agent)))


async def set_deleted(session: AsyncSession, owner: str, agent_id: str, at: datetime | None) -> None:
    """Delete an agent, or (`at` None) bring it back.

    Raises:
        NotFoundError: there is none of that id in that state, or it is another's.
    """
    state = AGENT.c.deleted_at.is_not(None) if at is None else AGENT.c.deleted_at.is_(None)
    statement = update(AGENT).where(AGENT.c.id == agent_id, AGENT.c.owner == owner, state).values(deleted_at=at)
    if (await session.execute(statement.returning(AGENT.c.id))).one_or_none() is None:
        raise NotFoundError("agent", agent_id)


def encode_agent(agent: Agent) -> dict[str, Any]:
    return {
        "id": agent.id,
        "owner": agent.owner,
        "name": agent.name,
        "icon": agent.icon,
        "description": agent.description,
        "model": agent.model,
        "system_prompt": agent.system_prompt,
        "parameters": encode_parameters(agent.parameters),
        "server_ids": None if agent.server_ids is None else list(agent.server_ids),
        "allowed_tools": None if agent.allowed_tools is None else [asdict(entry) for entry in agent.allowed_tools],
        "created_at": agent.created_at,
        "updated_at": agent.updated_at,
        "deleted_at": agent.deleted_at,
    }


def decode_agent(row: Columns) -> Agent:
    return Agent(
        id=row["id"],
        owner=row["owner"],
        name=row["name"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        icon=row["icon"],
        description=row["description"],
        model=row["model"],
        system_prompt=row["system_prompt"],
        parameters=decode_parameters(row["parameters"]),
        server_ids=None if row["server_ids"] is None else tuple(row["server_ids"]),
        allowed_tools=None if row["allowed_tools"] is None else tuple(map(_decode_allowed, row["allowed_tools"])),
        deleted_at=row["deleted_at"],
    )


def _decode_allowed(value: dict[str, Any]) -> AllowedTool:
    patterns = tuple(ArgumentPattern(one["name"], one["pattern"]) for one in value["arguments"])
    return AllowedTool(value["server_id"], value["tool"], patterns, value["ask"])
