"""A boundary for errors: what cannot be drawn says so in its place and shows its text. The rest of the page stays.

boundary(pair_view(pair=pair), what="This pair", text=pair.user_text, again=pair.lifecycle)
"""

from __future__ import annotations

import reflex as rx
from reflex_components_core.base.error_boundary import ErrorBoundary

from app.ui.phrase import phrase


class Boundary(ErrorBoundary):
    """Draws its children again, after a failure, as soon as one of the `reset_keys` changes."""

    reset_keys: rx.Var[list[str]]


def boundary(
    drawn: rx.Component | rx.Var[rx.Component],
    *,
    what: str,
    text: rx.Var[str],
    again: rx.Var[str] | str = "",
    key: rx.Var[str] | str = "",
) -> rx.Component:
    """Draw something, or, if that fails, the `text` it shows. It is tried again when `again` changes.

    `what` begins the message: "This pair".
    """
    instead = rx.el.div(
        rx.el.p(phrase("kit.drawing_failed", what=what), role="alert"),
        rx.el.pre(text, dir="auto"),
        class_name="undrawn",
    )
    return Boundary.create(drawn, fallback_render=rx.Var.create(instead), reset_keys=[again], key=key)
