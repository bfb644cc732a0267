"""A row of a list of options: a model, an agent, a server's prompt, a page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExcerptPiece:
    """A piece of an excerpt; `found`: it is one of the words that are searched for."""

    text: str
    found: bool


@dataclass(frozen=True, slots=True)
class OptionRow:
    """An option. `note` says in a word what sets it apart; `usable`: it can be chosen. It is found by its `words` as
    well, which are not shown. With `to`, an address, it is a link. `excerpt` is what surrounds the words found.

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
    to: str = ""
    excerpt: tuple[ExcerptPiece, ...] = ()
