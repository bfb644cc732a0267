"""The cache line in the transcript, and the notes about the provider's cache above the composer.

The line shows which part of the conversation the next send reads from the cache. The rows of the transcript, and the
cards above them, draw the line at the place that `cached_after` and `cached_before_all` return.
"""

from __future__ import annotations

import reflex as rx

from app.state.inspector.cache import CacheState
from app.state.transcript.transcript import TranscriptState
from app.ui.inspector.keeping_dialog import keeping_dialog
from app.ui.kit.clock.countdown import Countdown, Until
from app.ui.kit.clock.moment import MomentText, TimeForm
from app.ui.kit.containers.deferred import deferred

_LINE = CacheState.notes.line
_COLD = CacheState.notes.cold
_KEEPING = CacheState.notes.keeping


def has_cache_line() -> rx.Var[bool]:
    """Return True if the transcript has a cache line. It has none while a reply is running."""
    is_here = CacheState.conversation == TranscriptState.conversation
    return is_here & (TranscriptState.running == "") & _LINE.is_not_none()


def cached_before_all() -> rx.Var[bool]:
    """Return True if the cache line is above all pairs."""
    return has_cache_line() & (_LINE.place == "system")


def cached_after(pair_id: rx.Var[str]) -> rx.Var[str]:
    """Return the part of this pair that the cache line follows: "request" or "reply", "" for neither."""
    return rx.cond(has_cache_line() & (_LINE.pair_id == pair_id), _LINE.place, "")


@rx.memo
def cache_line() -> rx.Component:
    """Draw the cache line. It reads the state, not arguments, so that rows without the line are not drawn again."""
    return Until.create(
        rx.el.div(
            rx.el.p(
                rx.el.span(
                    _LINE.text,
                    Countdown.create(until=_LINE.expires_at, now=_LINE.now, after=" left", hours=" h"),
                    title="Everything before this is in the provider's cache: "
                    "the next send reads it at a fraction of the price.",
                ),
                rx.cond(
                    _is_kept(),
                    _keeping(),
                    rx.el.button(
                        "Keep warm…",
                        type="button",
                        aria_haspopup="dialog",
                        on_click=CacheState.ask,
                        class_name="link",
                    ),
                ),
            ),
            role="note",
            aria_label=_LINE.label,
            class_name="cached",
        ),
        until=_LINE.expires_at,
        now=_LINE.now,
    )


def cache_notes() -> rx.Component:
    """Draw the two notes about the cache above the composer, and the dialog that starts the keep-alive.

    One note describes the keep-alive ("keep warm"), unless the cache line shows it. The other note warns that a send
    with the current filter, model and topic would not read the prefix that the provider has cached.
    """
    return rx.fragment(
        rx.cond(
            CacheState.conversation == TranscriptState.conversation,
            rx.fragment(
                rx.cond(
                    (TranscriptState.running == "") & _KEEPING.is_not_none() & ~(has_cache_line() & _is_kept()),
                    rx.el.p(_keeping(), role="status", class_name="cache-kept"),
                ),
                rx.cond(
                    _COLD.is_not_none(),
                    Until.create(
                        rx.el.p(rx.el.b("Cold start:"), _COLD.text, role="status", class_name="cache-broken"),
                        until=_COLD.expires_at,
                        now=_COLD.now,
                    ),
                ),
            ),
        ),
        deferred(keeping_dialog, when=CacheState.asking),
    )


def _is_kept() -> rx.Var[bool]:
    return _KEEPING.is_not_none() & _KEEPING.on.to(bool)


def _keeping() -> rx.Component:
    """Draw the time when the keep-alive ends or ended, its cost, and a button that stops it or hides this note."""
    return rx.el.span(
        rx.cond(_KEEPING.on, "Cache kept warm until ", "Cache no longer kept warm since "),
        MomentText.create(at=_KEEPING.at, form=TimeForm.CLOCK),
        _KEEPING.text,
        rx.el.button(
            rx.cond(_KEEPING.on, "Stop", "Dismiss"),
            type="button",
            aria_label=rx.cond(_KEEPING.on, "Stop keeping the cache warm", "Dismiss this note"),
            on_click=CacheState.stop,
            class_name="link",
        ),
        class_name="kept-warm",
    )
