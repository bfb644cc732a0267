"""Repeats an event while something is on screen, for values that announce no changes."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Ticker(Island):
    """Sends `on_tick` every so many `milliseconds`, for as long as it is drawn. Missed ticks are not made up for."""

    library = island("kit/ticker.tsx")
    tag = "Ticker"
    milliseconds: rx.Var[int]
    on_tick: rx.EventHandler[rx.event.no_args_event_spec]
