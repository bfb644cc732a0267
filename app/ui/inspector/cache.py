"""What the provider keeps of the conversation, said where it matters: the line between pairs, notes above the composer.

The rows of the transcript and what stands before them draw the line where `cached_after` says.
"""

from __future__ import annotations

import reflex as rx

from app.state.inspector.cache import CacheState
from app.state.transcript import TranscriptState
from app.ui.inspector.keeping_dialog import keeping_dialog
from app.ui.kit.countdown import Countdown, Until
from app.ui.kit.deferred import deferred
from app.ui.kit.moment import Moment, TimeForm
from app.ui.phrase import phrase

_LINE = CacheState.notes.line
_COLD = CacheState.notes.cold
_KEEPING = CacheState.notes.keeping


def has_cache_line() -> rx.Var[bool]:
    """Whether there is a line to be put between the pairs: not while a reply is on."""
    is_here = CacheState.conversation == TranscriptState.conversation
    return is_here & (TranscriptState.running == "") & _LINE.is_not_none()


def cached_before_all() -> rx.Var[bool]:
    """Whether the line stands before all pairs."""
    return has_cache_line() & (_LINE.place == "system")


def cached_after(pair_id: rx.Var[str]) -> rx.Var[str]:
    """After what of this pair the line stands: its "request" or its "reply", "" for neither."""
    return rx.cond(has_cache_line() & (_LINE.pair_id == pair_id), _LINE.place, "")


@rx.memo
def cache_line() -> rx.Component:
    """The line itself. It reads its state on its own, so that a row that has none is not drawn again."""
    return Until.create(
        rx.el.div(
            rx.el.p(
                rx.el.span(
                    _LINE.text,
                    Countdown.create(
                        until=_LINE.expires_at, now=_LINE.now, after=f" {phrase('inspector.left')}", hours=" h"
                    ),
                    title=phrase("inspector.cached_prefix"),
                ),
                rx.cond(
                    _is_kept(),
                    _keeping(),
                    rx.el.button(
                        phrase("inspector.keep_warm"),
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
    """What is said above the composer: keeping that has no line to stand in, and what the view options would break."""
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
                        rx.el.p(
                            rx.el.b(phrase("inspector.cold_start")),
                            _COLD.text,
                            role="status",
                            class_name="cache-broken",
                        ),
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
    """Until when it is kept and what that came to, or that it is not any more; the way to end it."""
    return rx.el.span(
        rx.cond(_KEEPING.on, f"{phrase('inspector.kept_warm_until')} ", f"{phrase('inspector.warm_ended')} "),
        Moment.create(at=_KEEPING.at, form=TimeForm.CLOCK),
        _KEEPING.text,
        rx.el.button(
            rx.cond(_KEEPING.on, phrase("common.stop"), phrase("inspector.ok")),
            type="button",
            aria_label=rx.cond(
                _KEEPING.on, phrase("inspector.stop_keeping_it_warm"), phrase("inspector.put_this_note_away")
            ),
            on_click=CacheState.stop,
            class_name="link",
        ),
        class_name="kept-warm",
    )
