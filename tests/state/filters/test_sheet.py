"""The sheet of keys and of the filter language."""

from __future__ import annotations

from dataclasses import replace

from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.preference_commands import read_preferences, set_preferences
from app.state.filters.sheet import SheetState, SheetTable
from app.views.shortcuts.shortcuts import ACTIONS
from tests.state.conftest import Tab


def rows(tab: Tab, var: str) -> list[str]:
    tables: tuple[SheetTable, ...] = tab.shows(SheetState, var)
    return [" | ".join("".join(piece.text for piece in cell) for cell in row) for table in tables for row in table.rows]


async def test_sheet_lists_every_key_as_this_person_has_it(ctx: AppContext, tab: Tab) -> None:
    preferences = await read_preferences(ctx, LOCAL_OWNER)
    await set_preferences(ctx, LOCAL_OWNER, replace(preferences, keys={"next_part": "J", "flag": ""}))

    await tab.send(SheetState.show, part="keys")

    found = rows(tab, "keys")
    assert len(found) == len(ACTIONS)
    assert found[0].startswith("Shift+J | Next part | ")
    assert any(row.startswith("none | Flag | ") for row in found)
    assert (tab.shows(SheetState, "open"), tab.shows(SheetState, "at_filter")) == (True, False)


async def test_sheet_is_searched_by_words_in_any_order(tab: Tab) -> None:
    await tab.send(SheetState.show, part="filter")
    assert tab.shows(SheetState, "at_filter") is True

    await tab.send(SheetState.search, query="star THREE")
    assert [row.split(" | ")[1] for row in rows(tab, "keys")] == ["3 stars"]
    assert tab.shows(SheetState, "found") == f"{len(rows(tab, 'keys')) + len(rows(tab, 'language'))} found"
    await tab.send(SheetState.search, query="no such thing at all")
    assert (rows(tab, "keys"), rows(tab, "language"), tab.shows(SheetState, "found")) == ([], [], "0 found")
    await tab.send(SheetState.search, query=7)
    assert len(rows(tab, "keys")) == len(ACTIONS)


async def test_closed_sheet_shows_nothing(tab: Tab) -> None:
    await tab.send(SheetState.show, part="keys")

    await tab.send(SheetState.close)

    assert (tab.shows(SheetState, "open"), tab.shows(SheetState, "keys")) == (False, ())
