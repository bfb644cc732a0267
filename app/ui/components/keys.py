"""What scripts say, and the dialogs that are not Python yet."""

from __future__ import annotations

import reflex as rx

from app.ui.components.scripts import Script, script


class OldDialogs(Script):
    """Shows the dialogs that are not Python yet. `on_models` asks which models answer a pair again."""

    library = script("modes.jsx")
    tag = "OldDialogs"
    on_models: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class ToastBridge(Script):
    """Carries what the old scripts say."""

    library = script("toast_bridge.jsx")
    tag = "ToastBridge"
    on_tell: rx.EventHandler[rx.event.passthrough_event_spec(str)]
