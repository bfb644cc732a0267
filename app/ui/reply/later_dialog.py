"""The dialog that asks what to do with the later pairs when a pair is sent again. Nothing is sent without a choice.

Arrow keys move through the options; the focus starts at the option that loses nothing.
"""

from __future__ import annotations

import reflex as rx

from app.state.reply.resend import ResendState
from app.state.reply.resending import LaterView, LaterWay
from app.ui.kit.containers.dialog import Dialog, dialog_foot, dialog_text, dialog_title
from app.ui.kit.keys.arrows import Arrows

_TITLE = "What happens to the later pairs?"


@rx.memo
def later_dialog() -> rx.Component:
    """Draw the dialog that asks what to do with the later pairs. It is open while `ResendState.later` is set."""
    later = ResendState.later.to(LaterView)
    return Dialog.create(
        dialog_title(_TITLE),
        dialog_text(later.message),
        Arrows.create(
            rx.el.div(rx.foreach(later.ways, _way), class_name="ways"),
            among=".ways",
        ),
        dialog_foot(rx.el.button("Cancel", type="button", custom_attrs={"data-close": ""})),
        label=_TITLE,
        on_close=ResendState.end,
        class_name="modal over-budget",
    )


def _way(way: rx.vars.ObjectVar[LaterWay], index: rx.vars.NumberVar[int]) -> rx.Component:
    return rx.el.button(
        rx.el.span(way.name, class_name="way-name"),
        rx.el.span(way.note, class_name="way-note"),
        type="button",
        on_click=ResendState.choose_later(way.key),
        custom_attrs={"data-first": rx.cond(index == 0, "", None)},
        key=way.key,
    )
