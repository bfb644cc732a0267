"""The over-budget dialog of the composer: the next send does not fit the budget."""

from __future__ import annotations

import reflex as rx

from app.state.composer.state import ComposerState
from app.ui.composer.budget_options import budget_options


@rx.memo
def over_budget_dialog() -> rx.Component:
    """Draw the over-budget dialog of the next send. It is open while `ComposerState.over_budget` is set."""
    return budget_options(
        ComposerState.over_budget,
        on_choose=ComposerState.choose_way,
        on_remember=ComposerState.remember_way,
        on_close=ComposerState.end_over_budget,
    )
