"""The dialog that starts the cache keep-alive ("keep warm"): a choice of durations, each with its price."""

from __future__ import annotations

import reflex as rx

from app.state.inspector.cache import CacheState
from app.ui.kit.containers.dialog import Dialog, dialog_cancel, dialog_foot, dialog_text, dialog_title
from app.views.inspector.cache import KeepingChoice

_OFFER = CacheState.notes.offer


@rx.memo
def keeping_dialog() -> rx.Component:
    """Draw the dialog that starts the keep-alive. If the cache cannot be kept warm, it shows the reason, not durations.

    It is open while `CacheState.asking` is True.
    """
    refused = _OFFER.refusal != ""
    title = rx.cond(refused, "The cache cannot be kept warm", "Keep the cache warm")
    return Dialog.create(
        dialog_title(title),
        dialog_text(rx.cond(refused, _OFFER.refusal, _OFFER.text)),
        rx.el.div(rx.foreach(_OFFER.choices.to(tuple[KeepingChoice, ...]), _choice), class_name="ways"),
        rx.cond(CacheState.fault != "", rx.el.p(CacheState.fault, role="alert", class_name="dialog-words")),
        dialog_foot(rx.cond(refused, dialog_cancel("Close", first=True), dialog_cancel())),
        label=title,
        on_close=CacheState.end_ask,
        class_name="modal over-budget",
    )


def _choice(choice: rx.vars.ObjectVar[KeepingChoice], index: rx.Var[int]) -> rx.Component:
    return rx.el.button(
        rx.el.span(choice.name, class_name="way-name"),
        rx.el.span(choice.price, class_name="way-figures"),
        rx.el.span(choice.note, class_name="way-note"),
        type="button",
        on_click=CacheState.keep(choice.minutes),
        custom_attrs={"data-first": rx.cond(index == 0, "", rx.Var("undefined"))},
    )
