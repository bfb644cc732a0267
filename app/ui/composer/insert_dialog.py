"""The dialog that inserts a prompt or a resource of an MCP server: first the choice, then the form of its arguments.

These are two dialogs; the second replaces the first, so that each starts with the focus on its first control.
"""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.composer.inserting import MAX_VALUE, SUBMIT_ID, FieldView, InsertingState
from app.ui.kit.containers.dialog import Dialog, dialog_cancel, dialog_foot, dialog_text, dialog_title
from app.ui.kit.controls.option_list import OptionList
from app.ui.kit.keys.form_keys import FormKeys

_TITLE: Final = "Insert from a server"
_MOST: Final = 200
_OFFER: Any = InsertingState.offer


@rx.memo
def insert_dialog() -> rx.Component:
    """Draw the dialog that inserts a prompt or a resource: the list to choose from or, after the choice, the form."""
    return rx.cond(InsertingState.offer, _dialog(_filling(), "filling"), _dialog(_choosing(), "choosing"))


def _dialog(content: rx.Component, key: str) -> rx.Component:
    return Dialog.create(
        content, key=key, label=_TITLE, on_close=InsertingState.close, class_name="modal insert-dialog"
    )


def _choosing() -> rx.Component:
    return rx.fragment(
        dialog_title(_TITLE),
        dialog_text("It is inserted as text into your message. You can edit it before you send it."),
        OptionList.create(
            rows=InsertingState.rows,
            label="Search prompts and resources",
            list_label="Prompts and resources",
            placeholder="Search prompts and resources",
            none=rx.cond(InsertingState.rows.length() > 0, "Nothing found.", ""),
            most=_MOST,
            more=f"The first {_MOST} of {{count}}. Type more of the name.",
            on_choose=InsertingState.choose,
            class_name="option-list insert-list",
        ),
        rx.el.p(InsertingState.said, role="status", class_name="insert-said"),
        dialog_foot(
            rx.el.a(
                "Set up servers…", href="/settings#tools", custom_attrs={"data-close": ""}, class_name="insert-more"
            ),
            dialog_cancel(),
            rx.cond(
                InsertingState.failed,
                rx.el.button("Try again", type="button", on_click=InsertingState.ask, class_name="loud"),
            ),
        ),
    )


def _filling() -> rx.Component:
    return FormKeys.create(
        rx.el.form(
            dialog_title(_OFFER.name),
            dialog_text(_OFFER.about),
            rx.cond(_OFFER.address, rx.el.p(_OFFER.address, class_name="insert-key")),
            rx.foreach(_OFFER.fields.to(tuple[FieldView, ...]), _field),
            rx.el.p(_OFFER.fault, role="alert", class_name="agent-fault"),
            rx.el.p(
                rx.cond(_OFFER.asking, f"Loading from “{_OFFER.server}”…", ""), role="status", class_name="insert-said"
            ),
            dialog_foot(
                rx.cond(
                    _OFFER.goes_back,
                    rx.el.button(
                        "Back", type="button", on_click=InsertingState.go_back, class_name="quiet insert-back"
                    ),
                ),
                dialog_cancel(),
                rx.el.button(
                    rx.cond(_OFFER.fault, "Try again", "Insert"),
                    id=SUBMIT_ID,
                    type="submit",
                    aria_disabled=_OFFER.asking,
                    custom_attrs={"data-first": rx.cond(_OFFER.fields.length() == 0, "", None)},
                    class_name="loud",
                ),
            ),
            on_submit=InsertingState.insert,
            no_validate=True,
            aria_label=_OFFER.name,
        ),
        enter=True,
    )


def _field(field: rx.vars.ObjectVar[FieldView], index: rx.Var[int]) -> rx.Component:
    name: Any = f"field-{index}"
    turn: Any = field.turn
    hint_id = f"{name}-said"
    is_refused = field.fault != ""
    return rx.el.div(
        rx.el.label(
            field.name,
            rx.cond(field.required, rx.el.span(" *", aria_hidden="true"), rx.el.small(" (optional)")),
            html_for=name,
        ),
        rx.el.textarea(
            key=turn,  # a new key draws the field again, so that the field takes the focus
            id=name,
            name=name,
            default_value=field.value,
            auto_focus=turn > 0,
            max_length=MAX_VALUE,
            rows=1,
            required=field.required,
            aria_invalid=is_refused,
            aria_describedby=hint_id,
            on_change=rx.cond(_OFFER.refused, InsertingState.clear_faults, rx.noop()),
            custom_attrs={"data-first": rx.cond(index == 0, "", None)},
        ),
        rx.el.p(
            rx.cond(is_refused, field.fault, field.description),
            id=hint_id,
            class_name=rx.cond(is_refused, "agent-fault", "agent-hint"),
        ),
        class_name="agent-field",
    )
