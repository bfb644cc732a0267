"""The notes at a pair whose reply has not begun: its provider call waits for its turn, or the model thinks."""

from __future__ import annotations

import reflex as rx

from app.state.reply.retry import RetryState
from app.state.transcript import TranscriptState
from app.ui.kit.countdown import Countdown, Until
from app.ui.kit.passing import Passing
from app.ui.phrase import phrase
from app.views.screen.panels import WaitingView


@rx.memo
def waiting(pair_id: rx.Var[str]) -> rx.Component:
    """How many are ahead, or when the provider may be called again, and the choice to call it now."""
    shown = TranscriptState.waiting.to(WaitingView)
    return rx.cond(
        TranscriptState.waiting & (shown.pair_id == pair_id),
        Passing.create(
            rx.el.span(shown.message, role="status"),
            rx.cond(
                shown.until,
                Until.create(
                    f" {phrase('reply.in')} ",
                    Countdown.create(until=shown.until, now=shown.now, after=". ", hours=" h", seconds=" s"),
                    rx.el.button(phrase("reply.try_now"), type="button", on_click=RetryState.try_now(pair_id)),
                    until=shown.until,
                    now=shown.now,
                ),
            ),
            class_name="retry",
        ),
    )


@rx.memo
def thinking() -> rx.Component:
    """That a reply is awaited, unless its call waits for its turn, of which `waiting` tells."""
    return rx.cond(TranscriptState.waiting, None, rx.el.span(phrase("transcript.thinking")))
