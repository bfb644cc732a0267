"""Keys of a form with a text area."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class FormKeys(Island):
    """The form inside: Ctrl+Enter submits it, Escape is `on_escape`. No key of it reaches the page."""

    library = island("kit/form_keys.tsx")
    tag = "FormKeys"
    on_escape: rx.EventHandler[rx.event.no_args_event_spec]
