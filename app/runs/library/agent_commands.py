"""Commands on agents: create, change, delete, restore, import from a file.

    agent = await create_agent(wb, LOCAL_OWNER, {"name": "Reviewer", "system_prompt": "Find the fault."})

An agent that is changed or deleted answers differently from the next send on, in every conversation that has it, and
what is on the screen of those says so at once. What it answered before keeps its name and its parameters.

Not here: which agent answers (`runs/send/context_selection.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import TypedDict

from app.domain.agents.agents import MAX_AGENTS, Agent, free_name, list_preapproved, require_free, require_usable
from app.domain.conversation.conversation import Parameters
from app.domain.errors import ConflictError
from app.domain.people.audit import AuditEntry
from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.domain.tools.permissions import AllowedTool
from app.domain.tools.tools import BUILT_IN, BUILT_IN_NAME
from app.runs.caller import actor_for
from app.runs.library.sharing import require_changeable
from app.runs.process.event_bus import ConversationChanged
from app.runs.process.ids import new_id, now
from app.runs.process.shielded import shielded
from app.runs.workbench import Workbench
from app.store.audit.entries import insert_entry
from app.store.settings import agents
from app.store.tools.mcp_servers import load_servers


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
    """The agents that a person may use, by name: their own and those that others share."""
    async with wb.store.read() as session:
        return await agents.load_usable_agents(session, owner)


async def read_agent(wb: Workbench, owner: str, agent_id: str) -> Agent:
    """One agent that a person may use.

    Raises:
        NotFoundError: no such agent of this person, nor one that another shares.
    """
    async with wb.store.read() as session:
        return await agents.load_usable_agent(session, owner, agent_id)


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
        await _audit_preapproved(session, None, agent)
    return agent


@shielded
async def change_agent(wb: Workbench, owner: str, agent_id: str, fields: AgentFields) -> Agent:
    """Change what is named; all else stays. An admin may change one that another shares, but not its tools.

    Raises:
        NotFoundError: no such agent of this person, nor one that another shares.
        ForbiddenError: another person shares it.
        InputError: a field cannot be what it is to be.
        ConflictError: another bears the name.
    """
    async with wb.store.write() as session:
        before = await _load_changeable(wb, session, owner, agent_id)
        agent = replace(before, **fields, updated_at=now())
        if before.owner != owner:  # which calls are made unasked is for its owner to say
            agent = replace(agent, server_ids=before.server_ids, allowed_tools=before.allowed_tools)
        require_usable(agent)
        require_free(await agents.load_agents(session, agent.owner), agent)
        await agents.save_agent(session, agent)
        await _audit_preapproved(session, before, agent)
    _tell(wb, owner, shared=agent.shared_at is not None)
    return agent


@shielded
async def delete_agent(wb: Workbench, owner: str, agent_id: str) -> None:
    """Delete an agent. Conversations that have it continue without one, until it is restored.

    Raises:
        NotFoundError: no such agent of this owner.
    """
    async with wb.store.write() as session:
        agent = await agents.load_agent(session, owner, agent_id)
        await agents.set_deleted(session, owner, agent_id, now())
    _tell(wb, owner, shared=agent.shared_at is not None)


@shielded
async def share_agent(wb: Workbench, owner: str, agent_id: str, *, shared: bool) -> Agent:
    """Let everybody of the installation use an agent, or its owner alone again.

    What it answered stays as it is. Conversations of others that have it go on without one once it is not shared.

    Raises:
        NotFoundError: no such agent of this person, nor one that another shares.
        ForbiddenError: another person shares it.
    """
    async with wb.store.write() as session:
        agent = await _load_changeable(wb, session, owner, agent_id)
        at = (agent.shared_at or now()) if shared else None
        await agents.set_agent_shared(session, agent, at)
    _tell(wb, owner, shared=True)
    return replace(agent, shared_at=at)


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


async def _load_changeable(wb: Workbench, session: AsyncSession, actor_id: str, agent_id: str) -> Agent:
    """The agent as its owner has it, if this person may change it: it is theirs, or shared and they are an admin."""
    agent = await agents.load_usable_agent(session, actor_id, agent_id)
    await require_changeable(wb, session, actor_id, agent.owner)
    return await agents.load_agent(session, agent.owner, agent_id)


def _make(owner: str, fields: AgentFields) -> Agent:
    at = now()
    given: dict[str, Any] = {"name": "", **fields}
    return Agent(id=new_id(), owner=owner, created_at=at, updated_at=at, **given)


def _require_room(known: Sequence[Agent], more: int) -> None:
    if len(known) + more > MAX_AGENTS:
        raise ConflictError(f"There are {len(known)} agents; {MAX_AGENTS} is the most. Delete some that nobody uses.")


async def _audit_preapproved(session: AsyncSession, before: Agent | None, agent: Agent) -> None:
    """Write down which calls the agent may make without asking from now on, and which it may not any more."""
    was = () if before is None else list_preapproved(before)
    given = list_preapproved(agent)
    news = [(AuditAction.PREAPPROVED, entry) for entry in given if entry not in was]
    news += [(AuditAction.PREAPPROVAL_REVOKED, entry) for entry in was if entry not in given]
    if not news:
        return
    names = {BUILT_IN: BUILT_IN_NAME} | {
        one.server.id: one.server.name for one in await load_servers(session, agent.owner)
    }
    for action, entry in news:
        data: dict[str, Any] = {
            "server_id": entry.server_id,
            "server": names.get(entry.server_id, entry.server_id),
            "tool": entry.tool,
            "agent_id": agent.id,
            "agent": agent.name,
            "arguments": {each.name: each.pattern for each in entry.arguments},
            "by": "person",
        }
        actor = actor_for(agent.owner)
        await insert_entry(session, AuditEntry(agent.updated_at, actor, action, ObjectKind.AGENT, agent.id, None, data))


def _tell(wb: Workbench, owner: str, *, shared: bool = False) -> None:
    """Whoever has a conversation on the screen reads again who answers there: a menu of agents changes rarely."""
    for bench in filter(None, (wb, wb.beside.bench)):
        for one in bench.event_bus.watching() if shared else (owner,):
            for conversation_id in bench.event_bus.watched(one):
                bench.event_bus.publish(one, conversation_id, ConversationChanged())
