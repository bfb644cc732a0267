"""The first page: a new conversation, with nothing in the way of its first words."""

from __future__ import annotations

import reflex as rx

from app.ui.components.composer import composer
from app.ui.layout import frame


def home() -> rx.Component:
    """A composer in the middle; the first send makes the conversation and goes to it."""
    return frame(
        rx.el.div(
            rx.el.h1("What is in view is what is in context.", class_name="home-title"),
            composer(),
            class_name="flex flex-1 flex-col justify-center pb-[14dvh]",
        ),
    )
