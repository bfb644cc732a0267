"""The dialog that takes the JSON schema of the reply. Ctrl+Enter uses what is written."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.composer.schema import AREA_ID, SAMPLES, SchemaState
from app.ui.kit.dialog import Dialog, dialog_cancel, dialog_foot, dialog_text, dialog_title
from app.ui.kit.form_keys import FormKeys
from app.ui.phrase import phrase

_TITLE: Final = phrase("composer.schema_title")
_SAID: Final = "schema-said"
_WRITING: Any = SchemaState.writing


@rx.memo
def schema_dialog() -> rx.Component:
    """Samples to begin with, the text, and what is wrong with it."""
    return Dialog.create(
        dialog_title(_TITLE),
        dialog_text(phrase("composer.schema_about")),
        rx.el.div(
            *(
                rx.el.button(phrase(f"composer.sample.{name}"), type="button", on_click=SchemaState.take_sample(name))
                for name in SAMPLES
            ),
            role="group",
            aria_label=phrase("composer.start_from_an_example"),
            class_name="schema-samples",
        ),
        FormKeys.create(
            rx.el.form(
                _area(),
                rx.el.p(SchemaState.fault, id=_SAID, role="alert", class_name="schema-said"),
                dialog_foot(
                    rx.cond(
                        _WRITING.is_set,
                        rx.el.button(
                            phrase("composer.remove_schema"),
                            type="button",
                            on_click=SchemaState.take_off,
                            class_name="quiet schema-off",
                        ),
                    ),
                    dialog_cancel(),
                    rx.el.button(phrase("composer.use"), type="submit", class_name="loud"),
                ),
                on_submit=SchemaState.use,
            )
        ),
        label=_TITLE,
        on_close=SchemaState.close,
        class_name="modal schema-dialog",
    )


def _area() -> rx.Component:
    is_refused = SchemaState.fault != ""
    return rx.el.textarea(
        key=_WRITING.number,  # another text takes the place of what is written, which the browser holds
        id=AREA_ID,
        name="schema",
        default_value=_WRITING.text,
        on_change=rx.cond(is_refused, SchemaState.clear_fault, rx.noop()),
        auto_focus=True,
        required=True,
        rows=12,
        spell_check=False,
        placeholder='{"type": "object", …}',
        aria_label=phrase("composer.schema"),
        aria_invalid=is_refused,
        aria_describedby=_SAID,
        custom_attrs={"data-first": ""},
    )
