"""The button that asks which models to compare; once replies are compared, the one that shows them."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.compare.choice import ComparisonChoiceState
from app.state.comparison import ComparisonState
from app.state.composer.state import ComposerState
from app.ui.composer.text_area import DraftButton
from app.ui.kit.icon import icon
from app.ui.kit.place import Place
from app.ui.kit.place_button import PlaceButton

_OPEN: Any = ComparisonState.comparison
_COUNT: Any = _OPEN.runs.length()

_COLUMNS: Final = "M2.5 3.5h4v9h-4zM9.5 3.5h4v9h-4z"


def compare_button() -> rx.Component:
    """One button or the other."""
    return rx.cond(
        ComparisonState.comparison,
        PlaceButton.create(
            icon(_COLUMNS),
            rx.el.span("Comparing", class_name="comparing-word"),
            " ",
            rx.cond(_COUNT, _COUNT, "(damaged)"),
            place=Place.COMPARE,
            label=rx.cond(_COUNT, f"Comparing {_COUNT} replies", "Replies that cannot be read"),
            title="Show the replies that are compared (Alt+Enter)",
            on_press=ComparisonState.show,
            class_name="comparing",
        ),
        DraftButton.create(
            icon(_COLUMNS),
            place=Place.COMPARE,
            label="Compare models",
            title="Put this to several models side by side (Alt+Enter)",
            disabled=ComposerState.running != "",
            on_press=ComparisonChoiceState.ask,
            class_name="compare-button",
        ),
    )
