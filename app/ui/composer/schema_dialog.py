"""The dialog for the JSON schema of the reply. Ctrl+Enter applies the schema."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

from app.state.composer.schema import AREA_ID, SAMPLES, SchemaState
from app.ui.kit.containers.dialog import Dialog, dialog_cancel, dialog_foot, dialog_text, dialog_title
from app.ui.kit.keys.form_keys import FormKeys

_TITLE: Final = "JSON schema of the reply"
_SAID: Final = "schema-said"
_WRITING: Any = SchemaState.writing


@rx.memo
def schema_dialog() -> rx.Component:
    """Draw the dialog for the schema of the reply: buttons that insert samples, the text of the schema, its error."""
    return Dialog.create(
        dialog_title(_TITLE),
        dialog_text(
            "The next reply must be JSON that matches this schema. The schema is part of the request and of this draft."
        ),
        rx.el.div(
            *(rx.el.button(name, type="button", on_click=SchemaState.take_sample(name)) for name in SAMPLES),
            role="group",
            aria_label="Start from an example",
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
                            "Remove schema",
                            type="button",
                            on_click=SchemaState.take_off,
                            class_name="quiet schema-off",
                        ),
                    ),
                    dialog_cancel(),
                    rx.el.button("Use", type="submit", class_name="loud"),
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
        key=_WRITING.number,  # a new key draws the field again, so that the new text replaces that in the browser
        id=AREA_ID,
        name="schema",
        default_value=_WRITING.text,
        on_change=rx.cond(is_refused, SchemaState.clear_fault, rx.noop()),
        auto_focus=True,
        required=True,
        rows=12,
        spell_check=False,
        placeholder='{"type": "object", …}',
        aria_label="Schema",
        aria_invalid=is_refused,
        aria_describedby=_SAID,
        custom_attrs={"data-first": ""},
    )
