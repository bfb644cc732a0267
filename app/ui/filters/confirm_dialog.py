"""The dialog that confirms a command which is hard to undo."""

from __future__ import annotations

import reflex as rx

from app.state.filters.line import FilterLineState
from app.ui.kit.containers.dialog import Dialog


@rx.memo
def confirm_command_dialog() -> rx.Component:
    """Draw the dialog that confirms a command of the filter bar: the question, and the line that was entered."""
    asking = FilterLineState.asking
    return Dialog.create(
        rx.el.h2("Run this command?", class_name="dialog-title"),
        rx.el.p(asking.question, class_name="dialog-words"),
        rx.el.p(rx.el.code(asking.line), class_name="dialog-words"),
        rx.el.div(
            rx.el.button("Cancel", type="button", custom_attrs={"data-first": "", "data-close": ""}),
            rx.el.button("Run", type="button", on_click=FilterLineState.confirm, class_name="dangerous"),
            class_name="dialog-buttons",
        ),
        label="Run this command?",
        on_close=FilterLineState.cancel,
        class_name="modal",
    )
