"""The question before a command that is hard to reverse."""

from __future__ import annotations

import reflex as rx

from app.state.filters.line import FilterLineState
from app.ui.kit.dialog import Dialog
from app.ui.phrase import phrase


@rx.memo
def confirm_command_dialog() -> rx.Component:
    """Asks what the command asks, and shows the line."""
    asking = FilterLineState.asking
    return Dialog.create(
        rx.el.h2(phrase("filters.do_this"), class_name="dialog-title"),
        rx.el.p(asking.question, class_name="dialog-words"),
        rx.el.p(rx.el.code(asking.line), class_name="dialog-words"),
        rx.el.div(
            rx.el.button(phrase("common.cancel"), type="button", custom_attrs={"data-first": "", "data-close": ""}),
            rx.el.button(
                phrase("filters.go_ahead"), type="button", on_click=FilterLineState.confirm, class_name="dangerous"
            ),
            class_name="dialog-buttons",
        ),
        label=phrase("filters.do_this"),
        on_close=FilterLineState.cancel,
        class_name="modal",
    )
