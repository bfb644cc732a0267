"""The keys of the page in one table, and the rules for other keys of an action.

A key is written as the character that it types: "G" is Shift and g. The space bar is "Space". An action may have
another key, or none (""). Not here: what an action does, and the events of the keyboard.

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


class Mode(StrEnum):
    """The part of the page where a key acts.

    VIEW: outside text boxes, while single keys are on. INPUT: in the message box. COMMAND: in the filter bar.
    """

    VIEW = "VIEW"
    INPUT = "INPUT"
    COMMAND = "COMMAND"
    ANYWHERE = "anywhere"


@dataclass(frozen=True)
class KeyAction:
    """An action with a key. `fixed`: its key cannot be changed."""

    id: str
    key: str
    mode: Mode
    name: str
    does: str
    fixed: bool = False


ACTIONS: Final[tuple[KeyAction, ...]] = (
    KeyAction(
        "next_part", "j", Mode.VIEW, "Next part", "The next part of the conversation; in a long one, further down in it"
    ),
    KeyAction("previous_part", "k", Mode.VIEW, "Previous part", "The part before; in a long one, further up in it"),
    KeyAction("previous_pair", "u", Mode.VIEW, "Previous pair", "Up to the pair before"),
    KeyAction("next_pair", "d", Mode.VIEW, "Next pair", "Down to the pair after"),
    KeyAction("first_pair", "g", Mode.VIEW, "First pair", "To where the conversation begins"),
    KeyAction("last_pair", "G", Mode.VIEW, "Last pair", "To the end; a reply that runs is followed again"),
    KeyAction("newest_reply", "n", Mode.VIEW, "Newest reply", "To the first part of the newest reply"),
    KeyAction(
        "first_sent", "O", Mode.VIEW, "First pair that is sent", "To the oldest pair that the next send includes"
    ),
    KeyAction("one_star", "1", Mode.VIEW, "1 star", "Gives the pair one star"),
    KeyAction("two_stars", "2", Mode.VIEW, "2 stars", "Gives the pair two stars"),
    KeyAction("three_stars", "3", Mode.VIEW, "3 stars", "Gives the pair three stars"),
    KeyAction("no_stars", "0", Mode.VIEW, "No stars", "Takes the pair's stars away"),
    KeyAction("flag", "a", Mode.VIEW, "Flag", "Flags the pair, or takes the flag away"),
    KeyAction("mark", "i", Mode.VIEW, "Tag for filters", "Tags the pair “include”, then “exclude”, then not at all"),
    KeyAction("topic", "t", Mode.VIEW, "Topic", "Files the pair under a topic"),
    KeyAction("copy", "y", Mode.VIEW, "Copy", "Copies the part's text as it was written"),
    KeyAction("edit", "e", Mode.VIEW, "Edit and resend", "Edits the request in its place; Enter sends it again"),
    KeyAction(
        "regenerate",
        "r",
        Mode.VIEW,
        "Answer again",
        "Asks for another reply, by this or another model, or by several side by side",
    ),
    KeyAction("swap", "E", Mode.VIEW, "Other version", "Swaps with the previous version, and back"),
    KeyAction(
        "fork", "b", Mode.VIEW, "Fork from here", "Starts a new conversation with copies of the pairs up to this one"
    ),
    KeyAction("delete", "x", Mode.VIEW, "Delete", "Deletes the pair, after asking where there is a reply"),
    KeyAction("preview", "p", Mode.VIEW, "Preview", "Shows exactly what would be sent now"),
    KeyAction("branches", "B", Mode.VIEW, "Branches", "Shows the tree of conversations forked from each other"),
    KeyAction("log", "l", Mode.VIEW, "Log", "Shows requests for titles and summaries, and costs of removed messages"),
    KeyAction(
        "summarise",
        "s",
        Mode.VIEW,
        "Summarise",
        "Has pairs in view summarised; the summary is then sent in their place",
    ),
    KeyAction("filter", "/", Mode.VIEW, "Filter", "To the filter bar"),
    KeyAction("new_conversation", "N", Mode.VIEW, "New conversation", "To the page where a conversation begins"),
    KeyAction("next_conversation", "J", Mode.VIEW, "Next conversation", "The one below this in the list"),
    KeyAction("previous_conversation", "K", Mode.VIEW, "Previous conversation", "The one above this in the list"),
    KeyAction("scroll", "Space", Mode.VIEW, "Scroll", "A screen further down; Shift+Space further up", fixed=True),
    KeyAction("help", "?", Mode.VIEW, "Keys", "Opens this sheet"),
    KeyAction(
        "undo",
        "Ctrl+Z",
        Mode.VIEW,
        "Undo",
        "Takes the last change back; also a deletion from before the page was opened",
        fixed=True,
    ),
    KeyAction("to_input", "Enter", Mode.VIEW, "Write", "To the message box", fixed=True),
    KeyAction("keys", "Esc", Mode.VIEW, "Single keys", "Turns single keys on; back to the message box", fixed=True),
    KeyAction(
        "send",
        "Enter",
        Mode.INPUT,
        "Send",
        "Sends what is written, Ctrl+Enter too; while a reply runs it waits in the queue",
        fixed=True,
    ),
    KeyAction(
        "dry_run",
        "Ctrl+Shift+Enter",
        Mode.INPUT,
        "Dry run",
        "Shows exactly what would be sent, and sends nothing",
        fixed=True,
    ),
    KeyAction(
        "break", "Shift+Enter", Mode.INPUT, "Line break", "Goes on in a new line; lists go on, fences close", fixed=True
    ),
    KeyAction(
        "emphasis", "Ctrl+B Ctrl+I Ctrl+E", Mode.INPUT, "Bold, italic, code", "Wraps what is selected", fixed=True
    ),
    KeyAction(
        "compare",
        "Alt+Enter",
        Mode.INPUT,
        "Compare",
        "Puts what is written to several models; shows the replies that are compared",
        fixed=True,
    ),
    KeyAction("prompts", "/", Mode.INPUT, "Prompts", "In an empty box: the prompts of your MCP servers", fixed=True),
    KeyAction(
        "edit_queued", "↑", Mode.INPUT, "Edit what waits", "In an empty box: the last text of the queue", fixed=True
    ),
    KeyAction(
        "page",
        "PageUp PageDown",
        Mode.INPUT,
        "Scroll the history",
        "In a box of one line at most: a screen further up or down; the caret stays",
        fixed=True,
    ),
    KeyAction(
        "history_ends",
        "Ctrl+Home Ctrl+End",
        Mode.INPUT,
        "Ends of the history",
        "In an empty box: to the beginning or the end of the conversation",
        fixed=True,
    ),
    KeyAction(
        "leave_input",
        "Esc",
        Mode.INPUT,
        "Single keys",
        "In an empty box: turns single keys on. Else leaves the box; the draft stays",
        fixed=True,
    ),
    KeyAction("apply", "Enter", Mode.COMMAND, "Apply", "Applies the filter and leaves the filter bar", fixed=True),
    KeyAction("leave_command", "Esc", Mode.COMMAND, "Leave", "Leaves the filter bar", fixed=True),
    KeyAction(
        "stop", "Esc Esc", Mode.ANYWHERE, "Stop", "Stops the reply that runs; what was received stays", fixed=True
    ),
    KeyAction("help_anywhere", "F1", Mode.ANYWHERE, "Keys", "Opens this sheet", fixed=True),
)
FREE_ACTIONS: Final = tuple(action for action in ACTIONS if not action.fixed)
ACTIONS_BY_ID: Final = {action.id: action for action in ACTIONS}


def key_of(action: KeyAction, own: Mapping[str, str]) -> str:
    """Return the key of an action, "" if it has none. `own` has the keys that differ from the default, by action."""
    return action.key if action.fixed else own.get(action.id, action.key)


def key_name(key: str) -> str:
    """Return a key in the form that people write."""
    return f"Shift+{key}" if len(key) == 1 and unicodedata.category(key) == "Lu" else key


def describe_hints(own: Mapping[str, str]) -> str:
    r"""Describe some keys with their actions, for the bar above the composer. An action without a key is left out.

    A line breaks only between two of them.

    >>> describe_hints({}), describe_hints({"edit": "", "fork": "F"})
    ('j\xa0k\xa0move · e\xa0edit · b\xa0fork', 'j\xa0k\xa0move · Shift+F\xa0fork')
    """
    hints = (("next_part previous_part", "move"), ("edit", "edit"), ("fork", "fork"))
    named = ((" ".join(key_name(key_of(ACTIONS_BY_ID[one], own)) for one in ids.split()), does) for ids, does in hints)
    return " · ".join(f"{keys.strip()} {does}".replace(" ", "\u00a0") for keys, does in named if keys.strip())


def refusal_of(action: KeyAction, key: str, own: Mapping[str, str]) -> str:
    """Return why an action cannot have this key, "" if it can."""
    if key != "Space" and not _types_something(key):
        return (
            f"{key} belongs to the browser, to screen readers or to turning keys on. Take a letter, a digit or a sign."
        )
    others = (each for each in FREE_ACTIONS if each.id != action.id and key_of(each, own) == key)
    owner = next(others, None)
    return "" if owner is None else f"{key_name(key)} is the key of “{owner.name}”. Give that one another key first."


def _types_something(key: str) -> bool:
    return len(key) == 1 and not key.isspace() and not unicodedata.category(key).startswith("C")
