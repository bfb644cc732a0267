"""A list of tabs: one is chosen, Tab reaches that one, the arrow keys move to the others."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.ui.kit.island import Island, island


class Tabs(Island):
    """The list, with the name `label`. Its children are made by `tab`."""

    library = island("kit/arrows.tsx")
    tag = "Tabs"
    label: rx.Var[str]


def tab(text: str, *, chosen: rx.Var[bool], on_click: Any, **props: Any) -> rx.Component:
    """Make one tab."""
    return rx.el.button(
        text,
        type="button",
        role="tab",
        aria_selected=chosen,
        tab_index=rx.cond(chosen, 0, -1),
        on_click=on_click,
        **props,
    )
