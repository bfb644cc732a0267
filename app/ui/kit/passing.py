"""A line that goes by itself, or at any rate soon."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Passing(Island):
    """Sends `on_end` after so many `milliseconds`, but not while a pointer or the focus is on it.

    If it goes while it has the focus, that goes to the history, or to the composer. Without `milliseconds` it does
    nothing else.
    """

    library = island("kit/passing.tsx")
    tag = "Passing"
    milliseconds: rx.Var[int] | None = None
    to: rx.Var[str] | None = None
    on_end: rx.EventHandler[rx.event.no_args_event_spec]
