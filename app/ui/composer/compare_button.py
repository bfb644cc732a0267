"""The button that opens the dialog with the compared replies, and the models that the next message is sent to.

Not here: the controls that start a comparison. They are in the menu of models and on the start page.
"""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.comparison import ComparisonState
from app.state.composer.state import ComposerState
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


def models_compared() -> rx.Component:
    """Draw the several models that the next message goes to, with a button that goes back to one; else nothing."""
    return rx.el.div(
        rx.cond(
            ComposerState.compared != "",
            rx.el.div(
                rx.el.span("Next message to ", rx.el.strong(ComposerState.compared)),
                rx.el.button(
                    "\u00d7",
                    type="button",
                    aria_label="Do not compare models",
                    title="Do not compare",
                    on_click=ComposerState.end_compare,
                ),
                class_name="choice-set",
            ),
        ),
        role="status",  # the element exists before its text appears; otherwise screen readers announce nothing
    )
