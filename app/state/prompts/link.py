"""A link that fills in a new conversation: `/c/new?prompt=&model=&agent=`. Nothing is sent by it.

    /c/new?prompt=Hello%20there&model=anthropic:claude-sonnet-5&agent=Reviewer

The page of the link takes what it says and goes on to the first page, so that a reload there fills in nothing again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qs

import reflex as rx

from app.domain.errors import InputError
from app.domain.pattern import fold
from app.language.faults import translate_fault
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.library.agent_commands import list_agents
from app.runs.workbench import current
from app.state.agents.choice import begin_with_agent
from app.state.composer.orders import make_order
from app.state.composer.parameters import ParametersState
from app.state.composer.state import ComposerState
from app.state.composer.views import OrderKind
from app.state.model import begin_with_model
from app.state.shell.notice import NoticeState

MAX_PROMPT: Final = 20_000
"""Characters of the text of a link. Longer addresses are cut by browsers and proxies."""
_MAX_NAME: Final = 300
_HOME: Final = "/"


@dataclass(frozen=True)
class Linked:
    """What a link says, "" where it says nothing."""

    prompt: str
    model: str
    agent: str


class LinkState(rx.State):
    """What a link says is kept until the first page is there."""

    _linked: Linked | None = None

    @rx.event
    async def take(self) -> rx.event.EventType[()]:
        """Read the address, and go to the first page."""
        self._linked = read_link(self.router.url.query)
        return rx.redirect(_HOME, replace=True)

    @rx.event
    async def fill(self) -> rx.event.EventType[()] | None:
        """Fill in what the link said, once, and say what of it cannot be used."""
        linked, self._linked = self._linked, None
        if linked is None:
            return None
        faults: list[str] = []
        model = linked.model
        if linked.agent:
            agents = await list_agents(current(), caller())
            wanted = fold(linked.agent)
            agent = next((one for one in agents if one.id == linked.agent or fold(one.name) == wanted), None)
            if agent is None:
                faults.append(translate("prompts.no_such_agent", name=_shorten(linked.agent)))
            else:
                await begin_with_agent(self, agent)
                model = model or agent.model or ""
        if model:
            try:
                await begin_with_model(self, model)
            except InputError as error:
                faults.append(
                    translate("prompts.model_unusable", model=_shorten(model), reason=translate_fault(error.reason))
                )
        if len(linked.prompt) > MAX_PROMPT:
            faults.append(translate("prompts.text_left_out", most=MAX_PROMPT))
        elif linked.prompt:
            (await self.get_state(ComposerState)).order = make_order(OrderKind.PUT, linked.prompt)
        if faults:
            notice = await self.get_state(NoticeState)
            notice.message = " ".join(("Not all of the link could be used.", *faults))
        return ParametersState.refresh


def read_link(query: str) -> Linked:
    r"""What an address asks for.

    >>> read_link("prompt=Hello%0Athere&agent=Reviewer")
    Linked(prompt='Hello\nthere', model='', agent='Reviewer')
    """
    found = {name: values[0] for name, values in parse_qs(query).items()}
    return Linked(found.get("prompt", ""), found.get("model", ""), found.get("agent", ""))


def _shorten(name: str) -> str:
    return name if len(name) <= _MAX_NAME else f"{name[: _MAX_NAME - 1]}…"
