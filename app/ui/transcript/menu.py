"""The menu at the title, with the commands for the whole conversation."""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.state.chat import ChatState
from app.state.inspector.branches import BranchState
from app.state.inspector.frame import InspectorState
from app.state.shell.menus import Menu, MenuState
from app.state.sidebar import SidebarState
from app.ui.kit.dialog import Dialog
from app.ui.kit.icon import line_icon
from app.ui.kit.place import Place, go_to

_BUTTON: Final = "conversation-menu"
_EXPORTS: Final = {"md": "Markdown", "html": "HTML", "json": "JSON"}
"""Formats of the export, by their name in its address."""


def conversation_menu() -> rx.Component:
    """A button, and the menu that it opens below itself."""
    is_open = MenuState.shown == Menu.CONVERSATION.value
    return rx.el.div(
        rx.el.button(
            line_icon("m4.5 6.5 3.5 3.5 3.5-3.5", "1.5"),
            id=_BUTTON,
            type="button",
            aria_label="Conversation menu",
            aria_haspopup="dialog",
            aria_expanded=is_open,
            title="Rename, export, usage, fork, delete",
            on_click=MenuState.show_conversation,
            class_name="title-menu",
        ),
        rx.cond(is_open, _menu()),
        class_name="flex flex-none",
    )


def _menu() -> rx.Component:
    return Dialog.create(
        _item("Rename", go_to(Place.TITLE)),
        rx.el.div(
            rx.el.span("Export", id="export-name"),
            *(_export(format_, name) for format_, name in _EXPORTS.items()),
            role="group",
            aria_labelledby="export-name",
            class_name="menu-row",
        ),
        _item("Usage", InspectorState.show("usage")),
        _item("Fork", BranchState.ask_fork("")),
        _item("Delete", SidebarState.ask_delete(ChatState.opened), "menu-item danger-quiet"),
        label="Conversation menu",
        at=_BUTTON,
        on_close=MenuState.close,
        class_name="popup menu",
    )


def _item(name: str, event: rx.event.EventType[()], class_name: str = "menu-item") -> rx.Component:
    return rx.el.button(name, type="button", on_click=event, custom_attrs={"data-close": ""}, class_name=class_name)


def _export(format_: str, name: str) -> rx.Component:
    """A link to all pairs as a file, whatever the filter shows."""
    return rx.el.a(
        name,
        href="/api/v1/conversations/" + ChatState.opened + f"/export?format={format_}",
        download=True,
        custom_attrs={"data-close": "", "reloadDocument": True},  # else the router takes it for a page
    )
