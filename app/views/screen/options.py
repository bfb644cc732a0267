"""The rows of a list from which a person chooses one: a model, an agent, a prompt of a server."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OptionRow:
    """An option. `note` distinguishes it in a word; `usable`: it can be chosen. `words` are not shown, but found by a
    search.

    Rows with the same `group` are shown below its name and its note. A row without a name is not an option: it
    represents a group without options.
    """

    value: str
    name: str
    note: str = ""
    group: str = ""
    group_note: str = ""
    usable: bool = True
    words: str = ""
