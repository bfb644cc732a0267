"""Commands for agents: create, change, delete, restore, import from a file.

    agent = await create_agent(ctx, LOCAL_OWNER, {"name": "Reviewer", "system_prompt": "Find the fault."})

A change or a deletion applies to the next send in every conversation that has the agent. Open pages of these
conversations show the change at once. Earlier replies keep the name and the parameters that the agent had.

Not here: the choice of the agent that answers (`runs/send/context_selection.py`).
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
from app.runs.app_context import AppContext
from app.runs.runtime.event_bus import ConversationChanged
from app.runs.runtime.ids import new_id, now
from app.runs.runtime.shielded import shielded
from app.store.agents import agents


class AgentFields(TypedDict, total=False):
    """The fields of an agent that a user sets. A missing field is empty in a new agent and unchanged in a change."""

    name: str
    icon: str
    description: str
    model: str | None
    system_prompt: str
    parameters: Parameters
    server_ids: tuple[str, ...] | None
    allowed_tools: tuple[AllowedTool, ...] | None


async def list_agents(ctx: AppContext, owner: str) -> tuple[Agent, ...]:
    """List an owner's agents by name."""
    async with ctx.store.read() as session:
        return await agents.load_agents(session, owner)


async def read_agent(ctx: AppContext, owner: str, agent_id: str) -> Agent:
    """Read one agent.

    Raises:
        NotFoundError: this owner has no such agent.
    """
    async with ctx.store.read() as session:
        return await agents.load_agent(session, owner, agent_id)


@shielded
async def create_agent(ctx: AppContext, owner: str, fields: AgentFields) -> Agent:
    """Create an agent.

    Raises:
        InputError: a field is invalid.
        ConflictError: another agent has this name, or the owner has too many agents.
    """
    agent = _make(owner, fields)
    require_usable(agent)
    async with ctx.store.write() as session:
        known = await agents.load_agents(session, owner)
        require_free(known, agent)
        _require_room(known, 1)
        await agents.insert_agents(session, [agent])
    return agent


@shielded
async def change_agent(ctx: AppContext, owner: str, agent_id: str, fields: AgentFields) -> Agent:
    """Change the given fields of an agent.

    Raises:
        NotFoundError: this owner has no such agent.
        InputError: a field is invalid.
        ConflictError: another agent has this name.
    """
    async with ctx.store.write() as session:
        stored = await agents.load_agent(session, owner, agent_id)
        left = tuple(one for one in stored.damage if one.column not in fields)
        agent = replace(stored, **fields, updated_at=now(), damage=left)
        # Without `require_readable(agent)`, an unreadable field would be lost if the change does not replace it.
        require_readable(agent)
        require_usable(agent)
        require_free(await agents.load_agents(session, owner), agent)
        await agents.save_agent(session, agent)
    _publish(ctx, owner)
    return agent


@shielded
async def delete_agent(ctx: AppContext, owner: str, agent_id: str) -> None:
    """Delete an agent. Its conversations continue without an agent until this agent is restored.

    Raises:
        NotFoundError: this owner has no such agent.
    """
    async with ctx.store.write() as session:
        await agents.set_deleted(session, owner, agent_id, now())
    _publish(ctx, owner)


@shielded
async def restore_agent(ctx: AppContext, owner: str, agent_id: str) -> Agent:
    """Restore a deleted agent. The conversations that had the agent have it again.

    Raises:
        NotFoundError: this owner has no such deleted agent.
        ConflictError: another agent has its name now, or the owner has too many agents.
    """
    async with ctx.store.write() as session:
        agent = await agents.load_agent(session, owner, agent_id, deleted=True)
        known = await agents.load_agents(session, owner)
        require_free(known, agent)
        _require_room(known, 1)
        await agents.set_deleted(session, owner, agent_id, None)
    _publish(ctx, owner)
    return replace(agent, deleted_at=None)


@shielded
async def import_agents(ctx: AppContext, owner: str, imported: Sequence[AgentFields]) -> tuple[Agent, ...]:
    """Create the agents of an import file. An agent whose name is taken gets a number after its name.

    Raises:
        InputError: a field of an agent is invalid.
        ConflictError: there would be too many agents.
    """
    made: list[Agent] = []
    async with ctx.store.write() as session:
        known = await agents.load_agents(session, owner)
        _require_room(known, len(imported))
        for fields in imported:
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
        raise ConflictError(
            f"You have {len(known)} agents. The maximum is {MAX_AGENTS}. Delete some that you do not use."
        )


def _publish(ctx: AppContext, owner: str) -> None:
    """Make every open page read the agent of its conversation again.

    Pages with an unchanged agent do this too: agents change rarely, so a selection of pages is not worth the code.
    """
    for each in filter(None, (ctx, ctx.temporary.ctx)):
        for conversation_id in each.event_bus.watched(owner):
            each.event_bus.publish(owner, conversation_id, ConversationChanged())
