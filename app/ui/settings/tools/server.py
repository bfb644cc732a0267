"""A row of the list of MCP servers: its state, its actions, its log, and what it offers."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.settings.server_items import LogEntry, OfferItem, ServerItem
from app.state.settings.servers import ServersState
from app.state.settings.shared_servers import SharedServersState
from app.ui.kit.moment import Moment, TimeForm
from app.ui.kit.sharing import share_button
from app.ui.phrase import phrase
from app.ui.settings.parts import checkbox, status
from app.ui.settings.tab_button import TabButton


@rx.memo
def server_row(server: rx.vars.ObjectVar[ServerItem], rest: rx.RestProp) -> rx.Component:
    """One server."""
    return rx.el.li(
        rx.el.details(
            rx.el.summary(
                rx.el.span(class_name="mcp-dot", custom_attrs={"data-health": server.health}),
                rx.el.span(server.name, class_name="mcp-name"),
                rx.el.span(
                    server.status,
                    rx.cond(SharedServersState.own.contains(server.id), f" · {phrase('agents.shared_by_you')}", ""),
                    class_name="mcp-state",
                ),
            ),
            rx.el.div(
                rx.el.p(server.where, class_name="mcp-where"),
                rx.cond(server.problem != "", rx.el.p(server.problem, role="alert", class_name="mcp-problem")),
                _actions(server),
                rx.cond(server.log_open, _log(server)),
                rx.el.p(server.facts, class_name="context-said"),
                offers_of(phrase("common.tools"), server.tools),
                offers_of(phrase("settings.servers.resources"), server.resources),
                offers_of(phrase("common.prompts"), server.prompts),
                rx.foreach(server.cut, lambda left_out: rx.el.p(left_out, class_name="mcp-problem", key=left_out)),
                class_name="mcp-body",
            ),
        ),
        rest,
    )


def _actions(server: rx.vars.ObjectVar[ServerItem]) -> rx.Component:
    waits = rx.cond(server.signing_in, phrase("settings.servers.sign_in_elsewhere"), "")
    return rx.el.div(
        checkbox(
            phrase("settings.servers.switched_on"),
            checked=server.enabled,
            on_change=lambda on: ServersState.switch(server.id, on),
        ),
        rx.el.button(phrase("common.test"), type="button", on_click=ServersState.test(server.id)),
        rx.el.button(
            phrase("settings.servers.log"),
            type="button",
            on_click=ServersState.show_log(server.id),
            aria_expanded=_flag(server.log_open),
        ),
        *_sign_in(server),
        rx.cond(
            SharedServersState.offered,
            share_button(
                SharedServersState.own.contains(server.id),
                server.name,
                SharedServersState.ask(server.id),
                SharedServersState.end_share(server.id),
            ),
        ),
        rx.el.button(
            phrase("common.delete"), type="button", on_click=ServersState.ask_delete(server.id), class_name="mcp-delete"
        ),
        status(rx.cond(server.said != "", server.said, waits)),
        class_name="mcp-actions",
    )


def _sign_in(server: rx.vars.ObjectVar[ServerItem]) -> tuple[rx.Component, ...]:
    """Signing in happens at the server's own page, in another tab, which comes back to Inview."""
    end = ServersState.end_sign_in(server.id)
    return (
        rx.cond(
            server.signing_in & (server.sign_in_url != ""),
            rx.el.a(
                phrase("settings.servers.sign_in_link"),
                href=server.sign_in_url,
                target="_blank",
                rel="noreferrer",
            ),
        ),
        rx.cond(
            server.signing_in, rx.el.button(phrase("settings.servers.cancel_signing_in"), type="button", on_click=end)
        ),
        TabButton.create(
            phrase("settings.servers.sign_in"),
            shown=(server.health == "sign_in") & ~server.signing_in,
            asking=server.asking,
            address=server.sign_in_url,
            on_open=lambda opened: ServersState.sign_in(server.id, opened),
            class_name="mcp-sign-in",
        ),
        rx.cond(
            server.signed_in & ~server.signing_in,
            rx.el.button(phrase("settings.servers.sign_out"), type="button", on_click=end),
        ),
    )


def _log(server: rx.vars.ObjectVar[ServerItem]) -> rx.Component:
    lines = rx.el.ol(
        rx.foreach(server.log, _log_line), aria_label=phrase("settings.servers.log"), tab_index=0, class_name="mcp-log"
    )
    return rx.cond(
        server.log.length() > 0,
        lines,
        rx.el.p(phrase("settings.servers.log_empty"), class_name="context-said"),
    )


def _log_line(line: rx.vars.ObjectVar[LogEntry]) -> rx.Component:
    return rx.el.li(
        Moment.create(at=line.at, form=TimeForm.TIME),
        " ",
        rx.el.b(line.level),
        " ",
        line.text,
        key=line.number.to_string(),
    )


def offers_of(title: str, offers: Any) -> rx.Component:
    def describe(offer: rx.vars.ObjectVar[OfferItem]) -> rx.Component:
        return rx.el.div(rx.el.dt(offer.name), rx.el.dd(offer.description), key=offer.name)

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
