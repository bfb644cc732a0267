"""An event at regular intervals while a component is on the screen, for data that publishes no changes."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Ticker(Island):
    """An invisible component that sends `on_tick` every `milliseconds`. Missed ticks are not sent later."""

    library = island("kit/clock/ticker.tsx")
    tag = "Ticker"
    milliseconds: rx.Var[int]
    on_tick: rx.EventHandler[rx.event.no_args_event_spec]
