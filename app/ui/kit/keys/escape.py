"""A part of the page with its own action for Escape, such as closing a form."""

from __future__ import annotations

from typing import Any

import reflex as rx
from reflex_components_core.el import Div


class _Listener(Div):
    on_key_down: rx.EventHandler[rx.event.key_event]


def escape(*children: rx.Component, on_escape: Any, **props: Any) -> rx.Component:
    """Draw `children` in an element that sends `on_escape` when Escape is pressed in it.

    A dialog around the element does not get the key.
    """
    mine = on_escape.prevent_default.stop_propagation
    return _Listener.create(*children, on_key_down=lambda key: rx.cond(key == "Escape", mine, rx.noop()), **props)
