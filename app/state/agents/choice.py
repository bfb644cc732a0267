"""The choice of the agent that answers in the conversation on screen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import reflex as rx

from app.domain.agents.agents import Agent
from app.runs.agents.agent_commands import list_agents
from app.runs.app_context import context_for, current
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation
from app.runs.conversation.opening import OpenedConversation, read_opened
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.conversation.model import ModelState
from app.state.tab.address import conversation_in
from app.state.tab.changes import set_changed
from app.views.composer.options import OptionRow

NO_AGENT = "none"
"""The key of the menu entry for no agent. No agent has this id."""
NO_AGENT_NAME = "No agent"
_GROUP = "Agents"


class AgentState(rx.State):
    """The agent that answers in the conversation on screen, and the menu that changes it.

    `chosen` is the id of that agent, or "none". `rows` are the entries of the menu. The page hides the menu if it has
    no entries.
    """

    chosen: rx.Field[str] = rx.field(NO_AGENT)
    chosen_name: rx.Field[str] = rx.field(NO_AGENT_NAME)
    rows: rx.Field[tuple[OptionRow, ...]] = rx.field(())
    _chosen_in: str | None = None

    @property
    def answering(self) -> str | None:
        """The id of the agent that will answer in a new conversation, "" for no agent.

        None if this state has not been loaded on the start page, so that the agent is not known yet.
        """
        if self._chosen_in != "":
            return None
        return "" if self.chosen == NO_AGENT else self.chosen

    @rx.event
    async def load(self) -> None:
        """Load the agents, and choose the agent of the conversation on screen.

        On the start page, choose the agent that was used last.
        """
        here = conversation_in(self.router.url.path)
        show_agents(self, await read_opened(current(), LOCAL_OWNER, here, searches=False))

    @rx.event
    async def choose(self, agent_id: str) -> rx.event.EventType[()] | None:
        """Use this agent for the next replies; "none": no agent. Also choose the agent's model."""
        conversation_id = conversation_in(self.router.url.path)
        chosen_id = "" if agent_id == NO_AGENT else agent_id
        if conversation_id:
            ctx = await context_for(current(), conversation_id)
            await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(agent_id=chosen_id))
        agents = {agent.id: agent for agent in await list_agents(current(), LOCAL_OWNER)}
        found = agents.get(chosen_id)
        self.chosen, self.chosen_name = (NO_AGENT, NO_AGENT_NAME) if found is None else (found.id, found.name)
        if conversation_id:
            return ModelState.load
        return ModelState.choose(found.model) if found is not None and found.model is not None else None


def show_agents(state: AgentState, opened: OpenedConversation) -> None:
    """Show the agents, and choose the one that answers in the conversation on screen."""
    state._chosen_in, found = opened.id, opened.agent  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - public methods are for browsers
    chosen, name = (NO_AGENT, NO_AGENT_NAME) if found is None else (found.id, found.name)
    set_changed(state, chosen=chosen, chosen_name=name)
    state.rows = _describe(opened.agents, opened.model_names) if opened.agents else ()


async def load_model_names(agents: Iterable[Agent]) -> dict[str, str]:
    """Return the display names of the models that these agents use, by model."""
    ctx = current()
    async with ctx.store.read() as session:
        models = (agent.model for agent in agents if agent.model)
        return await ctx.catalogue.load_names(session, LOCAL_OWNER, models)


def _describe(agents: tuple[Agent, ...], names: Mapping[str, str]) -> tuple[OptionRow, ...]:
    none = OptionRow(NO_AGENT, NO_AGENT_NAME, group=_GROUP)
    return (none, *(_describe_one(agent, names.get(agent.model or "", "")) for agent in agents))


def _describe_one(agent: Agent, note: str) -> OptionRow:
    return OptionRow(agent.id, f"{agent.icon} {agent.name}".strip(), note, _GROUP)
