"""Arrow keys that move the focus within a group."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Arrows(Island):
    """A group whose arrow keys move the focus between the controls inside `among`, a CSS selector of a part of it."""

    library = island("kit/arrows.tsx")
    tag = "Arrows"
    among: rx.Var[str]


class Rows(Island):
    """A list whose up and down arrows move the focus between rows, and left and right ones between a row's controls.

    `among` is the CSS selector of a row. Tab needs to reach only one control of each row.
    """

    library = island("kit/arrows.tsx")
    tag = "Rows"
    among: rx.Var[str]
