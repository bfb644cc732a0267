"""The menu next to the title, with the commands for the whole conversation."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.composer.state import ComposerState
from app.state.filters.applied import FilterState
from app.state.inspector.branches import BranchState
from app.state.inspector.frame import InspectorState
from app.state.reply.summary import SummaryState
from app.state.shell.menus import Menu
from app.state.sidebar.folders import FolderState
from app.state.sidebar.sidebar import SidebarState
from app.state.tab.address import PREFIX
from app.state.transcript.chat import ChatState
from app.ui.kit.controls.icon import line_icon
from app.ui.kit.keys.place import Place, go_to
from app.ui.shell.menu import menu, menu_item

_SPLIT: Any = ComposerState.split
_LABEL: Final = "Conversation menu"
_EXPORTS: Final = {"md": "Markdown", "html": "HTML", "json": "JSON"}
"""The names of the export formats, by the value in the address of the export."""


def conversation_menu() -> rx.Component:
    """Draw the menu with the commands for the whole conversation, and the button that opens it."""
    exports = rx.cond(
        FilterState.filter == "",
        _exports("Export"),
        rx.fragment(
            _exports("Export all pairs", classes="wide"),
            _exports("Export only the pairs in view", "&" + FilterState.export_query, classes="wide"),
        ),
    )
    return menu(
        Menu.CONVERSATION,
        line_icon("M3.5 8h.01M8 8h.01M12.5 8h.01", "2"),
        menu_item("Rename", go_to(Place.TITLE)),
        rx.cond(ChatState.title_made, menu_item("Generate title", ChatState.make_title)),
        exports,
        menu_item("Usage", InspectorState.show("usage")),
        menu_item("Log", InspectorState.show("log")),
        rx.cond(ComposerState.split, rx.cond(_SPLIT.any_in_view, menu_item("Summarise…", SummaryState.ask("")))),
        _new_tab(),
        rx.cond(
            ChatState.temporary | ChatState.derived,
            None,
            menu_item("Move to folder", FolderState.ask_move(ChatState.opened)),
        ),
        menu_item("Fork", BranchState.ask_fork("")),
        menu_item("Delete", SidebarState.ask_delete(ChatState.opened), class_name="danger-quiet"),
        label=_LABEL,
        classes="menu",
        aria_label=_LABEL,
        title="Rename, export, usage, log, summarise, new tab, folder, fork, delete",
        class_name="title-menu",
    )


def _new_tab() -> rx.Component:
    return rx.el.a(
        "Open in new tab",
        href=PREFIX + ChatState.opened,
        target="_blank",
        rel="noopener",  # the new tab does not copy the storage of this tab
        custom_attrs={"data-close": ""},
        class_name="menu-item",
    )


def _exports(label: str, query: Any = "", *, classes: str = "") -> rx.Component:
    """Draw the links to the files of an export. `query` selects its pairs, "" for all."""
    return rx.el.div(
        rx.el.span(label),
        *(_export(format_, name, query) for format_, name in _EXPORTS.items()),
        role="group",
        aria_label=label,
        class_name=f"menu-row {classes}",
    )


def _export(format_: str, name: str, query: Any) -> rx.Component:
    """Draw a link that downloads a file of the selected pairs."""
    return rx.el.a(
        name,
        href="/api/v1/conversations/" + ChatState.opened + f"/export?format={format_}" + query,
        download=True,
        # Without this, the router treats the address as that of a page.
        custom_attrs={"data-close": "", "reloadDocument": True},
    )
