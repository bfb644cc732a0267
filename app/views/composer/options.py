"""The rows of a list from which a person chooses one: a model, an agent, a prompt of a server."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OptionRow:
    """A row: one option. `name` and `note` are shown. `usable`: the option can be chosen.

    A search also finds the `words`, which are not shown. Rows with the same `group` are shown below the name of the
    group and `group_note`. A row without a name is not an option: it represents a group without options.
    """

    value: str
    name: str
    note: str = ""
    group: str = ""
    group_note: str = ""
    usable: bool = True
    words: str = ""
