"""Temporary conversations: the switch for the next one, and the note on a temporary one."""

from __future__ import annotations

import reflex as rx

from app.state.chat import ChatState
from app.state.composer.temporary import TemporaryState
from app.state.sidebar import SidebarState
from app.ui.composer.switch import Switch
from app.ui.phrase import phrase


def temporary_switch() -> rx.Component:
    """Whether the next conversation is temporary."""
    return rx.el.div(
        Switch.create(
            f" {phrase('composer.temporary')}",
            on=TemporaryState.wanted,
            described_by="temporary-words",
            on_turn=TemporaryState.want,
        ),
        rx.el.p(
            rx.cond(
                TemporaryState.on_server,
                phrase("composer.temporary_about_on_server"),
                phrase("composer.temporary_about"),
            ),
            id="temporary-words",
            hidden=~TemporaryState.wanted,
        ),
        class_name="temporary-choice",
    )


def temporary_note() -> rx.Component:
    """What a temporary conversation is, and the options there are. Nothing for others."""
    return rx.cond(
        ChatState.temporary,
        rx.el.div(
            rx.el.p(
                rx.el.strong(phrase("composer.temporary_text")),
                " ",
                rx.cond(
                    TemporaryState.on_server,
                    phrase("composer.temporary_hint_on_server"),
                    phrase("composer.temporary_hint"),
                ),
            ),
            rx.el.button(
                phrase("common.keep"),
                type="button",
                disabled=TemporaryState.keeping,
                on_click=TemporaryState.keep,
                class_name="quiet",
            ),
            rx.el.button(
                phrase("common.discard"),
                type="button",
                on_click=SidebarState.ask_delete(ChatState.opened),
                class_name="quiet",
            ),
            rx.cond(
                TemporaryState.fault != "",
                rx.el.p(TemporaryState.fault, role="alert", class_name="temporary-fault"),
            ),
            role="group",
            aria_label=phrase("composer.temporary_conversation"),
            class_name="temporary-note",
        ),
    )
