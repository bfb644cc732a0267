"""The page for unknown addresses, and the text of a page whose content does not exist."""

from __future__ import annotations

import reflex as rx

from app.ui import routes
from app.ui.kit.controls.page_link import PageLink
from app.ui.pages.frame import frame


def not_found() -> rx.Component:
    """Draw the page for an unknown address."""
    return frame(nothing_here("Page not found", "The link may be old or incomplete."))


def nothing_here(title: str, *words: rx.Component | rx.Var[str] | str) -> rx.Component:
    """Draw a text that names the missing object, with a link to a new conversation."""
    return rx.el.div(
        rx.el.h1(title, class_name="text-[20px] font-semibold tracking-tight"),
        rx.el.p(*words, class_name="mt-1 text-muted"),
        PageLink.create(
            "Start a new conversation",
            to=routes.HOME,
            class_name="mt-5 w-fit rounded-lg bg-accent px-4 py-2 text-[14px] font-medium text-accent-ink",
        ),
        class_name="m-auto flex max-w-measure flex-col p-6",
    )
