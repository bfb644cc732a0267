"""The button that chooses models to compare; during a comparison it shows the replies."""

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
from app.ui.phrase import phrase

_OPEN: Any = ComparisonState.comparison
_COUNT: Any = _OPEN.runs.length()

_COLUMNS: Final = "M2.5 3.5h4v9h-4zM9.5 3.5h4v9h-4z"


def compare_button() -> rx.Component:
    """One button or the other."""
    return rx.cond(
        ComparisonState.comparison,
        PlaceButton.create(
            icon(_COLUMNS),
            rx.el.span(phrase("composer.comparing"), class_name="comparing-word"),
            " ",
            _COUNT,
            place=Place.COMPARE,
            label=phrase("composer.comparing_replies", count=_COUNT),
            title=phrase("composer.show_comparison"),
            on_press=ComparisonState.show,
            class_name="comparing",
        ),
        DraftButton.create(
            icon(_COLUMNS),
            place=Place.COMPARE,
            label=phrase("composer.compare_models"),
            title=phrase("composer.compare_button"),
            disabled=ComposerState.running != "",
            on_press=ComparisonChoiceState.ask,
            class_name="compare-button",
        ),
    )
