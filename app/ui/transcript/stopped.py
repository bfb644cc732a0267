"""The note below the transcript if an error has ended the updates of the page, with a button that resumes them."""

from __future__ import annotations

import reflex as rx

from app.state.transcript.transcript import TranscriptState


def stopped_note() -> rx.Component:
    """Draw the note that the page is no longer updated; nothing while the page is updated."""
    return rx.cond(
        TranscriptState.stopped,
        rx.el.div(
            rx.el.p("This page stopped updating because of an error. Nothing is lost."),
            rx.el.button("Resume updates", type="button", on_click=TranscriptState.open, class_name="quiet"),
            role="alert",
            class_name="temporary-note",
        ),
    )
