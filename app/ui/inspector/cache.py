"""The cached part of the conversation on screen: the cache line between pairs, and the notes above the composer.

The rows of the transcript and the cards before them draw the line where `cached_after` places it.
"""

from __future__ import annotations

import reflex as rx

from app.state.inspector.cache import CacheState
from app.state.transcript import TranscriptState
from app.ui.inspector.keeping_dialog import keeping_dialog
from app.ui.kit.countdown import Countdown, Until
from app.ui.kit.deferred import deferred
from app.ui.kit.moment import MomentText, TimeForm

_LINE = CacheState.notes.line
_COLD = CacheState.notes.cold
_KEEPING = CacheState.notes.keeping


def has_cache_line() -> rx.Var[bool]:
    """True if the transcript has a cache line: not while a reply is running."""
    is_here = CacheState.conversation == TranscriptState.conversation
    return is_here & (TranscriptState.running == "") & _LINE.is_not_none()


def cached_before_all() -> rx.Var[bool]:
    """True if the line is before all pairs."""
    return has_cache_line() & (_LINE.place == "system")


def cached_after(pair_id: rx.Var[str]) -> rx.Var[str]:
    """Return the part of this pair that the line follows: "request" or "reply", "" for neither."""
    return rx.cond(has_cache_line() & (_LINE.pair_id == pair_id), _LINE.place, "")


@rx.memo
def cache_line() -> rx.Component:
    """Draw the line. It reads the state itself, so that rows without the line are not drawn again."""
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
    """Draw the notes above the composer: keep-warm if no line shows it, and a warning if the view breaks the cache."""
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
    """Draw the end and cost of keeping warm, or that it has ended, with the button that stops it or hides the note."""
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
