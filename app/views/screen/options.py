"""A row of a list that one option is chosen from: a model, an agent, a prompt of a server."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OptionRow:
    """An option. `note` says in a word what sets it apart; `usable`: it can be chosen. It is found by its `words` as
    well, which are not shown.

    Rows with the same `group` stand below its name and its note. A row without a name is no option: it stands for a
    group that has none.
    """

    value: str
    name: str
    note: str = ""
    group: str = ""
    group_note: str = ""
    usable: bool = True
    words: str = ""
