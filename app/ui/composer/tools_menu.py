"""The menu with the tools of the next send and their sizes. Its button shows their number."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.composer.state import ComposerState
from app.state.inspector.frame import InspectorState
from app.state.shell.menus import Menu
from app.state.transcript.chat import ChatState
from app.ui import routes
from app.ui.kit.controls.page_link import PageLink
from app.ui.shell.menu import menu
from app.views.composer.context import OmittedToolView, SentToolView

_TOOLS: Any = ComposerState.tools


def tools_menu() -> rx.Component:
    """Draw the button with the number of tools, and its menu; nothing if no tools are set up."""
    return rx.cond(
        ComposerState.tools,
        menu(
            Menu.TOOLS,
            rx.el.span("Tools ", rx.el.b(_TOOLS.count)),
            rx.el.p(rx.el.b(f"{_TOOLS.count} of {_TOOLS.of} tools"), _summary(), class_name="sent-tools-sum"),
            rx.el.div(_list(), _omitted(), class_name="sent-tools-scroll"),
            _way(),
            label="Tools of the next message",
            title="Tools sent with the next message",
            class_name="picker-button",
        ),
    )


def _summary() -> rx.Component:
    none = rx.cond(_TOOLS.able, "No tools are sent.", "The chosen model cannot call tools.")
    return rx.el.span(rx.cond(_TOOLS.count > 0, _TOOLS.sum, none))


def _list() -> rx.Component:
    tools = rx.foreach(_TOOLS.sent.to(tuple[SentToolView, ...]), _tool)
    return rx.el.ul(tools, aria_label="Tools that are sent", class_name="sent-tools")


def _tool(tool: rx.vars.ObjectVar[SentToolView]) -> rx.Component:
    return rx.el.li(
        rx.el.span(tool.title, " ", rx.el.small(tool.server)),
        rx.el.span(tool.tokens, rx.el.span(" tokens", class_name="unseen")),
        key=tool.name,
    )


def _omitted() -> rx.Component:
    """Draw the tools that are not sent, each with the reason."""
    tools = rx.foreach(_TOOLS.omitted.to(tuple[OmittedToolView, ...]), _omitted_tool)
    return rx.cond(
        _TOOLS.omitted.length() > 0,
        rx.fragment(
            rx.el.p("Not sent", aria_hidden="true", class_name="sent-tools-sum"),
            rx.el.ul(tools, aria_label="Tools that are not sent", class_name="sent-tools"),
        ),
    )


def _omitted_tool(tool: rx.vars.ObjectVar[OmittedToolView]) -> rx.Component:
    return rx.el.li(rx.el.span(tool.title, " ", rx.el.small(tool.server)), rx.el.small(tool.why), key=tool.name)


def _way() -> rx.Component:
    """Draw the link to the choice of tools: in the inspector or, while there is no conversation, in the settings."""
    return rx.cond(
        ChatState.opened != "",
        rx.el.button(
            "Choose tools…",
            type="button",
            on_click=InspectorState.show("tools"),
            custom_attrs={"data-close": ""},
            class_name="picker-foot",
        ),
        PageLink.create(
            "Set up tools…", to=routes.TOOL_SETTINGS, custom_attrs={"data-close": ""}, class_name="picker-foot"
        ),
    )
