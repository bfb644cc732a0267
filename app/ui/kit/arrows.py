"""Walking through a group with the arrow keys."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Arrows(Island):
    """A group in which arrow keys walk through the controls inside `among`, a CSS selector of a part of it."""

    library = island("kit/arrows.tsx")
    tag = "Arrows"
    among: rx.Var[str]


class Rows(Island):
    """A list in which the up and down arrows lead from row to row, the left and right ones through its controls.

    `among` is the CSS selector of a row. One control of each is enough for Tab.
    """

    library = island("kit/arrows.tsx")
    tag = "Rows"
    among: rx.Var[str]
