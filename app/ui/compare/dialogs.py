"""The dialogs of a comparison: which models answer, and their replies side by side."""

from __future__ import annotations

import reflex as rx

from app.state.compare.choice import ComparisonChoiceState
from app.state.comparison import ComparisonState
from app.ui.compare.choice_dialog import comparison_choice_dialog
from app.ui.compare.replies_dialog import compared_replies_dialog
from app.ui.kit.deferred import deferred


def compare_dialogs() -> rx.Component:
    """Draw the dialogs of models and of their replies. They contain a form, so they must not be inside one."""
    return rx.fragment(
        deferred(comparison_choice_dialog, when=ComparisonChoiceState.choosing),
        deferred(compared_replies_dialog, when=ComparisonState.shown),
    )
