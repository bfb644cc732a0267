"""The list on the page of agents: delete with undo, and the answer to an import.

Not the form of one (`form.py`) nor the choice of one in a conversation (`choice.py`). Exporting needs no handler: it is
the download of an address.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.agents.agents import Agent
from app.domain.errors import InputError, InviewError
from app.language.faults import translate_fault
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.library.agent_commands import delete_agent, list_agents, read_agent, restore_agent, share_agent
from app.runs.library.sharing import Sharing, read_sharing
from app.runs.workbench import current
from app.state.file_answers import read_answer, refuse
from app.state.sidebar import SidebarState
from app.state.toasts import show_fault, show_toast

_MAX_DESCRIPTION: Final = 120


@dataclass(frozen=True)
class AgentItem:
    """A row of the list. `icon` is the first letter of the name if the agent has none.

    `shared`: others may use it; `shared_by` says who shares it, "" for one's own. `changeable`: it may be edited here.
    """

    id: str
    name: str
    icon: str
    about: str
    shared: bool = False
    shared_by: str = ""
    changeable: bool = True


class AgentListState(rx.State):
    """`focused` names the button that gets the focus when the list comes back, as `AgentFormState.editing` does.

    `offered`: there are others to share with.
    """

    items: rx.Field[tuple[AgentItem, ...]] = rx.field(())
    loaded: rx.Field[bool] = rx.field(default=False)
    offered: rx.Field[bool] = rx.field(default=False)
    focused: rx.Field[str] = rx.field("")

    @rx.event
    async def share(self, agent_id: str, shared: bool) -> None:
        """Let everybody of the installation use an agent, or its owner alone again."""
        try:
            agent = await share_agent(current(), caller(), str(agent_id), shared=bool(shared))
        except InviewError as error:
            await show_fault(self, error)
        else:
            key = "agents.shared_agent" if shared else "agents.unshared_agent"
            await show_toast(self, translate(key, name=agent.name))
        await self._read()

    @rx.event
    async def load(self) -> None:
        """Show the agents by name."""
        await self._read()

    @rx.event
    async def delete_agent(self, agent_id: str) -> rx.event.EventType[()]:
        """Delete an agent; the toast offers to restore it."""
        try:
            agent = await read_agent(current(), caller(), str(agent_id))
            await delete_agent(current(), caller(), agent.id)
        except InviewError as error:
            await show_fault(self, error)
        else:
            undo = cast(
                "EventSpec", AgentListState.restore_agent(agent.id)
            )  # what calling a handler on its class gives
            await show_toast(self, translate("agents.deleted_name", name=agent.name), undo=undo)
        await self._read()
        return SidebarState.load

    @rx.event
    async def restore_agent(self, agent_id: str) -> rx.event.EventType[()]:
        """Undo a deletion."""
        try:
            await restore_agent(current(), caller(), str(agent_id))
        except InviewError as error:
            await show_fault(self, error)
        await self._read()
        return SidebarState.load

    @rx.event
    async def finish_import(self, file_name: str, answer: str) -> rx.event.EventType[()]:
        """Say what became of a file that the browser uploaded; `answer` is the JSON that came back, "" if none did."""
        try:
            await show_toast(self, _describe_import(answer))
        except InputError as error:
            await show_fault(
                self,
                translate("agents.import_failed", value=str(file_name)[:200], reason=translate_fault(error.reason)),
            )
        await self._read()
        return SidebarState.load

    @rx.event
    async def end_focus(self) -> None:
        """Forget the button once it has the focus: the list takes it no second time."""
        self.focused = ""

    async def _read(self) -> None:
        sharing = await read_sharing(current(), caller())
        self.items = tuple(_describe(agent, sharing) for agent in await list_agents(current(), caller()))
        self.offered = sharing.offered
        self.loaded = True


def _describe(agent: Agent, sharing: Sharing) -> AgentItem:
    first = agent.description or agent.system_prompt.split("\n", 1)[0]
    words = f"{first[: _MAX_DESCRIPTION - 1]}…" if len(first) > _MAX_DESCRIPTION else first
    about = " · ".join(filter(None, (words, agent.model))) or translate("agents.no_prompt")
    icon, mine = agent.icon or agent.name[0].upper(), agent.owner == caller()
    by = "" if mine else sharing.names.get(agent.owner, translate("agents.somebody"))
    return AgentItem(
        agent.id, agent.name, icon, about, agent.shared_at is not None, by, changeable=mine or sharing.administers
    )


def _describe_import(answer: object) -> str:
    """Say which agents there are now.

    Raises:
        InputError: the file was refused, or never arrived.
    """
    body = read_answer(answer)
    if "items" not in body:
        refuse(body)
    names = ", ".join(f"“{item['name']}”" for item in body["items"])
    return translate("agents.imported", names=names)
