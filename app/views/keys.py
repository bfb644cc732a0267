"""Every key of the page in one table, and which keys an action may be given instead.

A key is written as the character that it types: "G" is Shift and g. The space bar is "Space". An action may have
another key, or none (""). Its name and what it does are texts of the catalogue (`keys.name`, `keys.does`). Not here:
the events of the keyboard.

>>> flag = ACTIONS_BY_ID["flag"]
>>> key_of(flag, {}), key_of(flag, {"flag": "f"}), key_of(flag, {"flag": ""}), key_name("G")
('a', 'f', '', 'Shift+G')
>>> refusal_of(flag, "j", {}), refusal_of(flag, "j", {"next_part": "f"})
('j is the key of “Next part”. Give that one another key first.', '')
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from app.language.translation import translate


class Mode(StrEnum):
    """Where a key acts: while one reads, writes or filters, or everywhere."""

    VIEW = "VIEW"
    INPUT = "INPUT"
    COMMAND = "COMMAND"
    ANYWHERE = "anywhere"


class RowKey(StrEnum):
    """What keys do to the row of the conversation list whose link has the focus."""

    PIN = "p"
    ARCHIVE = "a"
    MOVE = "m"
    UNREAD = "u"
    SELECT = "s"
    RENAME = "F2"
    DELETE = "Delete"


@dataclass(frozen=True)
class KeyAction:
    """Something that has a key. `fixed`: it cannot be given another one."""

    id: str
    key: str
    mode: Mode
    fixed: bool = False

    @property
    def name(self) -> str:
        """What it is called, in the language of the reader."""
        return translate(f"keys.name.{self.id}")

    @property
    def does(self) -> str:
        """What it does, in the language of the reader."""
        return translate(f"keys.does.{self.id}")


ACTIONS: Final[tuple[KeyAction, ...]] = (
    KeyAction("next_part", "j", Mode.VIEW),
    KeyAction("previous_part", "k", Mode.VIEW),
    KeyAction("previous_pair", "u", Mode.VIEW),
    KeyAction("next_pair", "d", Mode.VIEW),
    KeyAction("first_pair", "g", Mode.VIEW),
    KeyAction("last_pair", "G", Mode.VIEW),
    KeyAction("newest_reply", "n", Mode.VIEW),
    KeyAction("first_sent", "O", Mode.VIEW),
    KeyAction("one_star", "1", Mode.VIEW),
    KeyAction("two_stars", "2", Mode.VIEW),
    KeyAction("three_stars", "3", Mode.VIEW),
    KeyAction("no_stars", "0", Mode.VIEW),
    KeyAction("flag", "a", Mode.VIEW),
    KeyAction("mark", "i", Mode.VIEW),
    KeyAction("topic", "t", Mode.VIEW),
    KeyAction("copy", "y", Mode.VIEW),
    KeyAction("edit", "e", Mode.VIEW),
    KeyAction("regenerate", "r", Mode.VIEW),
    KeyAction("swap", "E", Mode.VIEW),
    KeyAction("fork", "b", Mode.VIEW),
    KeyAction("delete", "x", Mode.VIEW),
    KeyAction("preview", "p", Mode.VIEW),
    KeyAction("branches", "B", Mode.VIEW),
    KeyAction("summarise", "s", Mode.VIEW),
    KeyAction("filter", "/", Mode.VIEW),
    KeyAction("new_conversation", "N", Mode.VIEW),
    KeyAction("next_conversation", "J", Mode.VIEW),
    KeyAction("previous_conversation", "K", Mode.VIEW),
    KeyAction("scroll", "Space", Mode.VIEW, fixed=True),
    KeyAction("help", "?", Mode.VIEW),
    KeyAction("undo", "Ctrl+Z", Mode.VIEW, fixed=True),
    KeyAction("to_input", "Enter", Mode.VIEW, fixed=True),
    KeyAction("to_command", "Esc", Mode.VIEW, fixed=True),
    KeyAction("send", "Enter", Mode.INPUT, fixed=True),
    KeyAction("dry_run", "Ctrl+Shift+Enter", Mode.INPUT, fixed=True),
    KeyAction("break", "Shift+Enter", Mode.INPUT, fixed=True),
    KeyAction("emphasis", "Ctrl+B Ctrl+I Ctrl+E", Mode.INPUT, fixed=True),
    KeyAction("compare", "Alt+Enter", Mode.INPUT, fixed=True),
    KeyAction("prompts", "/", Mode.INPUT, fixed=True),
    KeyAction("edit_queued", "↑", Mode.INPUT, fixed=True),
    KeyAction("leave_input", "Esc", Mode.INPUT, fixed=True),
    KeyAction("apply", "Enter", Mode.COMMAND, fixed=True),
    KeyAction("leave_command", "Esc", Mode.COMMAND, fixed=True),
    KeyAction("stop", "Esc Esc", Mode.ANYWHERE, fixed=True),
    KeyAction("palette", "Ctrl+K", Mode.ANYWHERE, fixed=True),
    KeyAction("help_anywhere", "F1", Mode.ANYWHERE, fixed=True),
)
FREE_ACTIONS: Final = tuple(action for action in ACTIONS if not action.fixed)
ACTIONS_BY_ID: Final = {action.id: action for action in ACTIONS}


def key_of(action: KeyAction, own: Mapping[str, str]) -> str:
    """The key of an action, "" if it has none. `own` are the keys that differ from the usual ones, by action."""
    return action.key if action.fixed else own.get(action.id, action.key)


def key_name(key: str) -> str:
    """A key as people write it."""
    return f"Shift+{key}" if len(key) == 1 and unicodedata.category(key) == "Lu" else key


def refusal_of(action: KeyAction, key: str, own: Mapping[str, str]) -> str:
    """Why an action cannot have this key, "" if it can."""
    if key != "Space" and not _types_something(key):
        return translate("keys.not_free", key=key)
    others = (each for each in FREE_ACTIONS if each.id != action.id and key_of(each, own) == key)
    owner = next(others, None)
    return "" if owner is None else translate("keys.taken", key=key_name(key), name=owner.name)


def _types_something(key: str) -> bool:
    return len(key) == 1 and not key.isspace() and not unicodedata.category(key).startswith("C")
