"""The section Tools of the inspector: the mode that chooses the tools of a send, and each tool with its price."""

from __future__ import annotations

import reflex as rx

from app.state.inspector.tools import ToolChoiceState
from app.state.transcript.transcript import TranscriptState
from app.ui import routes
from app.ui.kit.texts.json_figure import json_figure
from app.views.inspector.tool_choice import ModeItem, ServerToolsItem, ToolItem

_PANEL = ToolChoiceState.panel


@rx.memo
def tools_panel() -> rx.Component:
    """Draw the section Tools: the inclusion modes and the tools, an error, or a note that the tools are loading."""
    return rx.cond(
        _PANEL.is_not_none() & (ToolChoiceState.conversation == TranscriptState.conversation),
        rx.cond(_PANEL.servers.to(tuple[ServerToolsItem, ...]).length() > 0, _tools(), _empty()),
        rx.cond(
            ToolChoiceState.fault != "",
            rx.el.p(ToolChoiceState.fault, role="alert", class_name="inspector-note inspector-fault"),
            rx.el.p("Loading tools…", role="status", class_name="inspector-note"),
        ),
    )


@rx.memo
def tool_row(item: rx.vars.ObjectVar[ToolItem], manual: rx.Var[bool], rest: rx.RestProp) -> rx.Component:
    """Draw a tool. When it is expanded, it shows the description and the schema that the model receives.

    `manual`: the tool has a checkbox, because the person chooses each tool.
    """
    return rx.el.li(
        rest,
        rx.cond(
            manual,
            rx.el.input(
                type="checkbox",
                aria_label=item.title,
                checked=item.ticked,
                on_change=ToolChoiceState.tick(item.name),
            ),
        ),
        rx.el.details(
            rx.el.summary(
                rx.el.span(item.title, class_name="tools-name"),
                rx.el.span(
                    item.figure,
                    rx.el.span(" tokens", class_name="unseen"),
                    title=item.price,
                    class_name="tools-figures",
                ),
                rx.el.span(item.why, class_name="tools-why"),
            ),
            rx.el.div(
                rx.cond(item.description != "", rx.el.p(item.description)),
                rx.el.p("Name for the model: ", rx.el.code(item.name), item.note, class_name="inspector-note"),
                json_figure(item.schema, f"Copy the schema of {item.name}"),
                class_name="tools-more",
            ),
        ),
        class_name="tools-tool",
        custom_attrs={"data-chosen": rx.cond(item.chosen, "true", rx.Var("undefined"))},
    )


def _empty() -> rx.Component:
    return rx.el.div(
        rx.el.p(
            "No tools yet. Connect a tool server or switch on built-in tools to let the model call them.",
            class_name="inspector-note",
        ),
        rx.el.a("Settings → Tools", href=routes.TOOL_SETTINGS, class_name="quiet"),
        class_name="inspector-body",
    )


def _tools() -> rx.Component:
    return rx.el.div(
        rx.cond(
            ToolChoiceState.fault != "",
            rx.el.p(ToolChoiceState.fault, role="alert", class_name="inspector-note inspector-fault"),
        ),
        rx.cond(
            _PANEL.unable != "",
            rx.el.p(_PANEL.unable, role="status", class_name="tools-unable"),
            rx.el.p(
                rx.el.b(_PANEL.count),
                _PANEL.size,
                rx.el.small(_PANEL.overhead),
                role="status",
                class_name="tools-sum",
            ),
        ),
        rx.el.fieldset(
            rx.el.legend("Tools to send"),
            rx.foreach(_PANEL.modes.to(tuple[ModeItem, ...]), _mode),
            class_name="tool-modes",
        ),
        rx.cond(
            _PANEL.breaks != "",
            rx.el.p(
                _PANEL.breaks,
                class_name="tools-breaks",
                custom_attrs={"data-lost": rx.cond(_PANEL.lost, "true", rx.Var("undefined"))},
            ),
        ),
        rx.foreach(_PANEL.servers.to(tuple[ServerToolsItem, ...]), _server),
        rx.cond(_PANEL.missing != "", rx.el.p(_PANEL.missing, class_name="inspector-note")),
        tab_index=0,
        role="region",
        aria_label="Tools",
        class_name="inspector-body tools-panel",
    )


def _mode(item: rx.vars.ObjectVar[ModeItem]) -> rx.Component:
    return rx.el.label(
        rx.el.input(
            type="radio",
            name="tool-mode",
            value=item.mode,
            checked=item.chosen,
            on_change=ToolChoiceState.choose_mode(item.mode),
            aria_describedby=f"tool-mode-{item.mode}",
        ),
        rx.el.span(item.name, class_name="tool-mode-name"),
        rx.el.span(item.figures, class_name="tool-mode-figures"),
        rx.el.span(
            item.description,
            item.note,
            rx.cond(item.loss != "", rx.el.em(item.loss)),
            id=f"tool-mode-{item.mode}",
            class_name="tool-mode-words",
        ),
        custom_attrs={"data-chosen": rx.cond(item.chosen, "true", rx.Var("undefined"))},
    )


def _all_of(server: rx.vars.ObjectVar[ServerToolsItem]) -> rx.Component:
    """Draw the checkbox for all tools of a server. It is a button, as only a script can tick a real checkbox partly."""
    state = rx.cond(server.all_ticked, "true", rx.cond(server.some_ticked, "mixed", "false"))
    return rx.el.button(
        rx.match(state, ("true", "✓"), ("mixed", "-"), ""),
        type="button",
        role="checkbox",
        aria_checked=state,
        aria_label=f"All of {server.name}",
        on_click=ToolChoiceState.tick_server(server.id),
        class_name="tick",
    )


def _server(server: rx.vars.ObjectVar[ServerToolsItem]) -> rx.Component:
    return rx.el.section(
        rx.el.h3(
            rx.cond(
                _PANEL.manual,
                _all_of(server),
            ),
            rx.el.span(server.name),
            rx.el.span(server.figure, class_name="tools-figures"),
            class_name="tools-server",
        ),
        rx.el.ul(
            rx.foreach(
                server.tools.to(tuple[ToolItem, ...]),
                lambda tool: tool_row(item=tool, manual=_PANEL.manual.to(bool), key=tool.name),
            ),
            class_name="tools-list",
        ),
        aria_label=f"Tools of {server.name}",
    )
