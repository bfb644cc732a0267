"""Imports: conversations of other applications, and of another Inview."""

from __future__ import annotations

import reflex as rx

from app.ui.pages.frame import frame
from app.ui.phrase import phrase
from app.ui.shell.toasts import toasts
from app.ui.transfer.imports import imports_view


def imports() -> rx.Component:
    """The page of `/import`."""
    return frame(
        rx.el.div(
            rx.el.div(imports_view(), class_name="mx-auto max-w-column px-5 pt-4 pb-16"),
            class_name="relative min-h-0 flex-1 overflow-y-auto",
        ),
        rx.el.div(toasts(), class_name="composer-place"),
        top=rx.el.h1(phrase("imports.title"), class_name="text-[14.5px] font-semibold"),
    )
