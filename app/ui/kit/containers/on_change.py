"""An event that is sent when a value changes."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class OnChange(Island):
    """An invisible component that sends `on_change` when it is first drawn, and whenever `value` has changed.

    An element with `on_mount` and a changing `key` does not do this: Reflex runs `on_mount` in a component around the
    element, and that component is not mounted again.
    """

    library = island("kit/containers/on_change.tsx")
    tag = "OnChange"
    value: rx.Var[str]
    on_change: rx.EventHandler[rx.event.no_args_event_spec]
