"""The card of the user context: what models are told about the person, before the pairs, as it is sent."""

from __future__ import annotations

import reflex as rx

from app.state.composer.state import ComposerState
from app.ui.kit.boundary import boundary
from app.ui.phrase import phrase


def prelude_card(*, opened: bool) -> rx.Component:
    """The card, open or folded. Nothing where nothing is told."""
    return rx.cond(
        ComposerState.prelude,
        boundary(
            rx.el.details(
                rx.el.summary(phrase("composer.about_you")),
                rx.el.p(ComposerState.prelude, dir="auto"),
                rx.el.p(
                    rx.el.a(phrase("composer.settings_link"), href="/settings#privacy"),
                    class_name="prelude-foot",
                ),
                open=opened,
                class_name="card prelude",
            ),
            what=phrase("common.this_card"),
            text=ComposerState.prelude,
        ),
    )
