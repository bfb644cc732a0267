"""The choice of an agent: which one answers here, and which others there are."""

from __future__ import annotations

import reflex as rx

from app.domain.agents.agents import Agent
from app.domain.errors import NotFoundError
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.library.agent_commands import list_agents
from app.runs.send.commands import change_conversation
from app.runs.workbench import Workbench, bench_of, current
from app.state.address import conversation_in
from app.state.model import ModelState
from app.store.conversation.conversations import load_conversation, load_last_agent
from app.views.screen.options import OptionRow

NOBODY = "none"
"""What the menu calls having no agent; no id reads so."""
NOBODY_NAME = "common.no_agent"
_GROUP = "common.agents"


class AgentState(rx.State):
    """`chosen` is an agent's id, or `NOBODY`. Without any agent there is nothing to choose and no menu."""

    chosen: rx.Field[str] = rx.field(NOBODY)
    chosen_name: rx.Field[str] = rx.field("")
    rows: rx.Field[tuple[OptionRow, ...]] = rx.field(())
    _chosen_in: str | None = None

    @property
    def answering(self) -> str | None:
        """Who is to answer a new conversation: an agent's id, "" for none. None: that is not known here."""
        if self._chosen_in != "":
            return None
        return "" if self.chosen == NOBODY else self.chosen

    @rx.event
    async def load(self) -> None:
        """The agents there are, and that of the conversation on screen or, for a new one, that used last."""
        wb = current()
        agents = await list_agents(wb, caller())
        here = await self._agent_here(wb)
        self._chosen_in = conversation_in(self.router.url.path)
        found = next((agent for agent in agents if agent.id == here), None)
        self.chosen, self.chosen_name = (NOBODY, translate(NOBODY_NAME)) if found is None else (found.id, found.name)
        self.rows = _describe(agents) if agents else ()

    @rx.event
    async def choose(self, agent_id: str) -> rx.event.EventType[()] | None:
        """Choose the agent that answers from now on, with its model; `NOBODY`: none."""
        conversation_id = conversation_in(self.router.url.path)
        wanted = "" if agent_id == NOBODY else agent_id
        if conversation_id:
            bench = await bench_of(current(), conversation_id)
            await change_conversation(bench, caller(), conversation_id, agent_id=wanted)
        agents = {agent.id: agent for agent in await list_agents(current(), caller())}
        found = agents.get(wanted)
        self.chosen, self.chosen_name = (NOBODY, translate(NOBODY_NAME)) if found is None else (found.id, found.name)
        if conversation_id:
            return ModelState.load
        return ModelState.choose(found.model) if found is not None and found.model is not None else None

    async def _agent_here(self, wb: Workbench) -> str | None:
        conversation_id = conversation_in(self.router.url.path)
        try:
            if not conversation_id:
                async with wb.store.read() as session:
                    return await load_last_agent(session, caller())
            async with (await bench_of(wb, conversation_id)).store.read() as session:
                return (await load_conversation(session, caller(), conversation_id)).agent_id
        except NotFoundError:
            return None  # the page says that the conversation is missing


async def begin_with_agent(state: rx.State, agent: Agent) -> None:
    """Let this agent answer the new conversation on screen."""
    agents = await state.get_state(AgentState)
    agents.chosen, agents.chosen_name = agent.id, agent.name


def _describe(agents: tuple[Agent, ...]) -> tuple[OptionRow, ...]:
    return (OptionRow(NOBODY, translate(NOBODY_NAME), group=translate(_GROUP)), *map(_describe_one, agents))


def _describe_one(agent: Agent) -> OptionRow:
    note = "" if agent.model is None else agent.model.partition(":")[2]
    return OptionRow(agent.id, f"{agent.icon} {agent.name}".strip(), note, translate(_GROUP))
