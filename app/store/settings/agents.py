"""Queries of agents. Deleted ones are found only by callers that ask for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, bindparam, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.agents.agents import Agent, lend
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.errors import NotFoundError
from app.domain.tools.permissions import AllowedTool, ArgumentPattern
from app.store.database.mapping import Columns, Reading, decode_names, decode_parameters, encode_parameters
from app.store.settings.rows_agents import AGENT


async def load_agents(session: AsyncSession, owner: str) -> tuple[Agent, ...]:
    """An owner's agents by name, without those that were deleted."""
    return await _load_sorted(session, owner, _select_own())


async def load_usable_agents(session: AsyncSession, owner: str) -> tuple[Agent, ...]:
    """The agents that a person may use, by name: their own and those that others share."""
    return await _load_sorted(session, owner, _select_usable())


@cache
def _select_own() -> Select[Any]:
    return select(AGENT).where(AGENT.c.owner == bindparam("of_owner"), AGENT.c.deleted_at.is_(None))


@cache
def _select_usable() -> Select[Any]:
    """What each page that is opened asks: made once."""
    return select(AGENT).where(usable(bindparam("of_owner")), AGENT.c.deleted_at.is_(None))


async def _load_sorted(session: AsyncSession, owner: str, query: Select[Any]) -> tuple[Agent, ...]:
    rows = (await session.execute(query, {"of_owner": owner})).mappings()
    found = (lend(decode_agent(row), owner) for row in rows)
    return tuple(sorted(found, key=lambda agent: (agent.name.casefold(), agent.id)))


def usable(owner: str | ColumnElement[str]) -> ColumnElement[bool]:
    """The condition of agents that a person may use: their own and those that others share."""
    return or_(AGENT.c.owner == owner, AGENT.c.shared_at.is_not(None))


AGENT_COLUMNS = tuple(column.label(f"agent_{column.name}_") for column in AGENT.c)
"""The columns of an agent beside those of other tables, for `decode_labelled`."""


def answers(owner: str | ColumnElement[str], agent_id: ColumnElement[Any]) -> ColumnElement[bool]:
    """The condition of the agent of that id, unless it was deleted."""
    return and_(AGENT.c.id == agent_id, usable(owner), AGENT.c.deleted_at.is_(None))


def decode_labelled(row: Columns, owner: str) -> Agent | None:
    """The agent out of `AGENT_COLUMNS` as this person uses it; None: the row has none."""
    if row["agent_id_"] is None:
        return None
    return lend(decode_agent({column.name: row[f"agent_{column.name}_"] for column in AGENT.c}), owner)


async def load_names(session: AsyncSession, owner: str) -> dict[str, str]:
    """The name of every agent that a person has or had, or that others share, by its id."""
    query = select(AGENT.c.id, AGENT.c.name).where(usable(owner))
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


async def load_usable_agent(session: AsyncSession, owner: str, agent_id: str) -> Agent:
    """One agent that a person may use: their own, or one that another shares.

    Raises:
        NotFoundError: there is none of that id, or it is another's and not shared.
    """
    found = await find_agent(session, owner, agent_id)
    if found is None or found.deleted_at is not None:
        raise NotFoundError("agent", agent_id)
    return found


async def find_agent(session: AsyncSession, owner: str, agent_id: str | None) -> Agent | None:
    """The agent of that id that a person may use, also one that was deleted; None: there is none."""
    if agent_id is None:
        return None
    row = (await session.execute(_select_one(), {"of_owner": owner, "agent": agent_id})).mappings().one_or_none()
    return None if row is None else lend(decode_agent(row), owner)


@cache
def _select_one() -> Select[Any]:
    """What `find_agent` asks: made once."""
    return select(AGENT).where(AGENT.c.id == bindparam("agent"), usable(bindparam("of_owner")))


async def set_agent_shared(session: AsyncSession, agent: Agent, at: datetime | None) -> None:
    """Let everybody of the installation use an agent, or (`at` None) its owner alone."""
    await session.execute(update(AGENT).where(AGENT.c.id == agent.id).values(shared_at=at))


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
        "shared_at": agent.shared_at,
    }


def decode_agent(row: Columns) -> Agent:
    """The agent; where a column cannot be read, nothing is allowed by it, and `damage` tells."""
    read = Reading("agent", row["id"])
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
        parameters=read.value("parameters", decode_parameters, row["parameters"], NO_PARAMETERS),
        server_ids=None if row["server_ids"] is None else read.value("server_ids", decode_names, row["server_ids"], ()),
        allowed_tools=None
        if row["allowed_tools"] is None
        else read.value("allowed_tools", _decode_all_allowed, row["allowed_tools"], ()),
        deleted_at=row["deleted_at"],
        shared_at=row["shared_at"],
        damage=read.damage,
    )


def _decode_all_allowed(value: Any) -> tuple[AllowedTool, ...]:
    return tuple(map(_decode_allowed, value))


def _decode_allowed(value: dict[str, Any]) -> AllowedTool:
    patterns = tuple(ArgumentPattern(one["name"], one["pattern"]) for one in value["arguments"])
    return AllowedTool(value["server_id"], value["tool"], patterns, value["ask"])
