"""The dialog that inserts an own prompt, or a prompt or resource of a server: a choice, then its arguments.

The two are dialogs of their own, one in the place of the other, so that each begins with the focus where it belongs.
"""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.composer.inserting import MAX_VALUE, SUBMIT_ID, FieldView, InsertingState
from app.ui import routes
from app.ui.kit.dialog import Dialog, dialog_cancel, dialog_foot, dialog_text, dialog_title
from app.ui.kit.form_keys import FormKeys
from app.ui.kit.option_list import OptionList
from app.ui.kit.page_link import PageLink
from app.ui.phrase import phrase

_TITLE: Final = phrase("composer.insert_title")
_MAX_SHOWN: Final = 200
_OFFER: Any = InsertingState.offer


@rx.memo
def insert_dialog() -> rx.Component:
    """Open while `InsertingState.opened`."""
    return rx.cond(InsertingState.offer, _dialog(_filling(), "filling"), _dialog(_choosing(), "choosing"))


def _dialog(content: rx.Component, key: str) -> rx.Component:
    return Dialog.create(
        content, key=key, label=_TITLE, on_close=InsertingState.close, class_name="modal insert-dialog"
    )


def _choosing() -> rx.Component:
    return rx.fragment(
        dialog_title(_TITLE),
        dialog_text(phrase("composer.insert_about")),
        OptionList.create(
            rows=InsertingState.rows,
            label=phrase("composer.search_prompts_and_resources"),
            list_label=phrase("composer.prompts_and_resources"),
            placeholder=phrase("composer.search_prompts_and_resources"),
            none=rx.cond(InsertingState.rows.length() > 0, phrase("composer.none_is_called_that"), ""),
            most=_MAX_SHOWN,
            more=phrase("composer.agents_more", most=_MAX_SHOWN),
            on_choose=InsertingState.choose,
            class_name="option-list insert-list",
        ),
        rx.el.p(InsertingState.said, role="status", class_name="insert-said"),
        dialog_foot(
            PageLink.create(
                phrase("composer.edit_prompts"),
                to=routes.PROMPTS,
                custom_attrs={"data-close": ""},
                class_name="insert-more",
            ),
            rx.el.a(
                phrase("composer.set_up_servers"),
                href="/settings#tools",
                custom_attrs={"data-close": ""},
                class_name="insert-more",
            ),
            dialog_cancel(),
            rx.cond(
                InsertingState.failed,
                rx.el.button(phrase("common.try_again"), type="button", on_click=InsertingState.ask, class_name="loud"),
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
            rx.el.p(_OFFER.fault, role="alert", class_name="form-fault"),
            rx.el.p(
                rx.cond(_OFFER.asking & (_OFFER.server != ""), phrase("composer.asking", server=_OFFER.server), ""),
                role="status",
                class_name="insert-said",
            ),
            dialog_foot(
                rx.cond(
                    _OFFER.goes_back,
                    rx.el.button(
                        phrase("common.back"),
                        type="button",
                        on_click=InsertingState.go_back,
                        class_name="quiet insert-back",
                    ),
                ),
                dialog_cancel(),
                rx.el.button(
                    rx.cond(_OFFER.fault, phrase("common.try_again"), phrase("composer.insert")),
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
    said = f"{name}-said"
    is_refused = field.fault != ""
    return rx.el.div(
        rx.el.label(
            field.name,
            rx.cond(
                field.required, rx.el.span(" *", aria_hidden="true"), rx.el.small(f" {phrase('composer.optional')}")
            ),
            html_for=name,
        ),
        rx.el.textarea(
            key=turn,  # drawn anew to have the focus
            id=name,
            name=name,
            default_value=field.value,
            auto_focus=turn > 0,
            max_length=MAX_VALUE,
            rows=1,
            required=field.required,
            aria_invalid=is_refused,
            aria_describedby=said,
            on_change=rx.cond(_OFFER.refused, InsertingState.clear_faults, rx.noop()),
            custom_attrs={"data-first": rx.cond(index == 0, "", None)},
        ),
        rx.el.p(
            rx.cond(is_refused, field.fault, field.description),
            id=said,
            class_name=rx.cond(is_refused, "form-fault", "form-hint"),
        ),
        class_name="form-field",
    )
