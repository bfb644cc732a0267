"""Groups whose arrow keys move the focus."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Arrows(Island):
    """A group whose up and down arrows move the focus between the controls in its part `among`, a CSS selector."""

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
