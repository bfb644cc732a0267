"""A line that disappears automatically after some time."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Passing(Island):
    """A line that sends `on_end` after `milliseconds`, but not while a pointer or the focus is on it.

    If the line is removed while it has the focus, the focus moves to the history, or to the composer if `to` is
    "composer". Without `milliseconds`, `on_end` is never sent.
    """

    library = island("kit/passing.tsx")
    tag = "Passing"
    milliseconds: rx.Var[int] | None = None
    to: rx.Var[str] | None = None
    on_end: rx.EventHandler[rx.event.no_args_event_spec]
