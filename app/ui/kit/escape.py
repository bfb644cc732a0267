"""A part of the page in which Escape does something, such as closing a form."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Escape(Island):
    """`on_escape` hears the key from every control in it."""

    library = island("kit/escape.tsx")
    tag = "Escape"
    on_escape: rx.EventHandler[rx.event.no_args_event_spec]
