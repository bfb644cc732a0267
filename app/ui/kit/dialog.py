"""A modal dialog, open while it is drawn, and the parts of its footer."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.ui.kit.island import Island, island


class Dialog(Island):
    """A modal dialog with the name `label`. Draw it only while it is open.

    `on_close` clears the var that opened it: after Escape, a click outside it, or `dialog_cancel`. It closes without
    the server. The focus is first on the element with `custom_attrs={"data-first": ""}`, else on the first focusable
    one. `at` is the id of the element next to which it opens; if that is not visible, and on small screens, it is
    centred. `on_key` gets each pressed key that is one of the characters `keys`.
    """

    library = island("kit/dialog.tsx")
    tag = "Dialog"
    label: rx.Var[str]
    at: rx.Var[str] | None = None
    keys: rx.Var[str] | None = None
    on_close: rx.EventHandler[rx.event.no_args_event_spec]
    on_key: rx.EventHandler[rx.event.passthrough_event_spec(str)]


def dialog_title(text: str | rx.Var[str]) -> rx.Component:
    """The title of a dialog, in large text."""
    return rx.el.h2(text, class_name="dialog-title")


def dialog_text(*text: str | rx.Var[str] | rx.Component) -> rx.Component:
    """A paragraph of a dialog."""
    return rx.el.p(*text, class_name="dialog-words")


def dialog_foot(*buttons: rx.Component) -> rx.Component:
    """The row of buttons at the end of a dialog."""
    return rx.el.div(*buttons, class_name="dialog-buttons")


def dialog_cancel(text: str = "Cancel", *, first: bool = False) -> rx.Component:
    """A button that closes the dialog around it. `first`: it has the focus when the dialog opens."""
    marks = {"data-close": ""} | ({"data-first": ""} if first else {})
    return rx.el.button(text, type="button", custom_attrs=marks, class_name="quiet")


def dialog_action(text: str, on_click: Any) -> rx.Component:
    """The button that performs the action of the dialog."""
    return rx.el.button(text, type="button", on_click=on_click, class_name="loud")


def dialog_danger(text: str, on_click: Any) -> rx.Component:
    """The button that performs a deletion."""
    return rx.el.button(text, type="button", on_click=on_click, class_name="danger")
