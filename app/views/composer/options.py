"""The rows of a list with options: a person chooses a model, an agent, or a prompt of a server."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OptionRow:
    """A row: one option. `name` and `note` are shown. `usable`: the option can be chosen.

    - `words`: further words that a search finds the row by. They are not shown.
    - `group`, `group_note`: rows with the same group are shown below its name and its note.

    A row without a name is no option: it represents a group without options.
    """

    value: str
    name: str
    note: str = ""
    group: str = ""
    group_note: str = ""
    usable: bool = True
    words: str = ""
