"""The usage and cost of the conversation on screen, in the top bar: "12k tokens incl. title · $0.034"."""

from __future__ import annotations

import reflex as rx

from app.state.inspector.frame import InspectorState
from app.state.usage.spent import SpentState


def spent(conversation: rx.Var[str]) -> rx.Component:
    """Draw a button with the usage and cost of this conversation; nothing until a message was sent.

    Pressing the button opens the section Usage of the inspector, which lists the requests.
    """
    view = SpentState.spent
    return rx.cond(
        view & (view.conversation == conversation),
        rx.el.button(
            rx.el.span(
                view.tokens,
                rx.cond(view.included != "", rx.el.span(" ", view.included, class_name="spent-included")),
                " · ",
                class_name="spent-tokens",
            ),
            view.cost,
            type="button",
            on_click=InspectorState.show("usage"),
            aria_label=view.label,
            title=view.title,
            custom_attrs={"data-standing": rx.cond(view.standing != "", view.standing, None)},
            class_name="spent",
        ),
    )
