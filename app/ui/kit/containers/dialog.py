"""A modal dialog, which is open while it is drawn, and its parts: title, text, buttons."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.ui.kit.island import Island, island


class Dialog(Island):
    """A modal dialog with the accessible name `label`. Draw it only while it is open.

    Escape, a click outside the dialog and `dialog_cancel` close it without the server. `on_close` must then clear the
    var that opened it. The element with `custom_attrs={"data-first": ""}` gets the focus first, else the first
    focusable element.

    The dialog opens next to the element with the id `at`. It is centred without `at`, on small screens, and while that
    element is not visible. `on_key` gets each pressed key that is one of the characters `keys`.
    """

    library = island("kit/containers/dialog.tsx")
    tag = "Dialog"
    label: rx.Var[str]
    at: rx.Var[str] | None = None
    keys: rx.Var[str] | None = None
    on_close: rx.EventHandler[rx.event.no_args_event_spec]
    on_key: rx.EventHandler[rx.event.passthrough_event_spec(str)]


def dialog_title(text: str | rx.Var[str]) -> rx.Component:
    """Draw the title of a dialog."""
    return rx.el.h2(text, class_name="dialog-title")


def dialog_text(*text: str | rx.Var[str] | rx.Component) -> rx.Component:
    """Draw a paragraph of a dialog."""
    return rx.el.p(*text, class_name="dialog-words")


def dialog_foot(*buttons: rx.Component) -> rx.Component:
    """Draw the row of buttons at the end of a dialog."""
    return rx.el.div(*buttons, class_name="dialog-buttons")


def dialog_cancel(text: str = "Cancel", *, first: bool = False) -> rx.Component:
    """Draw the button that closes the dialog around it. `first`: it has the focus when the dialog opens."""
    marks = {"data-close": ""} | ({"data-first": ""} if first else {})
    return rx.el.button(text, type="button", custom_attrs=marks, class_name="quiet")


def dialog_danger(text: str | rx.Var[str], on_click: Any) -> rx.Component:
    """Draw the button that performs the deletion that the dialog asks about."""
    return rx.el.button(text, type="button", on_click=on_click, class_name="danger")
