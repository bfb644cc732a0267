"""Queries of agents. Deleted agents are returned only on request."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.agents.agents import Agent, require_readable
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.errors import NotFoundError
from app.domain.tools.permissions import AllowedTool, ArgumentPattern
from app.store.agents.rows_agents import AGENT
from app.store.database.damage import (
    UNKNOWN_TIME,
    Reading,
    a_flag,
    a_list,
    a_model_or_none,
    a_text,
    a_text_list,
    a_time,
)
from app.store.database.mapping import Columns, decode_parameters, encode_parameters
from app.store.database.row_names import show_id


async def load_agents(session: AsyncSession, owner: str) -> tuple[Agent, ...]:
    """Return an owner's agents, ordered by name, without deleted agents."""
    query = select(AGENT).where(AGENT.c.owner == owner, AGENT.c.deleted_at.is_(None))
    rows = (await session.execute(query)).mappings()
    agents = (decode_agent(row) for row in rows if isinstance(row["id"], str))
    return tuple(sorted(agents, key=lambda agent: (agent.name.casefold(), agent.id)))


UNREADABLE_NAME = "(its name cannot be read)"

AGENT_COLUMNS = tuple(column.label(f"agent_{column.name}_") for column in AGENT.c)
"""The columns of an agent, labelled for a query with columns of other tables. See `decode_labelled`."""


def answers(owner: str | ColumnElement[str], agent_id: ColumnElement[Any]) -> ColumnElement[bool]:
    """Return the SQL condition that selects the owner's agent with this id, unless the agent was deleted."""
    return and_(AGENT.c.id == agent_id, AGENT.c.owner == owner, AGENT.c.deleted_at.is_(None))


def decode_labelled(row: Columns) -> Agent | None:
    """Decode the answering agent from the columns `AGENT_COLUMNS` of a row. Return None if no agent answers.

    Raises:
        DamagedRowError: the agent cannot be read.
    """
    if row["agent_id_"] is None:
        return None
    agent = decode_agent({column.name: row[f"agent_{column.name}_"] for column in AGENT.c})
    require_readable(agent)
    return agent


async def load_names(session: AsyncSession, owner: str) -> dict[str, str]:
    """Return the names of an owner's agents by id, including deleted agents."""
    query = select(AGENT.c.id, AGENT.c.name).where(AGENT.c.owner == owner)
    rows = await session.execute(query)
    return {row.id: row.name for row in rows if isinstance(row.id, str) and isinstance(row.name, str)}


async def load_agent(session: AsyncSession, owner: str, agent_id: str, *, deleted: bool = False) -> Agent:
    """Return one agent. With `deleted`, return it even if it was deleted.

    Raises:
        NotFoundError: this owner has no agent with that id.
    """
    query = select(AGENT).where(AGENT.c.id == agent_id, AGENT.c.owner == owner)
    row = (await session.execute(query if deleted else query.where(AGENT.c.deleted_at.is_(None)))).mappings()
    if (found := row.one_or_none()) is None:
        raise NotFoundError("agent", agent_id)
    return decode_agent(found)


async def find_agent(session: AsyncSession, owner: str, agent_id: str | None) -> Agent | None:
    """Return the agent with this id, also if it was deleted, or None if there is none."""
    query = select(AGENT).where(AGENT.c.id == agent_id, AGENT.c.owner == owner)
    row = (await session.execute(query)).mappings().one_or_none()
    return None if row is None else decode_agent(row)


async def insert_agents(session: AsyncSession, agents: Iterable[Agent]) -> None:
    if rows := list(map(encode_agent, agents)):
        await session.execute(insert(AGENT), rows)


async def save_agent(session: AsyncSession, agent: Agent) -> None:
    """Write all columns of an existing agent."""
    await session.execute(update(AGENT).where(AGENT.c.id == agent.id), encode_agent(agent))


async def set_deleted(session: AsyncSession, owner: str, agent_id: str, at: datetime | None) -> None:
    """Delete an agent, or restore it if `at` is None.

    Raises:
        NotFoundError: this owner has no agent with that id, or the agent is already deleted (or not deleted).
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
    """Decode an agent. `damage` lists the columns that cannot be read. An unreadable permission allows nothing."""
    take = (reading := Reading("agent", show_id(row["id"]))).take

    def text(column: str, otherwise: str = "") -> str:
        return take(column, row[column], a_text, otherwise)

    agent = Agent(
        id=row["id"],
        owner=row["owner"],
        name=text("name", UNREADABLE_NAME),
        created_at=take("created_at", row["created_at"], a_time, UNKNOWN_TIME),
        updated_at=take("updated_at", row["updated_at"], a_time, UNKNOWN_TIME),
        icon=text("icon"),
        description=text("description"),
        model=take("model", row["model"], a_model_or_none, None),
        system_prompt=text("system_prompt"),
        parameters=take("parameters", row["parameters"], decode_parameters, NO_PARAMETERS),
        server_ids=take("server_ids", row["server_ids"], decode_servers, ()),
        allowed_tools=take("allowed_tools", row["allowed_tools"], decode_allowed_tools, ()),
        deleted_at=take("deleted_at", row["deleted_at"], lambda at: None if at is None else a_time(at), UNKNOWN_TIME),
    )
    return replace(agent, damage=tuple(reading.damage)) if reading.damage else agent


def decode_servers(stored: Any) -> tuple[str, ...] | None:
    """Decode the ids of the MCP servers whose tools an agent has; None: all servers."""
    return None if stored is None else a_text_list(stored)


def decode_allowed_tools(stored: Any) -> tuple[AllowedTool, ...] | None:
    """Decode an agent's list of allowed tools; None: the agent has no list, so it may call all tools."""
    return None if stored is None else tuple(map(_decode_allowed, a_list(stored)))


def _decode_allowed(value: dict[str, Any]) -> AllowedTool:
    patterns = tuple(ArgumentPattern(a_text(one["name"]), a_text(one["pattern"])) for one in value["arguments"])
    return AllowedTool(a_text(value["server_id"]), a_text(value["tool"]), patterns, a_flag(value["ask"]))
