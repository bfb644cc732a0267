"""Temporary conversations: the switch on the start page, and the note in a temporary conversation."""

from __future__ import annotations

import reflex as rx

from app.state.conversation.temporary import TemporaryState
from app.state.sidebar.sidebar import SidebarState
from app.state.transcript.chat import ChatState
from app.ui.composer.switch import Switch


def temporary_switch() -> rx.Component:
    """Draw the switch that makes the next conversation temporary."""
    return rx.el.div(
        Switch.create(
            " Temporary",
            on=TemporaryState.wanted,
            described_by="temporary-words",
            on_turn=TemporaryState.want,
        ),
        class_name="temporary-choice",
    )


def temporary_words() -> rx.Component:
    """Draw the text that explains the switch for temporary conversations. It is hidden while the switch is off."""
    return rx.el.p(
        "This conversation is never written to disk. It is deleted when you discard it or Inview stops. "
        "Its costs stay in Usage, without any text.",
        id="temporary-words",
        hidden=~TemporaryState.wanted,
        class_name="temporary-words",
    )


def temporary_note() -> rx.Component:
    """Draw the note of a temporary conversation, with buttons that keep or discard it; nothing in any other."""
    return rx.cond(
        ChatState.temporary,
        rx.el.div(
            rx.el.p(
                rx.el.strong("Temporary."),
                " It is never written to disk; it is deleted when you discard it or Inview stops.",
            ),
            rx.el.button(
                "Keep",
                type="button",
                disabled=TemporaryState.keeping,
                on_click=TemporaryState.keep,
                class_name="quiet",
            ),
            rx.el.button(
                "Discard", type="button", on_click=SidebarState.ask_delete(ChatState.opened), class_name="quiet"
            ),
            rx.cond(
                TemporaryState.fault != "",
                rx.el.p(TemporaryState.fault, role="alert", class_name="temporary-fault"),
            ),
            role="group",
            aria_label="Temporary conversation",
            class_name="temporary-note",
        ),
    )
