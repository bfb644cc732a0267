"""A part of the page in which Escape does something, such as closing a form."""

from __future__ import annotations

from typing import Any

import reflex as rx
from reflex_components_core.el import Div


class _Listener(Div):
    on_key_down: rx.EventHandler[rx.event.key_event]


def escape(*children: rx.Component, on_escape: Any, **props: Any) -> rx.Component:
    """`on_escape` hears the key from every control in it. Nothing around it does: a dialog stays open."""
    mine = on_escape.prevent_default.stop_propagation
    return _Listener.create(*children, on_key_down=lambda key: rx.cond(key == "Escape", mine, rx.noop()), **props)
