"""What reads a conversation's figures again, as long as a script says when."""

from __future__ import annotations

import reflex as rx

from app.ui.components.scripts import Script, script


class ReplyEnd(Script):
    """Nothing to see. `on_changed`: a conversation was opened or a reply ended, `delay_ms` before."""

    library = script("spent.jsx")
    tag = "ReplyEnd"
    delay_ms: rx.Var[int]
    on_changed: rx.EventHandler[rx.event.no_args_event_spec]
