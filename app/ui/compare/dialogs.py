"""The dialogs of a comparison: the choice of its models, and their replies side by side."""

from __future__ import annotations

import reflex as rx

from app.state.compare.choice import ComparisonChoiceState
from app.state.comparison import ComparisonState
from app.ui.compare.choice_dialog import comparison_choice_dialog
from app.ui.compare.replies_dialog import compared_replies_dialog
from app.ui.kit.containers.deferred import deferred


def compare_dialogs() -> rx.Component:
    """Draw both dialogs of a comparison, each while it is open. They contain a form, so no form may be around them."""
    return rx.fragment(
        deferred(comparison_choice_dialog, when=ComparisonChoiceState.choosing),
        deferred(compared_replies_dialog, when=ComparisonState.shown),
    )
