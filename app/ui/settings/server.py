"""A row of the list of MCP servers: its status, actions, log, tools, resources and prompts."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.settings.server_items import LogEntry, OfferItem, ServerItem
from app.state.settings.servers import ServersState
from app.ui.kit.clock.moment import MomentText, TimeForm
from app.ui.settings.parts import checkbox, status
from app.ui.settings.tab_button import TabButton


@rx.memo
def server_row(server: rx.vars.ObjectVar[ServerItem], rest: rx.RestProp) -> rx.Component:
    """Draw one MCP server."""
    return rx.el.li(
        rx.el.details(
            rx.el.summary(
                rx.el.span(class_name="mcp-dot", custom_attrs={"data-health": server.health}),
                rx.el.span(server.name, class_name="mcp-name"),
                rx.el.span(server.status, class_name="mcp-state"),
            ),
            rx.el.div(
                rx.el.p(server.where, class_name="mcp-where"),
                rx.cond(server.problem != "", rx.el.p(server.problem, role="alert", class_name="mcp-problem")),
                _actions(server),
                rx.cond(server.log_open, _log(server)),
                rx.el.p(server.facts, class_name="context-said"),
                _offers("Tools", server.tools),
                _offers("Resources", server.resources),
                _offers("Prompts", server.prompts),
                rx.foreach(server.cut, lambda left_out: rx.el.p(left_out, class_name="mcp-problem", key=left_out)),
                class_name="mcp-body",
            ),
        ),
        rest,
    )


def _actions(server: rx.vars.ObjectVar[ServerItem]) -> rx.Component:
    waits = rx.cond(server.signing_in, "Finish the sign-in in the other tab.", "")
    return rx.el.div(
        checkbox("Enabled", checked=server.enabled, on_change=lambda on: ServersState.switch(server.id, on)),
        rx.el.button("Test", type="button", on_click=ServersState.test(server.id)),
        rx.el.button(
            "Log", type="button", on_click=ServersState.show_log(server.id), aria_expanded=_flag(server.log_open)
        ),
        *_sign_in(server),
        rx.el.button("Delete", type="button", on_click=ServersState.ask_delete(server.id), class_name="mcp-delete"),
        status(rx.cond(server.said != "", server.said, waits)),
        class_name="mcp-actions",
    )


def _sign_in(server: rx.vars.ObjectVar[ServerItem]) -> tuple[rx.Component, ...]:
    """Draw the controls that start and end a sign-in. The person signs in on the server's own page in another tab."""
    end = ServersState.end_sign_in(server.id)
    return (
        rx.cond(
            server.signing_in & (server.sign_in_url != ""),
            rx.el.a("Open the sign-in page", href=server.sign_in_url, target="_blank", rel="noreferrer"),
        ),
        rx.cond(server.signing_in, rx.el.button("Cancel signing in", type="button", on_click=end)),
        TabButton.create(
            "Sign in",
            shown=(server.health == "sign_in") & ~server.signing_in,
            asking=server.asking,
            address=server.sign_in_url,
            on_open=lambda opened: ServersState.sign_in(server.id, opened),
            class_name="mcp-sign-in",
        ),
        rx.cond(server.signed_in & ~server.signing_in, rx.el.button("Sign out", type="button", on_click=end)),
    )


def _log(server: rx.vars.ObjectVar[ServerItem]) -> rx.Component:
    lines = rx.el.ol(rx.foreach(server.log, _log_line), aria_label="Log", tab_index=0, class_name="mcp-log")
    return rx.cond(
        server.log.length() > 0,
        lines,
        rx.el.p("No log output. A server that is off writes no log.", class_name="context-said"),
    )


def _log_line(line: rx.vars.ObjectVar[LogEntry]) -> rx.Component:
    return rx.el.li(
        MomentText.create(at=line.at, form=TimeForm.TIME),
        " ",
        rx.el.b(line.level),
        " ",
        line.text,
        key=line.number.to_string(),
    )


def _offers(title: str, offers: Any) -> rx.Component:
    def describe(offer: rx.vars.ObjectVar[OfferItem]) -> rx.Component:
        return rx.el.div(rx.el.dt(offer.name), rx.el.dd(offer.description))

    return rx.cond(
        offers.length() > 0,
        rx.el.details(
            rx.el.summary(f"{title} ({offers.length()})"),
            rx.el.dl(rx.foreach(offers, describe)),
            class_name="mcp-list",
        ),
    )


def _flag(on: Any) -> rx.Var[str]:
    return rx.cond(on, "true", "false")
