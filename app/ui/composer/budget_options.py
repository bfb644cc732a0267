"""The dialog of a send that exceeds the budget: options, each with its tokens and price.

Pairs are left out only if the person chooses an option that says so. The focus starts at Cancel, so an extra Enter
sends nothing. The arrow keys move through the options.
"""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.composer.views import OverBudgetView, WayView
from app.ui.kit.containers.dialog import Dialog
from app.ui.kit.keys.arrows import Arrows


def budget_options(
    shown: Any,
    *,
    on_choose: Any,
    on_remember: Any,
    on_close: rx.event.EventType[()],
) -> rx.Component:
    """Draw the dialog of an over-budget send with the options in `shown`, a var of the type `OverBudgetView`.

    `on_choose` gets the key of the chosen option. `on_remember` gets True if "Remember my choice" is ticked, else
    False.
    """
    view = shown.to(OverBudgetView)
    return Dialog.create(
        Arrows.create(
            rx.el.h2(view.title, class_name="dialog-title"),
            rx.el.p(view.message, class_name="dialog-words"),
            rx.el.div(rx.foreach(view.ways, lambda way: _way(way, on_choose)), class_name="ways"),
            rx.el.div(
                rx.cond(
                    view.remembers,
                    rx.el.label(
                        rx.el.input(type="checkbox", on_change=on_remember),
                        " Remember my choice ",
                        rx.el.small("(for the two send options; change it in Settings → Context)"),
                        class_name="remember",
                    ),
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
        label=view.title,
        on_close=on_close,
        class_name="modal over-budget",
    )


def _way(way: rx.vars.ObjectVar[WayView], on_choose: Any) -> rx.Component:
    return rx.el.button(
        rx.el.span(way.name, class_name="way-name"),
        rx.el.span(way.figures, class_name="way-figures"),
        rx.el.span(way.note, class_name="way-note"),
        type="button",
        on_click=on_choose(way.key),
        key=way.key,
    )
