"""Shares: links to copies of conversations, which others can open."""

from __future__ import annotations

import reflex as rx

from app.ui.pages.frame import frame
from app.ui.phrase import phrase
from app.ui.shell.toasts import toasts
from app.ui.transfer.shares import share_list


def shares() -> rx.Component:
    """The page of `/shares`."""
    return frame(
        rx.el.div(
            rx.el.div(share_list(), class_name="agents mx-auto max-w-column px-5 pt-4 pb-16"),
            class_name="relative min-h-0 flex-1 overflow-y-auto",
        ),
        rx.el.div(toasts(), class_name="composer-place"),
        top=rx.el.h1(phrase("shares.title"), class_name="text-[14.5px] font-semibold"),
    )
