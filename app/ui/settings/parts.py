"""Parts that the sections of Settings share: headings, buttons, labelled fields, checkboxes, status lines."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

FIELD: Final = (
    "h-9 w-full rounded-lg border border-line-strong bg-page px-3 text-[14px] outline-none "
    "focus-visible:border-accent focus-visible:outline-2"
)
BUTTON: Final = "h-9 rounded-lg px-3.5 text-[14px] font-medium"
QUIET: Final = f"{BUTTON} border border-line-strong hover:bg-hover"
LOUD: Final = f"{BUTTON} bg-accent text-accent-ink hover:opacity-90"


def section(anchor: str, title: str, description: str, *content: rx.Component) -> rx.Component:
    """Draw heading, description and content of a section of Settings. Its address is `/settings#` plus `anchor`."""
    return rx.fragment(
        rx.el.h2(title, id=anchor, tab_index=-1, class_name="text-[19px] font-semibold tracking-tight outline-none"),
        rx.el.p(description, class_name="mt-1 text-[14px] text-muted"),
        *content,
    )


def labelled(name: str, field: rx.Component, aside: rx.Component | None = None) -> rx.Component:
    """Draw a field below its label. `aside` is shown at the end of the label's line."""
    return rx.el.label(
        rx.el.span(
            rx.el.span(name), aside or rx.fragment(), class_name="mb-1 flex justify-between text-[13px] text-muted"
        ),
        field,
        class_name="block",
    )


def checkbox(
    label: Any, *, checked: Any, on_change: Any, class_name: str = "context-choice", **props: Any
) -> rx.Component:
    """Draw a checkbox with its label. It always shows the stored value `checked`, so a refused change is not shown."""
    return rx.el.label(
        rx.el.input(type="checkbox", checked=checked, on_change=on_change, **props),
        " ",
        label,
        class_name=class_name,
    )


def radio(label: str, **props: Any) -> rx.Component:
    """Draw a radio button with its label."""
    return rx.el.label(rx.el.input(type="radio", **props), " ", label, class_name="context-choice")


def status(message: Any) -> rx.Component:
    """Draw the result of the last action, which screen readers read out."""
    return rx.el.p(message, role="status", class_name="context-said")


def saving(message: Any) -> rx.Component:
    """Draw the end of a form: the button Save and the result of the last save."""
    return rx.el.div(rx.el.button("Save", type="submit"), status(message), class_name="context-foot")


def once_loaded(loaded: Any, content: rx.Component) -> rx.Component:
    """Draw the content once its values are `loaded`. Drawn earlier, the fields would keep their first, empty values."""
    return rx.cond(loaded, content, status("Loading settings…"))
