"""Settings → Tools: the built-in tools, the list of MCP servers, and the form that adds one."""

from __future__ import annotations

import reflex as rx

from app.state.settings.preferences import PreferencesState
from app.state.settings.servers import ServersState
from app.state.settings.shared_servers import SharedServersState
from app.ui.kit.dialog import Dialog
from app.ui.phrase import phrase
from app.ui.settings.parts import checkbox, section, status
from app.ui.settings.tools.server import server_row
from app.ui.settings.tools.server_form import server_form
from app.ui.settings.tools.shared_servers import share_dialog, shared_servers


def tools() -> rx.Component:
    """The section of tools."""
    content = rx.el.div(
        _built_ins(),
        _servers(),
        shared_servers(),
        server_form(),
        rx.cond(ServersState.deleting, _delete()),
        rx.cond(SharedServersState.asked, share_dialog()),
        class_name="mcp-settings",
    )
    return section(
        "tools",
        phrase("common.tools"),
        phrase("settings.tools.about"),
        rx.cond(ServersState.loaded, content, status(phrase("settings.tools.reading_the_servers"))),
    )


def _built_ins() -> rx.Component:
    """Inview's own tools. Models are told of each only once it is switched on."""
    return rx.el.fieldset(
        rx.el.legend(phrase("settings.tools.built_in")),
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
            aria_label=phrase("settings.tools.mcp_servers"),
        ),
        rx.el.p(
            phrase("settings.tools.no_servers"),
            class_name="mcp-none",
        ),
    )


def _delete() -> rx.Component:
    return Dialog.create(
        rx.el.h2(phrase("settings.tools.delete_this_server"), class_name="dialog-title"),
        rx.el.p(
            phrase("settings.tools.delete_hint", name=ServersState.deleting.name),
            class_name="dialog-words",
        ),
        rx.el.div(
            rx.el.button(
                phrase("common.cancel"),
                type="button",
                custom_attrs={"data-first": "", "data-close": ""},
                class_name="quiet",
            ),
            rx.el.button(
                phrase("settings.tools.delete_server"), type="button", on_click=ServersState.delete, class_name="danger"
            ),
            class_name="dialog-buttons",
        ),
        label=phrase("settings.tools.delete_this_server"),
        on_close=ServersState.end_delete,
    )
