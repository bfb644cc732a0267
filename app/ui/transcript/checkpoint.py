"""The card of the checkpoint: the summary that is sent in the place of the pairs before it."""

from __future__ import annotations

import reflex as rx

from app.state.chat import ChatState
from app.state.checkpoint import CheckpointState
from app.ui.kit.boundary import boundary
from app.ui.kit.form_keys import FormKeys
from app.ui.phrase import phrase


def checkpoint_card() -> rx.Component:
    """Read, edited and removed here; nothing while there is no checkpoint."""
    return rx.cond(
        ChatState.summary != "",
        boundary(
            rx.el.details(
                rx.el.summary(phrase("transcript.conversation_summary_checkpoint")),
                rx.cond(CheckpointState.editing, _form(), _text()),
                open=True,
                class_name="card checkpoint",
            ),
            what=phrase("common.this_card"),
            text=ChatState.summary,
            again=ChatState.summary,
        ),
    )


def _text() -> rx.Component:
    return rx.fragment(
        rx.el.p(ChatState.summary, dir="auto"),
        rx.el.div(
            rx.el.button(phrase("common.edit"), type="button", on_click=CheckpointState.edit),
            rx.el.button(phrase("common.remove"), type="button", on_click=CheckpointState.remove),
            class_name="card-actions",
        ),
    )


def _form() -> rx.Component:
    return FormKeys.create(
        rx.el.form(
            rx.el.textarea(
                name="summary",
                default_value=ChatState.summary,
                rows=8,
                auto_focus=True,
                dir="auto",
                aria_label=phrase("common.summary"),
            ),
            rx.el.div(
                rx.el.button(phrase("common.cancel"), type="button", on_click=CheckpointState.end_edit),
                rx.el.button(phrase("common.save"), type="submit"),
                class_name="card-actions",
            ),
            on_submit=CheckpointState.save,
        ),
        on_escape=CheckpointState.end_edit,
    )
