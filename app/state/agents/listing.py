"""The list of agents on their page: delete with undo, and the results of an import.

The form of an agent is in `form.py`, the choice of one for a conversation in `choice.py`. The export needs no handler:
the browser downloads the file from the API.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.agents.agents import Agent
from app.domain.errors import InputError, InviewError
from app.runs.agents.agent_commands import delete_agent, list_agents, read_agent, restore_agent
from app.runs.app_context import current
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.agents.choice import load_model_names
from app.state.agents.fields import describe_damage
from app.state.messages.toasts import Undo, show_fault, show_toast
from app.state.sidebar.sidebar import SidebarState
from app.state.tab.inputs import json_in

_MAX_DESCRIPTION: Final = 120
_MAX_NAME: Final = 200
_MAX_ANSWER: Final = 18_000_000
_NOT_JSON: Final = "urn:inview:problem:malformed-body"


@dataclass(frozen=True)
class AgentItem:
    """An agent in the list of agents.

    - `icon`: the first letter of the name, if the agent has no icon.
    - `about`: its description or the first line of its prompt, and its model.
    - `damage`: names the parts that cannot be read, "" for none.
    """

    id: str
    name: str
    icon: str
    about: str
    damage: str = ""


class AgentListState(rx.State):
    """The list of agents. `loaded`: `items` were read.

    `focused` is the form that was open last, in the format of `AgentFormState.editing` ("new", "agent a1"). When the
    list is shown again, the button that opens this form gets the focus.
    """

    items: rx.Field[tuple[AgentItem, ...]] = rx.field(())
    loaded: rx.Field[bool] = rx.field(default=False)
    focused: rx.Field[str] = rx.field("")

    @rx.event
    async def load(self) -> None:
        """Read and show the agents."""
        await self._read()

    @rx.event
    async def delete_agent(self, agent_id: str) -> rx.event.EventType[()]:
        """Delete an agent; the toast offers to restore it."""
        try:
            agent = await read_agent(current(), LOCAL_OWNER, str(agent_id))
            await delete_agent(current(), LOCAL_OWNER, agent.id)
        except InviewError as error:
            await show_fault(self, error)
        else:
            undo = cast(
                "EventSpec", AgentListState.restore_agent(agent.id)
            )  # a handler that is called on its class returns this type
            await show_toast(self, f"Deleted the agent “{agent.name}”", undo=Undo(undo))
        await self._read()
        return SidebarState.load

    @rx.event
    async def restore_agent(self, agent_id: str) -> rx.event.EventType[()]:
        """Restore a deleted agent. Undo sends this event."""
        try:
            await restore_agent(current(), LOCAL_OWNER, str(agent_id))
        except InviewError as error:
            await show_fault(self, error)
        await self._read()
        return SidebarState.load

    @rx.event
    async def finish_import(self, names: list[str], answers: list[str]) -> rx.event.EventType[()]:
        """Show the result of each file that the browser uploaded.

        `names` are the names of the files. `answers` are the server's JSON answers to them, "" if there was no answer.
        """
        messages: list[str] = []
        refused: list[str] = []
        for name, answer in zip(list(names), list(answers), strict=False):
            file = str(name)[:_MAX_NAME]
            try:
                messages.append(f"Imported {list_imported(answer)} from {file}.")
            except InputError as error:
                refused.append(f"Nothing was imported from {file}. {error.reason}")
        if messages:
            messages.append("The tools ask before each call, even if the file allows them.")
        message = " ".join((*refused, *messages))
        await (show_fault if refused else show_toast)(self, message)
        await self._read()
        return SidebarState.load

    @rx.event
    async def end_focus(self) -> None:
        """Clear `focused`, because the button that it names has the focus now and must not get the focus again."""
        self.focused = ""

    async def _read(self) -> None:
        agents = await list_agents(current(), LOCAL_OWNER)
        names = await load_model_names(agents)
        self.items = tuple(_describe(agent, names) for agent in agents)
        self.loaded = True


def _describe(agent: Agent, names: Mapping[str, str]) -> AgentItem:
    first = agent.description or agent.system_prompt.split("\n", 1)[0]
    words = f"{first[: _MAX_DESCRIPTION - 1]}…" if len(first) > _MAX_DESCRIPTION else first
    about = " · ".join(filter(None, (words, names.get(agent.model or "")))) or "No system prompt"
    damage = describe_damage(agent, "Press Edit.")
    return AgentItem(agent.id, agent.name, agent.icon or agent.name[0].upper(), about, damage)


def list_imported(answer: object) -> str:
    """Return the names of the agents that a file contained, from the server's answer to its upload.

    Raises:
        InputError: the file was refused, or there was no answer.
    """
    read = json_in(answer, _MAX_ANSWER)
    body = cast("dict[str, Any]", read) if isinstance(read, dict) else {}
    if isinstance(items := body.get("items"), list):
        agents = cast("list[object]", items)
        return ", ".join(f"“{cast('dict[str, Any]', one).get('name')}”" for one in agents if isinstance(one, dict))
    if body.get("type") == _NOT_JSON:
        raise InputError("file", "The file is not JSON. Choose a file created by “Export”.")
    raise InputError("file", str(body.get("detail") or "Inview cannot be reached. Try again in a moment."))
