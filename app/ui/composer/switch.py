"""A switch that changes at once when it is clicked, even before the page's scripts run."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Switch(Island):
    """A checkbox with the role of a switch. Its children are the label.

    `on` is the stored value. `described_by` is the id of the element that explains the switch.
    """

    library = island("composer/switch.tsx")
    tag = "Switch"
    on: rx.Var[bool]
    described_by: rx.Var[str]
    on_turn: rx.EventHandler[rx.event.passthrough_event_spec(bool)]
