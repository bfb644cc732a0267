"""The cost of the conversation in the top bar: "12k tokens · $0.034". A press lists its requests."""

from __future__ import annotations

import reflex as rx

from app.state.inspector.frame import InspectorState
from app.state.usage.spent import SpentState
from app.ui.phrase import phrase


def spent(conversation: rx.Var[str]) -> rx.Component:
    """The figure of this conversation, once something was sent in it."""
    view = SpentState.spent
    return rx.cond(
        view & (view.conversation == conversation),
        rx.el.button(
            rx.el.span(view.tokens, f" {phrase('usage.tokens')} · ", class_name="spent-tokens"),
            view.cost,
            type="button",
            on_click=InspectorState.show("usage"),
            aria_label=view.label,
            title=view.title,
            custom_attrs={"data-standing": rx.cond(view.standing != "", view.standing, None)},
            class_name="spent",
        ),
    )
