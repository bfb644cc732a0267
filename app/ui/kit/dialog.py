"""A modal dialog, open while it is drawn, and what its foot is made of."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.ui.kit.island import Island, island
from app.ui.phrase import phrase


class Dialog(Island):
    """A dialog above everything, called `label`. Draw it only while it is open.

    `on_close` clears the var that opened it: after Escape, a click beside it, or `dialog_cancel`. It needs no server to
    go away. The focus is first on the element with `custom_attrs={"data-first": ""}`, else on the first that takes it.
    `at` is the id of the element it stands at; where that is out of sight, and on small screens, it is in the middle.
    `on_key` has each key pressed in it that is one of `keys`, names with spaces between: "+ - ArrowLeft".
    """

    library = island("kit/dialog.tsx")
    tag = "Dialog"
    label: rx.Var[str]
    at: rx.Var[str] | None = None
    keys: rx.Var[str] | None = None
    on_close: rx.EventHandler[rx.event.no_args_event_spec]
    on_key: rx.EventHandler[rx.event.passthrough_event_spec(str)]


def dialog_title(text: str | rx.Var[str]) -> rx.Component:
    """What the dialog is about, in large."""
    return rx.el.h2(text, class_name="dialog-title")


def dialog_text(*text: str | rx.Var[str] | rx.Component) -> rx.Component:
    """A paragraph."""
    return rx.el.p(*text, class_name="dialog-words")


def dialog_foot(*buttons: rx.Component) -> rx.Component:
    """The row of buttons at the end of a dialog."""
    return rx.el.div(*buttons, class_name="dialog-buttons")


def dialog_cancel(text: str = phrase("common.cancel"), *, first: bool = False) -> rx.Component:
    """A button that closes the dialog around it. `first`: it has the focus when the dialog opens."""
    marks = {"data-close": ""} | ({"data-first": ""} if first else {})
    return rx.el.button(text, type="button", custom_attrs=marks, class_name="quiet")


def dialog_action(text: str, on_click: Any) -> rx.Component:
    """The button that does what the dialog asks about."""
    return rx.el.button(text, type="button", on_click=on_click, class_name="loud")


def dialog_danger(text: str, on_click: Any) -> rx.Component:
    """The same where something is deleted."""
    return rx.el.button(text, type="button", on_click=on_click, class_name="danger")
