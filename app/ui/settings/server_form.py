"""The form that adds an MCP server: a remote server with an address, or a program on this machine."""

from __future__ import annotations

import reflex as rx

from app.state.settings.server_form import HTTP, MAX_TEXT, STDIO, field_id
from app.state.settings.servers import ServersState
from app.ui.settings.parts import radio, status


def server_form() -> rx.Component:
    """Draw the form that adds an MCP server. Its fields are cleared when a server was added."""
    return rx.el.form(
        rx.el.fieldset(
            rx.el.legend("Add a server"),
            radio(
                "Remote (HTTP)",
                name="kind",
                value=HTTP,
                checked=ServersState.kind == HTTP,
                on_change=ServersState.choose_kind(HTTP),
            ),
            rx.cond(
                ServersState.programs,
                _program("Program on this machine (stdio)"),
                rx.el.span(
                    _program("Program on this machine (not allowed here)", disabled=True),
                    title="This installation does not start programs (INVIEW_STDIO_SERVERS)",
                ),
            ),
            class_name="mcp-kinds",
        ),
        rx.cond(ServersState.kind == HTTP, _remote(), _local()),
        rx.el.div(rx.el.button("Add", type="submit"), status(ServersState.added_note), class_name="context-foot"),
        on_submit=ServersState.add,
        aria_label="Add an MCP server",
        class_name="mcp-add",
    )


def _program(label: str, *, disabled: bool = False) -> rx.Component:
    return radio(
        label,
        name="kind",
        value=STDIO,
        checked=ServersState.kind == STDIO,
        disabled=disabled,
        on_change=ServersState.choose_kind(STDIO),
    )


def _remote() -> rx.Component:
    url = rx.el.input(
        id=field_id("url"),
        name="url",
        type="url",
        required=True,
        spell_check=False,
        placeholder="https://example.org/mcp",
    )
    return rx.fragment(
        rx.el.div(_name(), rx.el.label("Address ", url), class_name="mcp-fields"),
        _secrets("Headers, one per line: Authorization: Bearer …"),
        rx.el.label(
            rx.el.input(type="checkbox", name="allow_private"),
            " The server is on this machine or in a private network",
            key=f"added {ServersState.added}",  # a new key clears this checkbox for the next server
            class_name="context-choice",
        ),
        _own_client(),
    )


def _local() -> rx.Component:
    command = rx.el.input(
        id=field_id("command"),
        name="command",
        required=True,
        spell_check=False,
        auto_complete="off",
        placeholder="npx -y @modelcontextprotocol/server-filesystem /srv/notes",
    )
    return rx.fragment(
        rx.el.div(_name(), rx.el.label("Command ", command), class_name="mcp-fields"),
        _secrets("Environment variables, one per line: NAME=value"),
    )


def _name() -> rx.Component:
    field = rx.el.input(
        id=field_id("name"), name="name", required=True, max_length=32, auto_complete="off", placeholder="files"
    )
    return rx.el.label("Name ", field)


def _secrets(label: str) -> rx.Component:
    field = rx.el.textarea(id=field_id("secrets"), name="secrets", rows=2, spell_check=False, auto_complete="off")
    return rx.el.label(label, field, class_name="mcp-secrets")


def _own_client() -> rx.Component:
    """Draw the fields for a server whose sign-in does not register Inview as a client automatically."""
    secret = rx.el.input(
        id=field_id("client_secret"),
        name="client_secret",
        type="password",
        auto_complete="new-password",
        max_length=MAX_TEXT,
    )
    return rx.el.details(
        rx.el.summary("Sign in with your own OAuth client"),
        rx.el.p(
            "Only if the server’s sign-in does not register Inview automatically. "
            "Register it there with this redirect address: ",
            rx.el.code(ServersState.redirect_uri),
            class_name="context-said",
        ),
        rx.el.div(
            rx.el.label(
                "Client ID ",
                rx.el.input(
                    id=field_id("client_id"),
                    name="client_id",
                    spell_check=False,
                    auto_complete="off",
                    max_length=MAX_TEXT,
                ),
            ),
            rx.el.label("Client secret (optional) ", secret),
            class_name="mcp-fields",
        ),
        class_name="mcp-client",
    )
