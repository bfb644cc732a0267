"""The button in the title bar that takes a conversation out: as JSON, Markdown, one HTML page, or on paper."""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.state.transfer.export_menu import ExportLink, ExportMenuState
from app.ui.kit.dialog import Dialog
from app.ui.phrase import phrase

_BUTTON_ID: Final = "export-menu"
# The page's router would take the address for one of its own pages.
_FILE: Final = {"data-close": "", "reloadDocument": True}


def export_menu() -> rx.Component:
    """The button, and the menu that opens at it."""
    return rx.fragment(
        rx.el.button(
            rx.icon("download", size=16),
            id=_BUTTON_ID,
            type="button",
            aria_label=phrase("transfer.export"),
            title=phrase("transfer.export"),
            aria_haspopup="dialog",
            aria_expanded=ExportMenuState.menu,
            on_click=ExportMenuState.show,
            class_name="grid size-8 flex-none place-items-center rounded-md text-muted hover:bg-hover "
            "aria-expanded:bg-hover aria-expanded:text-ink",
        ),
        rx.cond(ExportMenuState.menu, _menu()),
    )


def _menu() -> rx.Component:
    menu = ExportMenuState.menu
    return Dialog.create(
        rx.el.h2(phrase("transfer.export"), class_name="export-title"),
        rx.el.ul(rx.foreach(menu.links.to(list[ExportLink]), _line), class_name="export-links"),
        rx.cond(
            menu.filtered,
            rx.el.label(
                rx.el.input(type="checkbox", checked=menu.narrowed, on_change=ExportMenuState.toggle_scope),
                phrase("transfer.only_in_view"),
                class_name="export-scope",
            ),
        ),
        label=phrase("transfer.export"),
        at=_BUTTON_ID,
        on_close=ExportMenuState.close,
        class_name="popup",
    )


def _line(link: rx.vars.ObjectVar[ExportLink]) -> rx.Component:
    content = (
        rx.el.span(link.name, class_name="export-name"),
        rx.el.span(link.about, class_name="export-about"),
    )
    return rx.el.li(
        rx.cond(
            link.download,
            rx.el.a(*content, href=link.address, download=True, custom_attrs=_FILE),
            rx.el.a(*content, href=link.address, target="_blank", rel="noopener", custom_attrs=_FILE),
        ),
        key=link.name,
    )
