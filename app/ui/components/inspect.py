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
    on_snapshot: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_swap: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class ResendButtons(Script):
    """Sends the pair again, as it would be now or as it was; first `on_close`."""

    library = script("resend_buttons.jsx")
    tag = "ResendButtons"
    pair: rx.Var[str]
    on_close: rx.EventHandler[rx.event.no_args_event_spec]
