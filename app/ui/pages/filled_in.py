"""The page of `/c/new`: reads its address, and fills in a new conversation with it."""

from __future__ import annotations

import reflex as rx

from app.ui.pages.frame import frame
from app.ui.phrase import phrase


def filled_in() -> rx.Component:
    """What is seen for a moment, until the first page is there."""
    return frame(rx.el.p(phrase("filled_in.opening_a_new_conversation"), role="status", class_name="trash-said"))
