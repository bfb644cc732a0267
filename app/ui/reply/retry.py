"""The countdown and the buttons of a pair that waits for a retry."""

from __future__ import annotations

import reflex as rx

from app.state.reply.retry import RetryState
from app.state.transcript.transcript import TranscriptState
from app.ui.kit.clock.countdown import Countdown, Until
from app.ui.kit.clock.passing import Passing
from app.views.reply.panels import RetryView


@rx.memo
def retry(pair_id: rx.Var[str]) -> rx.Component:
    """Draw the reason of the failure, the time of the next attempt, and buttons to retry now or to give up."""
    shown = TranscriptState.retry.to(RetryView)
    return rx.cond(
        TranscriptState.retry & (shown.pair_id == pair_id),
        Passing.create(
            shown.message,
            " Retrying",
            Until.create(
                " in ",
                Countdown.create(until=shown.until, now=shown.now, after=". ", hours=" h", seconds=" s"),
                rx.el.button("Retry now", type="button", on_click=RetryState.try_now(pair_id)),
                until=shown.until,
                now=shown.now,
            ),
            " ",
            rx.el.button("Stop retrying", type="button", on_click=RetryState.give_up(pair_id)),
            class_name="retry",
        ),
    )
