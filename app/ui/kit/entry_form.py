"""The form of one entry of a list, such as an agent or a prompt: its fields, and the buttons that open it.

    _FORM = EntryForm("prompt", PromptFormState.form, PromptFormState.errors)
    _FORM.field("name", phrase("common.name"), phrase("prompts.name_hint"), type="text")

    open_form_button(phrase("common.edit"), label, f"{routes.PROMPTS}?prompt={item.id}", returning)

Not here: which fields a form has, and what becomes of them (`ui/agents`, `ui/prompts`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import reflex as rx


@dataclass(frozen=True)
class EntryForm:
    """Where a form's fields find their values and why they were refused: vars with one text for each field.

    `kind` begins the ids of the elements.
    """

    kind: str
    values: Any
    errors: Any

    def field(
        self, name: str, label: str, hint: str, *, control: Callable[..., rx.Component] = rx.el.input, **props: Any
    ) -> rx.Component:
        """A labelled control, and under it a hint or why its value was refused."""
        fault = getattr(self.errors, name)
        element, note = f"{self.kind}-{name}", f"{self.kind}-{name}-said"
        return rx.el.div(
            rx.el.label(label, html_for=element),
            control(
                id=element,
                name=name,
                default_value=getattr(self.values, name),
                aria_describedby=note,
                aria_invalid=rx.cond(fault != "", "true", rx.Var("undefined")),
                **props,
            ),
            rx.el.p(
                rx.cond(fault != "", fault, hint),
                id=note,
                class_name=rx.cond(fault != "", "form-fault", "form-hint"),
            ),
            class_name="form-field",
        )


@dataclass(frozen=True)
class Returning:
    """Whether the focus comes back to a button because its form was closed, and the event that says that it did."""

    here: rx.Var[bool]
    done: Any


def open_form_button(
    text: str, label: str | rx.Var[str], address: str, returning: Returning, class_name: str = "quiet"
) -> rx.Component:
    """Opens the form at this address. It gets the focus back when that form closes."""
    return rx.el.button(
        text,
        type="button",
        aria_label=label,
        auto_focus=returning.here,
        on_focus=rx.cond(returning.here, returning.done, rx.noop()),
        on_click=rx.redirect(address),
        class_name=class_name,
    )
