"""An error boundary: if a part of the page cannot be drawn, its text is shown instead. The rest of the page stays.

boundary(pair_view(pair=pair), what="This pair", text=pair.user_text, again=pair.lifecycle)
"""

from __future__ import annotations

import reflex as rx
from reflex_components_core.base.error_boundary import ErrorBoundary


class Boundary(ErrorBoundary):
    """An error boundary that draws its children again after a failure, as soon as one of the `reset_keys` changes."""

    reset_keys: rx.Var[list[str]]


def boundary(
    drawn: rx.Component | rx.Var[rx.Component],
    *,
    what: str,
    text: rx.Var[str],
    again: rx.Var[str] | str = "",
    key: rx.Var[str] | str = "",
) -> rx.Component:
    """Draw a component. If that fails, draw its plain `text` with a message. `what` begins the message: "This pair".

    After a failure, the component is drawn again when `again` changes.
    """
    instead = rx.el.div(
        rx.el.p(f"{what} could not be shown. Its plain text is below. Reload the page to try again.", role="alert"),
        rx.el.pre(text, dir="auto"),
        class_name="undrawn",
    )
    return Boundary.create(drawn, fallback_render=rx.Var.create(instead), reset_keys=[again], key=key)
