"""The card of the prelude, the text about the user that is sent to models. It is shown above the pairs."""

from __future__ import annotations

import reflex as rx

from app.state.composer.state import ComposerState
from app.ui.kit.containers.boundary import boundary


def prelude_card(*, opened: bool) -> rx.Component:
    """Draw the card with the exact text of the prelude; nothing if no prelude is sent. `opened`: it is expanded."""
    return rx.cond(
        ComposerState.prelude,
        boundary(
            rx.el.details(
                rx.el.summary("About you"),
                rx.el.p(ComposerState.prelude, dir="auto"),
                rx.el.p(
                    rx.el.a("Change or switch off in Settings", href="/settings#privacy"), class_name="prelude-foot"
                ),
                open=opened,
                class_name="card prelude",
            ),
            what="This card",
            text=ComposerState.prelude,
        ),
    )
