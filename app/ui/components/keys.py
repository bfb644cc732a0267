"""What the old scripts say."""

from __future__ import annotations

import reflex as rx

from app.ui.components.scripts import Script, script


class ToastBridge(Script):
    """Carries what the old scripts say."""

    library = script("toast_bridge.jsx")
    tag = "ToastBridge"
    on_tell: rx.EventHandler[rx.event.passthrough_event_spec(str)]
