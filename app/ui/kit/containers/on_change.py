"""An event that is sent when a value changes."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class OnChange(Island):
    """An invisible component that sends `on_change` when it is first drawn, and whenever `value` has changed.

    A `key` with `on_mount` does not do this, because Reflex puts the effect of `on_mount` around the element with the
    key.
    """

    library = island("kit/containers/on_change.tsx")
    tag = "OnChange"
    value: rx.Var[str]
    on_change: rx.EventHandler[rx.event.no_args_event_spec]
