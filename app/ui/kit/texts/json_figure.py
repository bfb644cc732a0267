"""A JSON text to read, with a button that copies it."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.controls.copy_button import copy_button
from app.ui.kit.texts.json_lines import JsonLines


def json_figure(text: rx.Var[str], label: str | rx.Var[str]) -> rx.Component:
    """Draw a JSON text with a copy button. `label` is the accessible name of the button."""
    return figure(copy_button(text, label=label), JsonLines.create(text=text))


def figure(button: rx.Component, *content: rx.Component) -> rx.Component:
    """Draw the frame of a JSON text: a line with `button`, and below it `content`."""
    return rx.el.figure(rx.el.figcaption(rx.el.span("json"), button), *content, class_name="code json")
