"""A line that disappears automatically after some time."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Passing(Island):
    """A line that is shown for `milliseconds`. Then it sends `on_end`, whose handler removes it.

    With `milliseconds` None, the line stays, and `on_end` is never sent. While a pointer or the focus is on the line,
    `on_end` is not sent. If the line is removed while it has the focus, the focus moves to the transcript, or to the
    composer if `to` is "composer"; on a page without them, to the content of the page.
    """

    library = island("kit/clock/passing.tsx")
    tag = "Passing"
    milliseconds: rx.Var[int] | None = None
    to: rx.Var[str] | None = None
    on_end: rx.EventHandler[rx.event.no_args_event_spec]
