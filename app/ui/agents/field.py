"""A field of the agent's form: a label, a control, and below it a hint or the reason why the value was refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import reflex as rx

from app.state.agents.form import AgentFormState

_KEEP_MS = 120


def field(
    name: str, label: str, hint: str, *, control: Callable[..., rx.Component] = rx.el.input, **props: Any
) -> rx.Component:
    """Draw a control with its label, and below it `hint` or the error.

    `name` is the field of `AgentForm` with the value, and the field of `AgentErrors` with the error.
    """
    fault = getattr(AgentFormState.errors, name)
    element, note = f"agent-{name}", f"agent-{name}-said"
    return rx.el.div(
        rx.el.label(label, html_for=element),
        control(
            id=element,
            name=name,
            default_value=getattr(AgentFormState.form, name),
            on_change=lambda text: AgentFormState.write(name, text).debounce(_KEEP_MS),
            aria_describedby=note,
            aria_invalid=rx.cond(fault != "", "true", rx.Var("undefined")),
            **props,
        ),
        rx.el.p(
            rx.cond(fault != "", fault, hint),
            id=note,
            class_name=rx.cond(fault != "", "agent-fault", "agent-hint"),
        ),
        class_name="agent-field",
    )


def choice(name: str, label: str, hint: str, options: dict[str, str]) -> rx.Component:
    """Draw a menu of a few values: `options` has the text of each value.

    A menu uses its default value only when it is created, so it is created again when the stored value arrives.
    """

    def menu(**props: Any) -> rx.Component:
        items = [rx.el.option(text, value=value) for value, text in options.items()]
        return rx.el.select(*items, key=getattr(AgentFormState.form, name), **props)

    return field(name, label, hint, control=menu)
