"""Views of saved filters, and of the history of applied filters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.domain.filters.bar.sentence import describe_filter
from app.domain.filters.language.errors import FilterError
from app.domain.filters.language.parser import parse_filter
from app.domain.filters.saved_rules import AppliedFilter, SavedFilter
from app.views.conversation.pair import DamageView, describe_damage


@dataclass(frozen=True, slots=True)
class SavedFilterView:
    """A saved filter. `sentence` describes the pairs that it selects; null: the filter can no longer be parsed.

    `damage` lists its unreadable values. Only a damaged filter has a `number`: its row number, to export or delete it.
    """

    name: str
    filter: str
    sentence: str | None
    number: int | None = None
    damage: tuple[DamageView, ...] = ()


@dataclass(frozen=True, slots=True)
class DamagedEntryView:
    """An entry of the filter history that cannot be read. It can be deleted by `number`, its row number."""

    number: int
    damage: tuple[DamageView, ...]


@dataclass(frozen=True, slots=True)
class FiltersView:
    """The saved filters in alphabetical order, and `history`: the applied filters, newest first.

    `damaged_history` are the entries of the history that cannot be read. They are not in `history`.
    """

    saved: tuple[SavedFilterView, ...]
    history: tuple[str, ...]
    damaged_history: tuple[DamagedEntryView, ...]


def describe_saved(name: str, line: str) -> SavedFilterView:
    """Convert a saved filter to the form that the HTTP API returns. `line` is its text."""
    try:
        sentence = describe_filter(parse_filter(line))
    except FilterError:  # an earlier version stored the line; it is shown, so that a person can correct it
        sentence = None
    return SavedFilterView(name, line, sentence)


def describe_filters(
    saved: Sequence[SavedFilter], history: Sequence[str], damaged: Sequence[AppliedFilter]
) -> FiltersView:
    """Convert an owner's saved filters and filter history to the form that the HTTP API returns.

    `damaged` are the entries of the history that cannot be read.
    """
    entries = tuple(DamagedEntryView(one.number, describe_damage(one.damage)) for one in damaged)
    return FiltersView(tuple(map(_describe_row, saved)), tuple(history), entries)


def _describe_row(row: SavedFilter) -> SavedFilterView:
    view = describe_saved(row.name, row.filter)
    return replace(view, number=row.number, damage=describe_damage(row.damage)) if row.damage else view
