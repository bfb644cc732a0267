"""Selection of several rows: checkboxes on the rows, and the commands on those that are ticked."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.conversation_rows import ConversationItem
from app.state.placement import PlacementState
from app.state.sidebar import ARCHIVED, SidebarState
from app.state.transfer.bulk_export import BulkExportState
from app.ui.kit.arrows import Arrows
from app.ui.kit.dialog import Dialog
from app.ui.kit.escape import escape
from app.ui.phrase import phrase

_EXPORT_ID: Final = "bulk-export"
_FORMATS: Final = (
    ("json", "transfer.json", "list.json_about"),
    ("md", "transfer.markdown", "list.markdown_about"),
    ("html", "transfer.html", "list.html_about"),
)
_TICK: Any = PlacementState.tick  # a checkbox sends a truth, which Reflex's types do not know


def selection_bar() -> rx.Component:
    """How many are ticked, and the ways out."""
    none = PlacementState.selected.length() == 0
    return rx.cond(
        PlacementState.selecting,
        escape(
            rx.el.p(phrase("list.selected", count=PlacementState.selected.length()), role="status"),
            _action(phrase("list.select_all"), PlacementState.tick_all),
            _action(
                rx.cond(SidebarState.kind == ARCHIVED, phrase("list.unarchive"), phrase("list.archive")),
                PlacementState.archive_selected,
                disabled=none,
            ),
            _action(
                rx.cond(PlacementState.selected_unread, phrase("list.mark_read"), phrase("list.mark_unread")),
                PlacementState.mark_selected,
                disabled=none,
            ),
            _action(phrase("list.move"), PlacementState.ask_move_selected, disabled=none),
            _action(
                phrase("transfer.export"),
                BulkExportState.ask,
                disabled=none | (BulkExportState.total > 0),
                id=_EXPORT_ID,
                aria_haspopup="dialog",
            ),
            _action(phrase("list.delete"), PlacementState.delete_selected, disabled=none),
            _action(phrase("list.done"), PlacementState.end_select),
            _export_progress(),
            on_escape=PlacementState.end_select,
            role="group",
            aria_label=phrase("list.select"),
            class_name="selection-bar",
        ),
    )


def _action(text: Any, on_click: Any, *, disabled: Any = False, **props: Any) -> rx.Component:
    return rx.el.button(text, type="button", on_click=on_click, disabled=disabled, **props)


def _export_progress() -> rx.Component:
    """How far the file is, while one is written."""
    done, total = BulkExportState.done, BulkExportState.total
    text = phrase("list.exporting", done=done, total=total)
    return rx.cond(
        total > 0,
        rx.el.div(
            rx.el.span(text, role="status"),
            rx.el.progress(value=done.to_string(), max=total.to_string(), aria_label=text),
            _action(phrase("list.stop_export"), BulkExportState.stop),
            class_name="selection-progress",
        ),
    )


@rx.memo
def bulk_export_menu() -> rx.Component:
    """The formats that the ticked conversations can be exported as."""
    return Dialog.create(
        rx.el.h2(phrase("list.export_selected", count=PlacementState.selected.length()), class_name="export-title"),
        Arrows.create(
            *(_format(format_, name, about) for format_, name, about in _FORMATS),
            among=".export-links",
            class_name="export-links",
        ),
        label=phrase("transfer.export"),
        at=_EXPORT_ID,
        on_close=BulkExportState.close,
        class_name="popup",
    )


def _format(format_: str, name: str, about: str) -> rx.Component:
    return rx.el.button(
        rx.el.span(phrase(name), class_name="export-name"),
        rx.el.span(phrase(about), class_name="export-about"),
        type="button",
        on_click=BulkExportState.export(format_),
        custom_attrs={"data-close": ""},
    )


@rx.memo
def tickable(item: rx.vars.ObjectVar[ConversationItem]) -> rx.Component:
    """A row with a box in place of its link."""
    return rx.el.label(
        rx.el.input(
            type="checkbox",
            key=PlacementState.turn,  # drawn again when all are ticked: a box keeps its own tick
            default_checked=PlacementState.selected.contains(item.id),
            disabled=item.temporary,
            on_change=lambda ticked: _TICK(item.id, ticked),
            aria_label=phrase("list.tick", name=item.name),
        ),
        rx.el.span(item.name, dir="auto", class_name=rx.cond(item.unread, "truncate font-semibold", "truncate")),
        class_name="tickable",
    )
