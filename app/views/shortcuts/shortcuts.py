"""The table of all keys of the page with their actions, and the rules for a person who changes them.

A key is written as the character that it types: "G" is Shift and g. The space bar is "Space". A person may give an
action another key, or none (""). Not here: what an action does, and the handling of key events.

>>> flag = ACTIONS_BY_ID["flag"]
>>> key_of(flag, {}), key_of(flag, {"flag": "f"}), key_of(flag, {"flag": ""}), key_name("G")
('a', 'f', '', 'Shift+G')
>>> refusal_of(flag, "j", {}), refusal_of(flag, "j", {"next_part": "f"})
('j is already the key of “Next part”. Change that key first.', '')
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Mode(StrEnum):
    """The part of the page where a key acts.

    - VIEW: outside text fields. Keys that can be changed act only while single keys are on.
    - INPUT: in the message box.
    - COMMAND: in the filter bar.
    """

    VIEW = "VIEW"
    INPUT = "INPUT"
    COMMAND = "COMMAND"
    ANYWHERE = "anywhere"


@dataclass(frozen=True)
class KeyAction:
    """An action and its default key. `does` describes the action. `fixed`: a person cannot change the key."""

    id: str
    key: str
    mode: Mode
    name: str
    does: str
    fixed: bool = False


ACTIONS: Final[tuple[KeyAction, ...]] = (
    KeyAction("next_part", "j", Mode.VIEW, "Next part", "To the next part; scrolls down within a long part"),
    KeyAction("previous_part", "k", Mode.VIEW, "Previous part", "To the previous part; scrolls up within a long part"),
    KeyAction("previous_pair", "u", Mode.VIEW, "Previous pair", "To the start of the pair, then to the previous one"),
    KeyAction("next_pair", "d", Mode.VIEW, "Next pair", "Down to the next pair"),
    KeyAction("first_pair", "g", Mode.VIEW, "First pair", "To the start of the conversation"),
    KeyAction("last_pair", "G", Mode.VIEW, "Last pair", "To the end; follows a running reply again"),
    KeyAction("newest_reply", "n", Mode.VIEW, "Newest reply", "To the first part of the newest reply"),
    KeyAction(
        "first_sent", "O", Mode.VIEW, "First pair that is sent", "To the oldest pair that the next send includes"
    ),
    KeyAction("one_star", "1", Mode.VIEW, "1 star", "Gives the pair one star"),
    KeyAction("two_stars", "2", Mode.VIEW, "2 stars", "Gives the pair two stars"),
    KeyAction("three_stars", "3", Mode.VIEW, "3 stars", "Gives the pair three stars"),
    KeyAction("no_stars", "0", Mode.VIEW, "No stars", "Removes the pair's stars"),
    KeyAction("flag", "a", Mode.VIEW, "Flag", "Flags the pair, or removes the flag"),
    KeyAction("mark", "i", Mode.VIEW, "Filter tag", "Tags the pair “include”, then “exclude”, then removes the tag"),
    KeyAction("topic", "t", Mode.VIEW, "Topic", "Files the pair under a topic"),
    KeyAction("copy", "y", Mode.VIEW, "Copy", "Copies the part's original text"),
    KeyAction("edit", "e", Mode.VIEW, "Edit and resend", "Edits the request inside its pair; Enter sends it again"),
    KeyAction(
        "regenerate",
        "r",
        Mode.VIEW,
        "Regenerate",
        "Requests another reply, from this or another model, or from several side by side",
    ),
    KeyAction("swap", "E", Mode.VIEW, "Other version", "Swaps with the previous version, and back"),
    KeyAction(
        "fork", "b", Mode.VIEW, "Fork from here", "Starts a new conversation with copies of the pairs up to this one"
    ),
    KeyAction("delete", "x", Mode.VIEW, "Delete", "Deletes the pair; asks first if it has a reply"),
    KeyAction("preview", "p", Mode.VIEW, "Show request", "Shows exactly what will be sent"),
    KeyAction("branches", "B", Mode.VIEW, "Branches", "Shows the tree of conversations forked from each other"),
    KeyAction("log", "l", Mode.VIEW, "Log", "Shows requests for titles and summaries, and costs of removed messages"),
    KeyAction(
        "summarise",
        "s",
        Mode.VIEW,
        "Summarise",
        "Summarises pairs in view; the summary is then sent instead of them",
    ),
    KeyAction("filter", "/", Mode.VIEW, "Filter", "To the filter bar"),
    KeyAction("new_conversation", "N", Mode.VIEW, "New conversation", "Opens a new conversation"),
    KeyAction("next_conversation", "J", Mode.VIEW, "Next conversation", "To the one below in the list"),
    KeyAction("previous_conversation", "K", Mode.VIEW, "Previous conversation", "To the one above in the list"),
    KeyAction("scroll", "Space", Mode.VIEW, "Scroll", "A screen further down; Shift+Space further up", fixed=True),
    KeyAction("help", "?", Mode.VIEW, "Help", "Opens this list"),
    KeyAction(
        "undo",
        "Ctrl+Z",
        Mode.VIEW,
        "Undo",
        "Undoes the last change, even a deletion made before you opened the page",
        fixed=True,
    ),
    KeyAction("to_input", "Enter", Mode.VIEW, "Write", "To the message box", fixed=True),
    KeyAction(
        "keys", "Esc", Mode.VIEW, "One-key shortcuts", "Turns on one-key shortcuts; back to the message box", fixed=True
    ),
    KeyAction(
        "send",
        "Enter",
        Mode.INPUT,
        "Send",
        "Sends the message, also Ctrl+Enter; queues it while a reply is running",
        fixed=True,
    ),
    KeyAction(
        "dry_run",
        "Ctrl+Shift+Enter",
        Mode.INPUT,
        "Show request",
        "Shows exactly what will be sent, and sends nothing",
        fixed=True,
    ),
    KeyAction(
        "break",
        "Shift+Enter",
        Mode.INPUT,
        "Line break",
        "Starts a new line; continues lists, closes code fences",
        fixed=True,
    ),
    KeyAction(
        "emphasis", "Ctrl+B Ctrl+I Ctrl+E", Mode.INPUT, "Bold, italic, code", "Wraps the selected text", fixed=True
    ),
    KeyAction(
        "compare",
        "Alt+Enter",
        Mode.INPUT,
        "Compare",
        "Sends the message to several models, or shows the compared replies",
        fixed=True,
    ),
    KeyAction(
        "undo_own",
        "Ctrl+Z",
        Mode.INPUT,
        "Undo",
        "In an empty box: undoes the last change made on this page",
        fixed=True,
    ),
    KeyAction("prompts", "/", Mode.INPUT, "Prompts", "In an empty box: the prompts of your MCP servers", fixed=True),
    KeyAction(
        "edit_queued",
        "↑",
        Mode.INPUT,
        "Edit queued message",
        "In an empty box: edits the last queued message",
        fixed=True,
    ),
    KeyAction(
        "page",
        "PageUp PageDown",
        Mode.INPUT,
        "Scroll the history",
        "In a box of at most one line: scrolls one screen up or down; the caret stays",
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
        "One-key shortcuts",
        "In an empty box: turns on one-key shortcuts. Else leaves the box; the draft stays",
        fixed=True,
    ),
    KeyAction("apply", "Enter", Mode.COMMAND, "Apply", "Applies the filter and leaves the filter bar", fixed=True),
    KeyAction("leave_command", "Esc", Mode.COMMAND, "Leave", "Leaves the filter bar", fixed=True),
    KeyAction("stop", "Esc Esc", Mode.ANYWHERE, "Stop", "Stops the running reply; the received text stays", fixed=True),
    KeyAction("help_anywhere", "F1", Mode.ANYWHERE, "Help", "Opens this list", fixed=True),
)
FREE_ACTIONS: Final = tuple(action for action in ACTIONS if not action.fixed)
ACTIONS_BY_ID: Final = {action.id: action for action in ACTIONS}


def key_of(action: KeyAction, own: Mapping[str, str]) -> str:
    """Return the key of an action, "" if it has none. `own` has the keys that a person chose, by id of the action."""
    return action.key if action.fixed else own.get(action.id, action.key)


def key_name(key: str) -> str:
    """Return the name of a key as the page shows it: "Shift+G" for "G"."""
    return f"Shift+{key}" if len(key) == 1 and unicodedata.category(key) == "Lu" else key


def describe_hints(own: Mapping[str, str]) -> str:
    r"""Return a text with some keys and their actions, for the bar above the composer.

    An action without a key is left out. Line breaks are possible only between two entries.

    >>> describe_hints({}), describe_hints({"edit": "", "fork": "F"})
    ('j\xa0k\xa0move · e\xa0edit · b\xa0fork', 'j\xa0k\xa0move · Shift+F\xa0fork')
    """
    hints = (("next_part previous_part", "move"), ("edit", "edit"), ("fork", "fork"))
    named = ((" ".join(key_name(key_of(ACTIONS_BY_ID[one], own)) for one in ids.split()), does) for ids, does in hints)
    return " · ".join(f"{keys.strip()} {does}".replace(" ", "\u00a0") for keys, does in named if keys.strip())


def refusal_of(action: KeyAction, key: str, own: Mapping[str, str]) -> str:
    """Return the reason why an action cannot have this key, "" if it can. `own` has the keys that a person chose."""
    if key != "Space" and not _types_something(key):
        return f"{key} is reserved by the browser, screen readers or Inview. Choose a letter, a digit or a sign."
    others = (each for each in FREE_ACTIONS if each.id != action.id and key_of(each, own) == key)
    owner = next(others, None)
    return "" if owner is None else f"{key_name(key)} is already the key of “{owner.name}”. Change that key first."


def _types_something(key: str) -> bool:
    return len(key) == 1 and not key.isspace() and not unicodedata.category(key).startswith("C")
