"""A list of tabs. The Tab key reaches the chosen tab; the arrow keys move to the other tabs and choose them."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.ui.kit.island import Island, island


class Tabs(Island):
    """The list of tabs, with the accessible name `label`. Its children are made by `tab`."""

    library = island("kit/keys/arrows.tsx")
    tag = "Tabs"
    label: rx.Var[str]


def tab(text: str, *, chosen: rx.Var[bool], on_click: Any, **props: Any) -> rx.Component:
    """Draw one tab. `chosen`: its content is shown.

    `on_click` is sent when the tab is pressed or reached by an arrow key.
    """
    return rx.el.button(
        text,
        type="button",
        role="tab",
        aria_selected=chosen,
        tab_index=rx.cond(chosen, 0, -1),
        on_click=on_click,
        **props,
    )
