"""Saved filters and their history as shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.filters.errors import FilterError
from app.domain.filters.parser import parse_filter
from app.domain.filters.sentence import describe_filter


@dataclass(frozen=True, slots=True)
class SavedFilterView:
    """A filter by its name. `sentence` says in plain words what it selects; null: it cannot be read any more."""

    name: str
    filter: str
    sentence: str | None


@dataclass(frozen=True, slots=True)
class FiltersView:
    """Saved filters in alphabetical order, and the filters applied, the newest first."""

    saved: tuple[SavedFilterView, ...]
    history: tuple[str, ...]


def describe_saved(name: str, line: str) -> SavedFilterView:
    """A saved filter as shown."""
    try:
        sentence = describe_filter(parse_filter(line))
    except FilterError:  # kept by a version that read it otherwise: the list must still show it, to be corrected
        sentence = None
    return SavedFilterView(name, line, sentence)


def describe_filters(saved: Mapping[str, str], history: Sequence[str]) -> FiltersView:
    """All that the filter bar offers of an owner's own."""
    return FiltersView(tuple(describe_saved(name, line) for name, line in saved.items()), tuple(history))
