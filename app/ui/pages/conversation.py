"""A conversation: its title, its history, the composer."""

from __future__ import annotations

import reflex as rx

from app.state.chat import ChatState
from app.ui.components.composer import composer
from app.ui.components.history import history
from app.ui.layout import frame
from app.ui.pages.not_found import nothing_here


def conversation() -> rx.Component:
    """The page of `/c/<id>`."""
    return rx.cond(ChatState.missing, _missing(), _conversation())


def _conversation() -> rx.Component:
    return frame(
        history(),
        composer(on_stop=ChatState.stop_reply),
        top=_title(),
    )


def _title() -> rx.Component:
    return rx.el.form(
        rx.el.h1(ChatState.title, class_name="unseen"),
        rx.el.input(
            name="title",
            key=ChatState.title,
            default_value=ChatState.title,
            on_blur=ChatState.rename,
            dir="auto",
            max_length=200,
            auto_complete="off",
            spell_check=False,
            aria_label="Title of the conversation",
            title="Rename",
            class_name="title-field",
        ),
        on_submit=ChatState.submit_title,
        class_name="min-w-0",
    )


def _missing() -> rx.Component:
    return frame(nothing_here("There is no such conversation", "It may have been deleted. The others are in the list."))
