"""The tool servers that others share, and the dialog before one's own is shared."""

from __future__ import annotations

import reflex as rx

from app.state.settings.shared_servers import SharedServerItem, SharedServersState
from app.ui.kit.dialog import Dialog
from app.ui.phrase import phrase
from app.ui.settings.parts import checkbox, status
from app.ui.settings.tools.server import offers_of


def shared_servers() -> rx.Component:
    """The servers of others, if there are any."""
    return rx.fragment(
        status(SharedServersState.said),
        rx.cond(
            SharedServersState.items.length() > 0,
            rx.el.section(
                rx.el.h3(phrase("settings.sharing.shared_with_you")),
                rx.el.p(phrase("settings.sharing.about"), class_name="context-said"),
                rx.el.ul(
                    rx.foreach(SharedServersState.items, lambda item: shared_server_row(server=item, key=item.id)),
                    aria_label=phrase("settings.sharing.shared_with_you"),
                ),
                class_name="mcp-shared",
            ),
        ),
    )


@rx.memo
def shared_server_row(server: rx.vars.ObjectVar[SharedServerItem], rest: rx.RestProp) -> rx.Component:
    """One server of another person."""
    return rx.el.li(
        rx.el.details(
            rx.el.summary(
                rx.el.span(class_name="mcp-dot", custom_attrs={"data-health": rx.cond(server.used, "ready", "off")}),
                rx.el.span(server.name, class_name="mcp-name"),
                rx.el.span(phrase("agents.shared_by", name=server.by), class_name="mcp-state", dir="auto"),
            ),
            rx.el.div(
                rx.el.div(
                    checkbox(
                        phrase("settings.sharing.use_its_tools"),
                        checked=server.used,
                        on_change=lambda on: SharedServersState.use(server.id, on),
                    ),
                    rx.cond(
                        SharedServersState.administers,
                        rx.el.button(
                            phrase("agents.unshare"),
                            type="button",
                            aria_label=phrase("agents.unshare_name", name=server.name),
                            on_click=SharedServersState.end_share(server.id),
                        ),
                    ),
                    class_name="mcp-actions",
                ),
                offers_of(phrase("common.tools"), server.tools),
                offers_of(phrase("settings.servers.resources"), server.resources),
                offers_of(phrase("common.prompts"), server.prompts),
                class_name="mcp-body",
            ),
        ),
        rest,
    )


def share_dialog() -> rx.Component:
    """Says what others can do with a server before it is shared."""
    return Dialog.create(
        rx.el.h2(phrase("settings.sharing.share_this_server"), class_name="dialog-title"),
        rx.el.p(phrase("settings.sharing.share_hint", name=SharedServersState.asked.name), class_name="dialog-words"),
        rx.cond(
            SharedServersState.asked.program,
            rx.el.p(phrase("settings.sharing.program_hint"), class_name="dialog-words"),
        ),
        rx.el.div(
            rx.el.button(
                phrase("common.cancel"),
                type="button",
                custom_attrs={"data-first": "", "data-close": ""},
                class_name="quiet",
            ),
            rx.el.button(phrase("settings.sharing.share_server"), type="button", on_click=SharedServersState.share),
            class_name="dialog-buttons",
        ),
        label=phrase("settings.sharing.share_this_server"),
        on_close=SharedServersState.end_ask,
    )
