"""The commands that the palette offers: each is an event of another state, or the address of a page.

    >>> [command.name for command in find_commands("dark", PageKind.OTHER)]
    ['Dark colours']

Not here: the dialog and the search for conversations (`palette.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, Final

import reflex as rx

from app.language.translation import translate
from app.state.address import conversation_in
from app.state.composer.inserting import InsertingState
from app.state.composer.menus import MenuState
from app.state.composer.parameters import ParametersState
from app.state.composer.schema import SchemaState
from app.state.filters.sheet import SheetState
from app.state.inspector.frame import InspectorState
from app.state.model import ModelState
from app.state.reply.summary import SummaryState
from app.state.settings.appearance import AppearanceState
from app.state.settings.sections import SECTIONS
from app.state.shell.undo import UndoState
from app.state.sidebar import SidebarState
from app.state.system_prompt import SystemPromptState

ACTIONS: Final = "palette.actions"
PAGES: Final = "palette.pages"
SETTINGS: Final = "common.settings"


class PageKind(IntEnum):
    """What the page has. A command for one kind works on the later ones as well."""

    OTHER = 0
    COMPOSER = 1
    CONVERSATION = 2


@dataclass(frozen=True, slots=True)
class Command:
    """`name`, `group` and `words` are keys of texts.

    `call` makes its event from the id of the conversation on screen; instead, `to` is an address.

    `words` are others that it is found by. `key` is the action whose key does the same. `administers`: it is
    of use to owners and admins alone.
    """

    id: str
    name: str
    call: Callable[[str], Any] | None = None
    to: str = ""
    group: str = ACTIONS
    words: str = ""
    key: str = ""
    page: PageKind = PageKind.OTHER
    administers: bool = False


_WRITING, _READING = PageKind.COMPOSER, PageKind.CONVERSATION

COMMANDS: Final[tuple[Command, ...]] = (
    Command("new", "palette.new", to="/", words="palette.words.new", key="new_conversation"),
    Command(
        "model",
        "palette.model",
        lambda _: [MenuState.show_models, ModelState.look],
        words="palette.words.model",
        page=_WRITING,
    ),
    Command(
        "system_prompt",
        "palette.system_prompt",
        lambda _: SystemPromptState.edit,
        words="palette.words.system_prompt",
        page=_WRITING,
    ),
    Command(
        "parameters",
        "palette.parameters",
        lambda _: ParametersState.ask,
        words="palette.words.parameters",
        page=_WRITING,
    ),
    Command("schema", "palette.schema", lambda _: SchemaState.ask, words="palette.words.schema", page=_WRITING),
    Command("insert", "palette.insert", lambda _: InsertingState.ask, words="palette.words.insert", page=_WRITING),
    Command(
        "preview",
        "palette.preview",
        lambda _: InspectorState.show("preview"),
        words="palette.words.preview",
        key="preview",
        page=_READING,
    ),
    Command(
        "tools", "palette.tools", lambda _: InspectorState.show("tools"), words="palette.words.tools", page=_READING
    ),
    Command(
        "usage_here",
        "palette.usage_here",
        lambda _: InspectorState.show("usage"),
        words="palette.words.usage_here",
        page=_READING,
    ),
    Command(
        "branches",
        "palette.branches",
        lambda _: InspectorState.show("branches"),
        words="palette.words.branches",
        key="branches",
        page=_READING,
    ),
    Command(
        "lineage",
        "palette.lineage",
        lambda _: InspectorState.show("lineage"),
        words="palette.words.lineage",
        page=_READING,
    ),
    Command(
        "summarise",
        "palette.summarise",
        lambda _: SummaryState.ask(""),
        words="palette.words.summarise",
        key="summarise",
        page=_READING,
    ),
    Command(
        "delete",
        "palette.delete",
        SidebarState.ask_delete,
        words="palette.words.delete",
        page=_READING,
    ),
    Command("next", "palette.next", lambda _: SidebarState.step(1), key="next_conversation"),
    Command("previous", "palette.previous", lambda _: SidebarState.step(-1), key="previous_conversation"),
    Command("undo", "palette.undo", lambda _: UndoState.undo_last, words="palette.words.undo", key="undo"),
    Command("keys", "palette.keys", lambda _: SheetState.show("keys"), words="palette.words.keys", key="help_anywhere"),
    Command("language", "palette.language", lambda _: SheetState.show("filter"), words="palette.words.language"),
    Command("light", "palette.light", lambda _: AppearanceState.choose_theme("light"), words="palette.words.theme"),
    Command("dark", "palette.dark", lambda _: AppearanceState.choose_theme("dark"), words="palette.words.theme"),
    Command("system", "palette.system", lambda _: AppearanceState.choose_theme("system"), words="palette.words.theme"),
    Command("pairs", "all_pairs.title", to="/pairs", group=PAGES, words="palette.words.pairs"),
    Command("usage", "palette.usage", to="/usage", group=PAGES, words="palette.words.usage"),
    Command("agents", "palette.agents", to="/agents", group=PAGES),
    Command("status", "status.title", to="/status", group=PAGES, administers=True),
    Command("audit", "audit.title", to="/audit", group=PAGES, administers=True),
    Command("trash", "palette.trash", to="/trash", group=PAGES, words="palette.words.trash"),
    Command("settings", "palette.settings", to="/settings", group=PAGES, words="palette.words.settings"),
    *(
        Command(f"settings_{anchor}", name, to=f"/settings#{anchor}", group=SETTINGS)
        for anchor, name in SECTIONS.items()
    ),
)


def kind_of(path: str) -> PageKind:
    """What the page at this address has."""
    if conversation_in(path):
        return PageKind.CONVERSATION
    return PageKind.COMPOSER if path in ("", "/") else PageKind.OTHER


def find_commands(text: str, page: PageKind, *, administers: bool = True) -> tuple[Command, ...]:
    """The commands of a page that have all words of this text, with their texts in the reader's language.

    `administers`: also those for owners and admins.
    """
    named = (
        replace(
            each,
            name=translate(each.name),
            group=translate(each.group),
            words=translate(each.words) if each.words else "",
        )
        for each in COMMANDS
    )
    return tuple(
        command
        for command in named
        if command.page <= page
        and command.administers <= administers
        and has_words(f"{command.name} {command.group} {command.words}", text)
    )


def call_command(command_id: str, path: str) -> Any | None:
    """The event of a command; None if there is none of that id on the page at this address."""
    found = next((each for each in COMMANDS if each.id == command_id and each.page <= kind_of(path)), None)
    if found is None:
        return None
    return rx.redirect(found.to) if found.call is None else found.call(conversation_in(path))


def has_words(text: str, words: str) -> bool:
    """Whether a text has all these words, or beginnings of them.

    >>> has_words("Choose a model", "mod"), has_words("Choose a model", "odel")
    (True, False)
    """
    begun = text.lower().split()
    return all(any(one.startswith(word) for one in begun) for word in words.lower().split())
