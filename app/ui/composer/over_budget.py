"""The dialog of a send that does not fit."""

from __future__ import annotations

import reflex as rx

from app.state.composer.state import ComposerState
from app.ui.composer.budget_options import budget_options


@rx.memo
def over_budget_dialog() -> rx.Component:
    """Open while the state requires it."""
    return budget_options(
        ComposerState.over_budget,
        on_choose=ComposerState.choose_way,
        on_remember=ComposerState.remember_way,
        on_close=ComposerState.end_over_budget,
    )
