"""What can be done with agents: create, change, delete, bring back, take in from a file.

    agent = await create_agent(wb, LOCAL_OWNER, {"name": "Reviewer", "system_prompt": "Find the fault."})

An agent that is changed or deleted answers differently from the next send on, in every conversation that has it, and
what is on the screen of those says so at once. What it answered before keeps its name and its parameters.

Not here: which agent answers (`runs/send/context_selection.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from typing_extensions import TypedDict

from app.domain.agents.agents import MAX_AGENTS, Agent, free_name, require_free, require_readable, require_usable
from app.domain.conversation.conversation import Parameters
from app.domain.errors import ConflictError
from app.domain.tools.permissions import AllowedTool
from app.runs.process.event_bus import ConversationChanged
from app.runs.process.ids import new_id, now
from app.runs.process.shielded import shielded
from app.runs.workbench import Workbench
from app.store.settings import agents


class AgentFields(TypedDict, total=False):
    """What a person says of an agent. What is left out stays as it is, or is empty."""

    name: str
    icon: str
    description: str
    model: str | None
    system_prompt: str
    parameters: Parameters
    server_ids: tuple[str, ...] | None
    allowed_tools: tuple[AllowedTool, ...] | None


async def list_agents(wb: Workbench, owner: str) -> tuple[Agent, ...]:
    """An owner's agents by name."""
    async with wb.store.read() as session:
        return await agents.load_agents(session, owner)


async def read_agent(wb: Workbench, owner: str, agent_id: str) -> Agent:
    """One agent.

    Raises:
        NotFoundError: no such agent of this owner.
    """
    async with wb.store.read() as session:
        return await agents.load_agent(session, owner, agent_id)


@shielded
async def create_agent(wb: Workbench, owner: str, fields: AgentFields) -> Agent:
    """A new agent.

    Raises:
        InputError: a field cannot be what it is to be.
        ConflictError: another bears the name, or there are too many.
    """
    agent = _make(owner, fields)
    require_usable(agent)
    async with wb.store.write() as session:
        known = await agents.load_agents(session, owner)
        require_free(known, agent)
        _require_room(known, 1)
        await agents.insert_agents(session, [agent])
    return agent


@shielded
async def change_agent(wb: Workbench, owner: str, agent_id: str, fields: AgentFields) -> Agent:
    """Change what is named; all else stays.

    Raises:
        NotFoundError: no such agent of this owner.
        InputError: a field cannot be what it is to be.
        ConflictError: another bears the name.
    """
    async with wb.store.write() as session:
        stored = await agents.load_agent(session, owner, agent_id)
        left = tuple(one for one in stored.damage if one.column not in fields)
        agent = replace(stored, **fields, updated_at=now(), damage=left)
        require_readable(agent)  # what cannot be read and is not replaced would be lost
        require_usable(agent)
        require_free(await agents.load_agents(session, owner), agent)
        await agents.save_agent(session, agent)
    _tell(wb, owner)
    return agent


@shielded
async def delete_agent(wb: Workbench, owner: str, agent_id: str) -> None:
    """Delete an agent; conversations that have it go on without one, until it is brought back.

    Raises:
        NotFoundError: no such agent of this owner.
    """
    async with wb.store.write() as session:
        await agents.set_deleted(session, owner, agent_id, now())
    _tell(wb, owner)


@shielded
async def restore_agent(wb: Workbench, owner: str, agent_id: str) -> Agent:
    """Bring back an agent that was deleted; conversations that had it have it again.

    Raises:
        NotFoundError: no such agent of this owner was deleted.
        ConflictError: another bears its name now, or there are too many.
    """
    async with wb.store.write() as session:
        agent = await agents.load_agent(session, owner, agent_id, deleted=True)
        known = await agents.load_agents(session, owner)
        require_free(known, agent)
        _require_room(known, 1)
        await agents.set_deleted(session, owner, agent_id, None)
    _tell(wb, owner)
    return replace(agent, deleted_at=None)


@shielded
async def import_agents(wb: Workbench, owner: str, wanted: Sequence[AgentFields]) -> tuple[Agent, ...]:
    """New agents, as of a file. One whose name is taken gets a number behind it.

    Raises:
        InputError: a field of one cannot be what it is to be.
        ConflictError: there would be too many.
    """
    made: list[Agent] = []
    async with wb.store.write() as session:
        known = await agents.load_agents(session, owner)
        _require_room(known, len(wanted))
        for fields in wanted:
            agent = _make(owner, fields)
            require_usable(agent)
            made.append(replace(agent, name=free_name(agent.name, [one.name for one in (*known, *made)])))
        await agents.insert_agents(session, made)
    return tuple(made)


def _make(owner: str, fields: AgentFields) -> Agent:
    at = now()
    given: dict[str, Any] = {"name": "", **fields}
    return Agent(id=new_id(), owner=owner, created_at=at, updated_at=at, **given)


def _require_room(known: Sequence[Agent], more: int) -> None:
    if len(known) + more > MAX_AGENTS:
        raise ConflictError(f"There are {len(known)} agents; {MAX_AGENTS} is the most. Delete some that nobody uses.")


def _tell(wb: Workbench, owner: str) -> None:
    """Whoever has a conversation on the screen reads again who answers there: a menu of agents changes rarely."""
    for bench in filter(None, (wb, wb.beside.bench)):
        for conversation_id in bench.event_bus.watched(owner):
            bench.event_bus.publish(owner, conversation_id, ConversationChanged())
