"""The part of the agent's form about tools: the servers whose tools the agent has, and the calls that it may make."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.domain.tools.tools import BUILT_IN
from app.state.agents.fields import LINE, SERVER
from app.state.agents.form import AgentFormState
from app.state.agents.views import AgentServerItem, AllowedItem
from app.state.settings.permissions import RuleItem

_KEEP_MS = 120


def tool_fields() -> rx.Component:
    """Draw the checkboxes "Tools of all servers" and "Any tool of these servers".

    While "Tools of all servers" is not ticked, the servers to choose from are shown below it. While "Any tool of these
    servers" is not ticked, the list of the allowed calls is shown below it. The calls that a person allowed always for
    this agent are listed last.
    """
    fault = AgentFormState.errors.tools
    return rx.el.fieldset(
        rx.el.legend("Tools"),
        _box(
            "Tools of all servers",
            name="all_servers",
            checked=AgentFormState.all_servers,
            on_change=AgentFormState.choose_servers,
        ),
        rx.cond(AgentFormState.all_servers, rx.fragment(), _servers()),
        _box(
            "Any tool of these servers",
            name="any_call",
            checked=AgentFormState.any_call,
            on_change=AgentFormState.choose_calls,
        ),
        rx.cond(AgentFormState.any_call, rx.fragment(), _allowed()),
        rx.cond(fault != "", rx.el.p(fault, class_name="agent-fault")),
        rx.cond(AgentFormState.rules.length() > 0, _rules()),
    )


def _box(label: rx.Var[str] | str, **props: Any) -> rx.Component:
    return rx.el.label(rx.el.input(type="checkbox", **props), label, class_name="agent-check")


def _servers() -> rx.Component:
    return rx.el.div(
        rx.cond(
            AgentFormState.servers.length() == 0,
            rx.el.p("No tool servers yet.", class_name="agent-hint"),
        ),
        rx.foreach(AgentFormState.servers, _server),
        role="group",
        aria_label="Tool servers of the agent",
        class_name="agent-servers",
    )


def _server(server: rx.vars.ObjectVar[AgentServerItem]) -> rx.Component:
    """Draw the checkbox of a server. A hidden field keeps the choice of a server that does not exist any more."""
    name = f"{SERVER}{server.id}"
    return rx.cond(
        server.known,
        _box(server.name, name=name, default_checked=server.chosen, on_change=AgentFormState.touch),
        rx.cond(server.chosen, rx.el.input(type="hidden", name=name, value="on")),
    )


def _allowed() -> rx.Component:
    return rx.fragment(
        rx.el.p(
            "Only these calls are allowed; all others are denied. A * in a tool's name matches any characters.",
            class_name="agent-hint",
        ),
        rx.foreach(AgentFormState.lines, lambda line, place: allowed_line(line=line, place=place + 1, key=line.key)),
        rx.el.button("Allow tools…", type="button", on_click=AgentFormState.add_line, class_name="quiet"),
    )


@rx.memo
def allowed_line(
    line: rx.vars.ObjectVar[AllowedItem], place: rx.vars.NumberVar[int], rest: rx.RestProp
) -> rx.Component:
    """Draw one line of the allowed calls: a server, a pattern of tool names, and the checkbox "ask before each call".

    `place` is the number of the line, from 1.
    """
    return rx.el.div(
        rest,
        rx.el.select(
            rx.el.option("Built-in tools", value=BUILT_IN),
            rx.foreach(AgentFormState.servers, lambda server: rx.el.option(server.name, value=server.id)),
            name=f"{LINE}{line.key}:server",
            default_value=line.server_id,
            on_change=AgentFormState.touch,
            aria_label="Server",
        ),
        rx.el.input(
            type="text",
            name=f"{LINE}{line.key}:tool",
            default_value=line.tool,
            on_change=AgentFormState.touch.debounce(_KEEP_MS),
            aria_label="Tool name or pattern",
            placeholder="read_*",
            spell_check=False,
        ),
        _box(
            "Ask before each call",
            name=f"{LINE}{line.key}:ask",
            default_checked=line.ask,
            on_change=AgentFormState.touch,
        ),
        rx.el.button(
            "Remove",
            type="button",
            aria_label=f"Remove line {place}",
            on_click=AgentFormState.remove_line(line.key),
            class_name="quiet",
        ),
        rx.el.input(type="hidden", name=f"{LINE}{line.key}:arguments", value=line.arguments),
        role="group",
        aria_label=f"Allowed tools, line {place}",
        class_name="agent-allowed",
    )


def _rules() -> rx.Component:
    return rx.fragment(
        rx.el.p("Always allowed for this agent, without asking:", class_name="agent-hint"),
        rx.el.ul(
            rx.foreach(AgentFormState.rules, lambda rule: agent_rule(rule=rule, key=rule.id)),
            aria_label="Calls always allowed for this agent",
            class_name="agent-rules",
        ),
    )


@rx.memo
def agent_rule(rule: rx.vars.ObjectVar[RuleItem], rest: rx.RestProp) -> rx.Component:
    """Draw one permission rule of the agent, with a button that removes it at once."""
    return rx.el.li(
        rest,
        rx.el.span(
            rule.name,
            " ",
            rx.foreach(rule.patterns, lambda pattern: rx.el.code(pattern, key=pattern)),
        ),
        rx.el.button(
            "Remove",
            type="button",
            aria_label=f"Remove {rule.name}",
            on_click=AgentFormState.remove_rule(rule.id),
            class_name="quiet",
        ),
    )
