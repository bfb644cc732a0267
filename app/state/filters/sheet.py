"""The sheet: a searchable list of the keyboard shortcuts, as this user has set them, and of the filter language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import reflex as rx

from app.domain.filters.bar.sheet import SHEET
from app.runs.app_context import current
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.preference_commands import read_preferences
from app.state.tab.inputs import text_in
from app.state.tab.visit import VisitedState
from app.views.shortcuts.shortcuts import ACTIONS, Mode, key_name, key_of

MAX_QUERY: Final = 200
FILTER: Final = "filter"
"""The argument of `SheetState.show` that opens the sheet at the filter language."""
_MODES: Final[Mapping[Mode, str]] = {
    Mode.VIEW: "One-key shortcuts: after Esc in an empty message box",
    Mode.INPUT: "In the message box",
    Mode.COMMAND: "In the filter bar",
    Mode.ANYWHERE: "Anywhere",
}


@dataclass(frozen=True, slots=True)
class SheetPiece:
    """A part of a cell's text in the sheet. `typed`: the user types this part literally."""

    text: str
    typed: bool


@dataclass(frozen=True, slots=True)
class SheetTable:
    """A table of the sheet. Each row has cells, and each cell has pieces."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[tuple[SheetPiece, ...], ...], ...]


class SheetState(VisitedState, rx.State):
    """The sheet of shortcuts and of the filter language.

    - `keys`, `language`: its tables, with only those rows that match the search.
    - `searching`: there is a search.
    - `found`: the number of matching rows as text, "" without a search.
    - `at_filter`: the sheet was opened at the filter language.
    """

    open: rx.Field[bool] = rx.field(default=False)
    at_filter: rx.Field[bool] = rx.field(default=False)
    keys: rx.Field[tuple[SheetTable, ...]] = rx.field(())
    language: rx.Field[tuple[SheetTable, ...]] = rx.field(())
    searching: rx.Field[bool] = rx.field(default=False)
    found: rx.Field[str] = rx.field("")

    @rx.event
    async def show(self, part: str) -> None:
        """Open the sheet. If `part` is `FILTER`, start at its section on the filter language."""
        await self._come()
        self.at_filter = part == FILTER
        await self._search("")
        self.open = True

    @rx.event
    async def close(self) -> None:
        """Close the sheet."""
        if self.open:
            self.reset()

    @rx.event
    async def search(self, query: str) -> None:
        """Show only the rows that contain all these words."""
        await self._search(text_in(query, MAX_QUERY) or "")

    async def _end_visit(self) -> None:
        if self.open:
            self.reset()

    async def _search(self, query: str) -> None:
        words = query.lower().split()
        keys = (await read_preferences(current(), LOCAL_OWNER)).keys
        self.keys = _matching(_list_keys(keys), words)
        self.language = _matching(_LANGUAGE, words)
        self.searching = bool(words)
        count = sum(len(table.rows) for table in (*self.keys, *self.language))
        self.found = f"{count} found" if words else ""


def _list_keys(keys: Mapping[str, str]) -> tuple[SheetTable, ...]:
    return tuple(
        SheetTable(
            title,
            ("key", "action", "does"),
            tuple(
                _cells((f"`{key_name(key_of(action, keys)) or 'none'}`", action.name, action.does))
                for action in ACTIONS
                if action.mode is mode
            ),
        )
        for mode, title in _MODES.items()
    )


def _matching(tables: Iterable[SheetTable], words: list[str]) -> tuple[SheetTable, ...]:
    """Return the tables with only the matching rows: all the words occur in the row or in the table's title."""
    if not words:
        return tuple(tables)
    found = (
        replace(table, rows=tuple(row for row in table.rows if _fits(f"{table.title} {_text_of(row)}", words)))
        for table in tables
    )
    return tuple(table for table in found if table.rows)


def _fits(text: str, words: list[str]) -> bool:
    return all(word in text.lower() for word in words)


def _text_of(row: tuple[tuple[SheetPiece, ...], ...]) -> str:
    return " ".join("".join(piece.text for piece in cell) for cell in row)


def _cells(row: Iterable[str]) -> tuple[tuple[SheetPiece, ...], ...]:
    return tuple(_pieces(cell) for cell in row)


def _pieces(cell: str) -> tuple[SheetPiece, ...]:
    """Split a cell at its backquotes. The user types the text between backquotes literally.

    >>> [(piece.text, piece.typed) for piece in _pieces("an age, in `min` `h`")]
    [('an age, in ', False), ('min', True), (' ', False), ('h', True)]
    """
    parts = cell.split("`")
    return tuple(SheetPiece(part, typed=at % 2 == 1) for at, part in enumerate(parts) if part)


_LANGUAGE: Final = tuple(
    SheetTable(section.title, section.heads, tuple(_cells(row) for row in section.rows)) for section in SHEET
)
