"""Saved filters and their history as shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.domain.filters.errors import FilterError
from app.domain.filters.parser import parse_filter
from app.domain.filters.saved_rules import AppliedFilter, SavedFilter
from app.domain.filters.sentence import describe_filter
from app.views.conversation.pair import DamageView, describe_damage


@dataclass(frozen=True, slots=True)
class SavedFilterView:
    """A filter by its name. `sentence` says in plain words what it selects; null: it cannot be read any more.

    `damage` is what of it cannot be read, and `number` that of its row, to export it raw and to delete it.
    """

    name: str
    filter: str
    sentence: str | None
    number: int | None = None
    damage: tuple[DamageView, ...] = ()


@dataclass(frozen=True, slots=True)
class DamagedEntryView:
    """An entry of the filter history that cannot be read. `number` is that of its row, to delete it."""

    number: int
    damage: tuple[DamageView, ...]


@dataclass(frozen=True, slots=True)
class FiltersView:
    """Saved filters in alphabetical order, and the filters applied, the newest first.

    `damaged_history` are the entries of the history that cannot be read. They are not in `history`.
    """

    saved: tuple[SavedFilterView, ...]
    history: tuple[str, ...]
    damaged_history: tuple[DamagedEntryView, ...]


def describe_saved(name: str, line: str) -> SavedFilterView:
    """A saved filter as shown."""
    try:
        sentence = describe_filter(parse_filter(line))
    except FilterError:  # kept by a version that read it otherwise: the list must still show it, to be corrected
        sentence = None
    return SavedFilterView(name, line, sentence)


def describe_filters(
    saved: Sequence[SavedFilter], history: Sequence[str], damaged: Sequence[AppliedFilter]
) -> FiltersView:
    """All that the filter bar offers of an owner's own."""
    entries = tuple(DamagedEntryView(one.number, describe_damage(one.damage)) for one in damaged)
    return FiltersView(tuple(map(_describe_row, saved)), tuple(history), entries)


def _describe_row(row: SavedFilter) -> SavedFilterView:
    view = describe_saved(row.name, row.filter)
    return replace(view, number=row.number, damage=describe_damage(row.damage)) if row.damage else view
