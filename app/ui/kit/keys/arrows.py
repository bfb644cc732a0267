"""Groups of controls. The arrow keys move the focus within a group."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Arrows(Island):
    """A group of controls. The up and down arrows move the focus from one to the next, in a circle.

    The arrows reach only the controls inside elements that match the CSS selector `among`.
    """

    library = island("kit/keys/arrows.tsx")
    tag = "Arrows"
    among: rx.Var[str]


class Rows(Island):
    """A list of rows. The up and down arrows move the focus between rows, left and right between a row's controls.

    `among` is the CSS selector of the rows. The arrows reach every control, so only one control of each row needs to be
    in the order of Tab.
    """

    library = island("kit/keys/arrows.tsx")
    tag = "Rows"
    among: rx.Var[str]
