"""The palette: one field that finds conversations by their texts, and commands, agents and settings by their names.

    await tab.send(PaletteState.show)
    await tab.send(PaletteState.search, text="garden")

The browser walks the rows and opens those that are links; Python finds them and does what the others call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import reflex as rx

from app.domain.agents.agents import Agent
from app.domain.conversation.conversation import ConversationKind
from app.domain.conversation.search import as_typed
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.library.agent_commands import list_agents
from app.runs.library.preference_commands import read_preferences
from app.runs.people.administration import is_administrator
from app.runs.workbench import Workbench, current
from app.state.agents.choice import AgentState
from app.state.composer.parameters import ParametersState
from app.state.conversation_rows import ConversationItem, read_rows, search_rows
from app.state.inputs import text_in
from app.state.shell.palette_commands import Command, PageKind, call_command, find_commands, has_words, kind_of
from app.store.conversation.wanted import Wanted
from app.views.keys import ACTIONS_BY_ID, key_name, key_of
from app.views.screen.options import OptionRow

MAX_TEXT: Final = 1_000
"""Characters that are searched for at most."""
MAX_ID: Final = 100
RECENT: Final = 6
FOUND: Final = 20
"""Conversations that are listed: before anything is typed, and of those that are found."""
MIN_BEST: Final = 2
"""Characters of a name from which a command is put before all conversations."""

_AGENT: Final = "agent:"
_CHATS: Final = Wanted(kind=ConversationKind.AGENT)
_LISTED: Final = Wanted(kind=ConversationKind.AGENT, archived=False)
_BEST, _CONVERSATIONS, _LATEST, _AGENTS = (
    "palette.best_match",
    "palette.conversations",
    "palette.recent",
    "common.agents",
)


class PaletteState(rx.State):
    """`rows` are what was found for the text `answers`; `said` says how much, for screen readers."""

    open: rx.Field[bool] = rx.field(default=False)
    rows: rx.Field[tuple[OptionRow, ...]] = rx.field(())
    answers: rx.Field[str] = rx.field("")
    said: rx.Field[str] = rx.field("")
    _typed: str = ""

    @rx.event
    async def show(self) -> rx.event.EventType[()]:
        """Open it with nothing typed."""
        self.open, self.rows, self.answers, self.said, self._typed = True, (), "", "", ""
        return PaletteState.search("")

    @rx.event
    async def close(self) -> None:
        """Close it, also when another page is opened."""
        if self.open:
            self.reset()

    @rx.event(background=True)
    async def search(self, text: str) -> None:
        """List what has these words; the last one may still be growing."""
        typed = text_in(text, MAX_TEXT)
        if typed is None:
            return
        async with self:
            self._typed, page = typed, kind_of(self.router.url.path)
        found = await _find(current(), typed.strip(), page)
        async with self:
            if self.open and self._typed == typed:
                self.rows, self.said, self.answers = found.rows, found.said, typed

    @rx.event
    async def choose(self, value: str) -> Any:
        """Do what a row calls. The browser has closed the palette by then."""
        wanted, path = text_in(value, MAX_ID) or "", self.router.url.path
        if wanted.startswith(_AGENT) and kind_of(path) >= PageKind.COMPOSER:
            return [AgentState.choose(wanted.removeprefix(_AGENT)), ParametersState.refresh]
        return call_command(wanted, path)


@dataclass(frozen=True, slots=True)
class _Found:
    rows: tuple[OptionRow, ...]
    said: str


async def _find(wb: Workbench, text: str, page: PageKind) -> _Found:
    agents, own = await list_agents(wb, caller()), (await read_preferences(wb, caller())).keys
    administers = await is_administrator(wb, caller())
    others = (
        *(_describe_command(command, own) for command in find_commands(text, page, administers=administers)),
        *(_describe_agent(agent, page) for agent in agents if has_words(f"{agent.name} {translate(_AGENTS)}", text)),
    )
    if not text:
        items, _ = await read_rows(wb, _LISTED, limit=RECENT)
        return _Found((*(_describe(item, _LATEST) for item in items[:RECENT]), *others), "")
    found = await search_rows(wb, _CHATS, as_typed(text), limit=FOUND)
    best = tuple(replace(row, group=translate(_BEST)) for row in others if _begins(row.name, text))
    rest = tuple(row for row in others if not _begins(row.name, text))
    rows = (*best, *(_describe(item, _CONVERSATIONS) for item in found.rows), *rest)
    said = "palette.found_more" if found.more else "palette.found"
    return _Found(rows, translate(said, conversations=len(found.rows), commands=len(others)))


def _begins(name: str, text: str) -> bool:
    return len(text) >= MIN_BEST and name.lower().startswith(text.lower())


def _describe(item: ConversationItem, group: str) -> OptionRow:
    note = translate("palette.temporary") if item.temporary else ""
    return OptionRow(f"conversation:{item.id}", item.name, note, translate(group), to=item.path, excerpt=item.excerpt)


def _describe_command(command: Command, own: Mapping[str, str]) -> OptionRow:
    key = key_name(key_of(ACTIONS_BY_ID[command.key], own)) if command.key else ""
    return OptionRow(command.id, command.name, key, command.group, to=command.to)


def _describe_agent(agent: Agent, page: PageKind) -> OptionRow:
    """Where something can be written the agent is chosen for it, elsewhere its form is opened."""
    name = f"{agent.icon} {agent.name}".strip()
    to, note = (
        ("", translate("palette.answers_from_now_on"))
        if page >= PageKind.COMPOSER
        else (f"/agents?agent={agent.id}", translate("palette.edit"))
    )
    return OptionRow(f"{_AGENT}{agent.id}", name, note, translate(_AGENTS), to=to)
