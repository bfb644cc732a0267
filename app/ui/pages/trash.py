"""The page of the trash: deleted items that can be restored."""

from __future__ import annotations

import reflex as rx

from app.ui.pages.frame import frame
from app.ui.shell.toasts import toasts
from app.ui.trash.entries import trash_entries


def trash() -> rx.Component:
    """Draw the page of `/trash`."""
    return frame(
        rx.el.div(
            rx.el.div(trash_entries(), class_name="trash mx-auto max-w-column px-5 pt-4 pb-16"),
            class_name="relative min-h-0 flex-1 overflow-y-auto",
        ),
        toasts(),
        top=rx.el.h1("Trash", class_name="text-[14.5px] font-semibold"),
    )
