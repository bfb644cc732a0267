"""The button that opens the dialog with the compared replies. The menu of models starts a comparison."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.comparison import ComparisonState
from app.ui.kit.controls.icon import icon
from app.ui.kit.keys.place import Place
from app.ui.kit.keys.place_button import PlaceButton

_OPEN: Any = ComparisonState.comparison
_COUNT: Any = _OPEN.runs.length()

_COLUMNS: Final = "M2.5 3.5h4v9h-4zM9.5 3.5h4v9h-4z"


def comparing_button() -> rx.Component:
    """Draw the button that opens the dialog with the compared replies. It is shown only while a comparison is open."""
    return rx.cond(
        ComparisonState.comparison,
        PlaceButton.create(
            icon(_COLUMNS),
            rx.el.span("Comparing", class_name="comparing-word"),
            " ",
            rx.cond(_COUNT, _COUNT, "(damaged)"),
            place=Place.COMPARE,
            label=rx.cond(_COUNT, f"Comparing {_COUNT} replies", "Replies that cannot be read"),
            title="Show the compared replies (Alt+Enter)",
            on_press=ComparisonState.show,
            class_name="comparing",
        ),
    )
