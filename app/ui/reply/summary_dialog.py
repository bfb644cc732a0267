"""The dialog that chooses the pairs to summarise. Each choice has the tokens and the cost of the summary."""

from __future__ import annotations

import reflex as rx

from app.state.reply.summary import SummaryChoice, SummaryState
from app.state.reply.summary_plans import SummaryWay
from app.ui.kit.containers.dialog import Dialog, dialog_foot, dialog_text, dialog_title
from app.ui.kit.keys.arrows import Arrows

_TITLE = "Choose pairs to summarise"


@rx.memo
def summary_dialog() -> rx.Component:
    """Draw the dialog that chooses the pairs to summarise. It is open while `SummaryState.choice` is set.

    Until the choices are known, a dialog without choices is drawn. The dialog with the choices replaces it, so that the
    first choice gets the focus.
    """
    choice = SummaryState.choice.to(SummaryChoice)
    ways = choice.ways.to(tuple[SummaryWay, ...])
    return rx.cond(
        choice.ways.is_not_none(),
        _dialog(
            Arrows.create(rx.el.div(rx.foreach(ways, _way), class_name="ways"), among=".ways"),
            message=choice.fault,
            key="ways",
        ),
        _dialog(rx.el.div(class_name="ways"), message="Calculating tokens and price…", key="working"),
    )


def _dialog(ways: rx.Component, *, message: str | rx.Var[str], key: str) -> rx.Component:
    return Dialog.create(
        dialog_title(_TITLE),
        dialog_text(
            "The model writes a summary of the pairs you choose, and from then on the summary is sent in their place. "
            "The pairs stay in the conversation. You can edit, remove or undo the summary."
        ),
        ways,
        rx.el.p(message, role="status", class_name="dialog-words"),
        dialog_foot(rx.el.button("Cancel", type="button", custom_attrs={"data-close": ""})),
        label=_TITLE,
        on_close=SummaryState.end,
        class_name="modal over-budget",
        key=key,
    )


def _way(way: rx.vars.ObjectVar[SummaryWay], index: rx.vars.NumberVar[int]) -> rx.Component:
    return rx.el.button(
        rx.el.span(way.name, class_name="way-name"),
        rx.el.span(way.figures, class_name="way-figures"),
        rx.el.span(way.note, class_name="way-note"),
        type="button",
        on_click=SummaryState.choose(way.key),
        custom_attrs={"data-first": rx.cond(index == 0, "", None)},
        key=way.key,
    )
