"""A region of rows that keeps the focus when a row is removed."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class RowFocus(Island):
    """A region whose rows match the CSS selector `among`.

    If an element of the region is removed while it has the focus, the focus goes to the row that takes the place of the
    removed row. If no row is left, the focus goes to the element that matches the CSS selector `heading`.
    """

    library = island("kit/containers/row_focus.tsx")
    tag = "RowFocus"
    among: rx.Var[str]
    heading: rx.Var[str]
