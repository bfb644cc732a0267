"""The help: a dialog with all keyboard shortcuts by mode and the filter language, with a search field."""

from __future__ import annotations

import reflex as rx

from app.state.filters.sheet import SheetPiece, SheetState, SheetTable
from app.ui.kit.containers.dialog import Dialog

_NAME = "Keyboard shortcuts and filters"
_SEARCH = "Search shortcuts and filters"
SEARCH_REST_MS = 60


@rx.memo
def sheet_dialog() -> rx.Component:
    """Draw the dialog with the shortcuts and the filter language, or only those entries that match the search."""
    found = (SheetState.keys.length() + SheetState.language.length()) > 0
    return Dialog.create(
        rx.el.div(
            rx.el.input(
                type="text",
                placeholder=_SEARCH,
                aria_label=_SEARCH,
                on_change=SheetState.search.debounce(SEARCH_REST_MS),
                custom_attrs={"data-first": ""},
            ),
            rx.el.button("Close", type="button", class_name="quiet", custom_attrs={"data-close": ""}),
            class_name="sheet-head",
        ),
        rx.el.div(
            rx.el.p(SheetState.found, role="status", class_name="unseen"),
            rx.cond(found, None, rx.el.p("Nothing found.", class_name="sheet-none")),
            rx.foreach(SheetState.keys, lambda table: sheet_table(table=table, kind="keys", key=table.title)),
            rx.cond(
                SheetState.language.length() > 0,
                rx.el.h2(
                    "Filters",
                    custom_attrs={"data-shown": rx.cond(SheetState.at_filter, "", None)},
                ),
            ),
            rx.foreach(SheetState.language, lambda table: sheet_table(table=table, kind="", key=table.title)),
            rx.cond(
                SheetState.searching,
                None,
                rx.el.p("Single-character keys can be changed or removed in Settings.", class_name="sheet-note"),
            ),
            tab_index=0,
            role="region",
            aria_label=_NAME,
            class_name="sheet-body",
        ),
        label=_NAME,
        on_close=SheetState.close,
        class_name="modal sheet",
    )


@rx.memo
def sheet_table(table: rx.vars.ObjectVar[SheetTable], kind: rx.Var[str], rest: rx.RestProp) -> rx.Component:
    """Draw one table of the sheet. `kind` is its CSS class."""
    return rx.el.table(
        rx.el.caption(table.title),
        rx.el.thead(rx.el.tr(rx.foreach(table.heads, lambda head: rx.el.th(head, scope="col")))),
        rx.el.tbody(rx.foreach(table.rows, _row)),
        rest,
        class_name=kind,
    )


def _row(row: rx.Var[tuple[tuple[SheetPiece, ...], ...]]) -> rx.Component:
    return rx.el.tr(rx.foreach(row, lambda cell: rx.el.td(rx.foreach(cell, _piece))))


def _piece(piece: rx.vars.ObjectVar[SheetPiece]) -> rx.Component:
    return rx.cond(piece.typed, rx.el.kbd(piece.text), rx.fragment(piece.text))
