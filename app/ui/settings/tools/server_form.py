"""The form that adds an MCP server: at an address, or a program on this machine."""

from __future__ import annotations

import reflex as rx

from app.state.settings.server_form import HTTP, MAX_TEXT, STDIO, field_id
from app.state.settings.servers import ServersState
from app.ui.phrase import phrase
from app.ui.settings.parts import radio, status


def server_form() -> rx.Component:
    """The form. What was typed is removed when a server was added."""
    return rx.el.form(
        rx.el.fieldset(
            rx.el.legend(phrase("settings.servers.add_a_server")),
            radio(
                phrase("settings.servers.remote_http"),
                name="kind",
                value=HTTP,
                checked=ServersState.kind == HTTP,
                on_change=ServersState.choose_kind(HTTP),
            ),
            rx.cond(
                ServersState.programs,
                _program(phrase("settings.servers.kind_program")),
                rx.el.span(
                    _program(phrase("settings.servers.kind_program_refused"), disabled=True),
                    title=phrase("settings.servers.programs_refused"),
                ),
            ),
            class_name="mcp-kinds",
        ),
        rx.cond(ServersState.kind == HTTP, _remote(), _local()),
        rx.el.div(
            rx.el.button(phrase("common.add"), type="submit"),
            status(ServersState.added_note),
            class_name="context-foot",
        ),
        on_submit=ServersState.add,
        aria_label=phrase("settings.servers.add_an_mcp_server"),
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
        rx.el.div(_name(), rx.el.label(f"{phrase('settings.servers.address')} ", url), class_name="mcp-fields"),
        _secrets(phrase("settings.servers.headers_field")),
        rx.el.label(
            rx.el.input(type="checkbox", name="allow_private"),
            f" {phrase('settings.servers.private_address')}",
            key=f"added {ServersState.added}",  # unchecked again for the next one
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
        rx.el.div(_name(), rx.el.label(f"{phrase('settings.servers.command')} ", command), class_name="mcp-fields"),
        _secrets(phrase("settings.servers.environment_field")),
    )


def _name() -> rx.Component:
    field = rx.el.input(
        id=field_id("name"), name="name", required=True, max_length=32, auto_complete="off", placeholder="files"
    )
    return rx.el.label(f"{phrase('common.name')} ", field)


def _secrets(label: str) -> rx.Component:
    field = rx.el.textarea(id=field_id("secrets"), name="secrets", rows=2, spell_check=False, auto_complete="off")
    return rx.el.label(label, field, class_name="mcp-secrets")


def _own_client() -> rx.Component:
    """For authorization servers that do not register clients by themselves."""
    secret = rx.el.input(
        id=field_id("client_secret"),
        name="client_secret",
        type="password",
        auto_complete="new-password",
        max_length=MAX_TEXT,
    )
    return rx.el.details(
        rx.el.summary(phrase("settings.servers.client_title")),
        rx.el.p(
            f"{phrase('settings.servers.client_about')} ",
            rx.el.code(ServersState.redirect_uri),
            class_name="context-said",
        ),
        rx.el.div(
            rx.el.label(
                f"{phrase('settings.servers.client_id')} ",
                rx.el.input(
                    id=field_id("client_id"),
                    name="client_id",
                    spell_check=False,
                    auto_complete="off",
                    max_length=MAX_TEXT,
                ),
            ),
            rx.el.label(f"{phrase('settings.servers.client_secret')} ", secret),
            class_name="mcp-fields",
        ),
        class_name="mcp-client",
    )
