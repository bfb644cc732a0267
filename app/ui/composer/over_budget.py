"""The dialog of a send that does not fit: every option with its tokens and price. Nothing is trimmed without it.

The focus begins at Cancel: an Enter too many sends nothing. Arrow keys walk through the options.
"""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.composer.state import ComposerState
from app.state.composer.views import WayView
from app.ui.kit.arrows import Arrows
from app.ui.kit.dialog import Dialog

_SHOWN: Any = ComposerState.over_budget
_REMEMBER: Any = ComposerState.remember_way  # a checkbox sends a truth, which Reflex's types do not know


@rx.memo
def over_budget_dialog() -> rx.Component:
    """The options, each a button; it is open while the state says so."""
    return Dialog.create(
        Arrows.create(
            rx.el.h2("This does not fit", class_name="dialog-title"),
            rx.el.p(_SHOWN.message, class_name="dialog-words"),
            rx.el.div(rx.foreach(_SHOWN.ways, _way), class_name="ways"),
            rx.el.div(
                rx.el.label(
                    rx.el.input(type="checkbox", on_change=_REMEMBER),
                    " Do this from now on ",
                    rx.el.small("(for sending what fits, or all; Settings → Context)"),
                    class_name="remember",
                ),
                rx.el.button(
                    "Cancel",
                    type="button",
                    custom_attrs={"data-first": "", "data-close": ""},
                ),
                class_name="dialog-buttons",
            ),
            among=".ways",
        ),
        label="This does not fit",
        on_close=ComposerState.end_over_budget,
        class_name="modal over-budget",
    )


def _way(way: rx.vars.ObjectVar[WayView]) -> rx.Component:
    return rx.el.button(
        rx.el.span(way.name, class_name="way-name"),
        rx.el.span(way.figures, class_name="way-figures"),
        rx.el.span(way.note, class_name="way-note"),
        type="button",
        on_click=ComposerState.choose_way(way.key),
        key=way.key,
    )
