"""The note at a pair whose provider call is about to be retried."""

from __future__ import annotations

import reflex as rx

from app.state.reply.retry import RetryState
from app.state.transcript import TranscriptState
from app.ui.kit.countdown import Countdown, Until
from app.ui.kit.passing import Passing
from app.ui.phrase import phrase
from app.views.screen.panels import RetryView


@rx.memo
def retry(pair_id: rx.Var[str]) -> rx.Component:
    """Why it failed, when it is tried again, and the choice to do so now or never."""
    shown = TranscriptState.retry.to(RetryView)
    return rx.cond(
        TranscriptState.retry & (shown.pair_id == pair_id),
        Passing.create(
            shown.message,
            f" {phrase('reply.trying_again')}",
            Until.create(
                f" {phrase('reply.in')} ",
                Countdown.create(until=shown.until, now=shown.now, after=". ", hours=" h", seconds=" s"),
                rx.el.button(phrase("reply.try_now"), type="button", on_click=RetryState.try_now(pair_id)),
                until=shown.until,
                now=shown.now,
            ),
            " ",
            rx.el.button(phrase("reply.stop_trying"), type="button", on_click=RetryState.give_up(pair_id)),
            class_name="retry",
        ),
    )
