"""What the old scripts ask the inspector to show, and what it still needs of them."""

from __future__ import annotations

import reflex as rx

from app.ui.components.scripts import Script, script


class InspectorBridge(Script):
    """Carries what the old scripts ask to be shown to the inspector's state."""

    library = script("inspect_bridge.jsx")
    tag = "InspectorBridge"
    on_show: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_toggle: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_fork: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_swap: rx.EventHandler[rx.event.passthrough_event_spec(str)]
