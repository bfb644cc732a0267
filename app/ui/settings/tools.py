"""Settings → Tools: the built-in tools, the list of MCP servers, and the form that adds one."""

from __future__ import annotations

import reflex as rx

from app.state.settings.preferences import PreferencesState
from app.state.settings.servers import ServersState
from app.ui.kit.containers.dialog import Dialog
from app.ui.settings.parts import checkbox, section, status
from app.ui.settings.server import server_row
from app.ui.settings.server_form import server_form


def tools() -> rx.Component:
    """Draw the section Tools of the Settings page."""
    content = rx.el.div(
        _built_ins(), _servers(), server_form(), rx.cond(ServersState.deleting, _delete()), class_name="mcp-settings"
    )
    return section(
        "tools",
        "Tools",
        "Models can call Inview's own tools and those of MCP servers. Most calls need your permission first.",
        rx.cond(ServersState.loaded, content, status("Loading servers…")),
    )


def _built_ins() -> rx.Component:
    """Draw Inview's built-in tools, each with a checkbox. Models get only those that the user enabled."""
    return rx.el.fieldset(
        rx.el.legend("Built in"),
        rx.foreach(
            ServersState.built_ins,
            lambda tool: checkbox(
                rx.el.span(rx.el.b(tool.title), " ", rx.el.small(tool.description)),
                checked=PreferencesState.preferred.built_in_tools.contains(tool.name),
                disabled=~PreferencesState.loaded,
                on_change=lambda on: ServersState.switch_built_in(tool.name, on),
                key=tool.name,
            ),
        ),
        status(ServersState.built_ins_note),
        class_name="mcp-built-in",
    )


def _servers() -> rx.Component:
    return rx.cond(
        ServersState.servers.length() > 0,
        rx.el.ul(
            rx.foreach(ServersState.servers, lambda server: server_row(server=server, key=server.id)),
            aria_label="MCP servers",
        ),
        rx.el.p(
            "No MCP servers yet. Add one below to offer its tools to models.",
            class_name="mcp-none",
        ),
    )


def _delete() -> rx.Component:
    return Dialog.create(
        rx.el.h2("Delete this server?", class_name="dialog-title"),
        rx.el.p(
            f"“{ServersState.deleting.name}” is deleted with its secrets. Rules that allow its tools are revoked.",
            class_name="dialog-words",
        ),
        rx.el.div(
            rx.el.button(
                "Cancel", type="button", custom_attrs={"data-first": "", "data-close": ""}, class_name="quiet"
            ),
            rx.el.button("Delete server", type="button", on_click=ServersState.delete, class_name="danger"),
            class_name="dialog-buttons",
        ),
        label="Delete this server?",
        on_close=ServersState.end_delete,
    )
