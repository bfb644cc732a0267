"""The card of the checkpoint, the summary that is sent instead of the older pairs."""

from __future__ import annotations

import reflex as rx

from app.state.transcript.chat import ChatState
from app.state.transcript.checkpoint import CheckpointState
from app.ui.kit.containers.boundary import boundary
from app.ui.kit.keys.form_keys import FormKeys

_KEEP_MS = 120


def checkpoint_card() -> rx.Component:
    """Draw the card of the checkpoint: its summary, and buttons that edit and remove it; nothing if there is none."""
    return rx.cond(
        ChatState.summary != "",
        boundary(
            rx.el.details(
                rx.el.summary("📌 Conversation Summary (Checkpoint)"),
                rx.cond(CheckpointState.editing, _form(), _text()),
                open=True,
                class_name="card checkpoint",
            ),
            what="This card",
            text=ChatState.summary,
            again=ChatState.summary,
        ),
    )


def _text() -> rx.Component:
    return rx.fragment(
        rx.el.p(ChatState.summary, dir="auto"),
        rx.el.div(
            rx.el.button("Edit", type="button", on_click=CheckpointState.edit),
            rx.el.button("Remove", type="button", on_click=CheckpointState.remove),
            class_name="card-actions",
        ),
    )


def _form() -> rx.Component:
    return FormKeys.create(
        rx.el.form(
            rx.el.textarea(
                name="summary",
                default_value=CheckpointState.initial,
                on_change=CheckpointState.write.debounce(_KEEP_MS),
                rows=8,
                auto_focus=True,
                dir="auto",
                aria_label="Summary",
            ),
            rx.el.div(
                rx.el.button(
                    rx.cond(CheckpointState.changed, "Discard", "Cancel"),
                    type="button",
                    on_click=CheckpointState.end_edit,
                ),
                rx.el.button("Save", type="submit"),
                class_name="card-actions",
            ),
            on_submit=CheckpointState.save,
        ),
        key=CheckpointState.number,  # the browser keeps the text of a text area, so a new text needs a new element
        edit=CheckpointState.edit_id,
        on_escape=CheckpointState.end_edit,
    )
