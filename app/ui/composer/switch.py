"""A switch that loses no click."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Switch(Island):
    """A box with the role of a switch, and its label as children. `described_by` is the id of what explains it."""

    library = island("composer/switch.tsx")
    tag = "Switch"
    on: rx.Var[bool]
    described_by: rx.Var[str]
    on_turn: rx.EventHandler[rx.event.passthrough_event_spec(bool)]
