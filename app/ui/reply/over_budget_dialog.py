"""The over-budget dialog of a pair that is sent again: the pair does not fit the budget."""

from __future__ import annotations

import reflex as rx

from app.state.reply.resend import ResendState
from app.ui.composer.budget_options import budget_options


@rx.memo
def resend_over_budget_dialog() -> rx.Component:
    """Draw the over-budget dialog of a pair that is sent again. It is open while `ResendState.over_budget` is set."""
    return budget_options(
        ResendState.over_budget,
        on_choose=ResendState.choose_way,
        on_remember=ResendState.remember_way,
        on_close=ResendState.end,
    )
