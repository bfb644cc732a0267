"""All pairs: those of all conversations that a filter selects, to begin another conversation with."""

from __future__ import annotations

import reflex as rx

from app.ui.filters.bar import reader_zone
from app.ui.pages.frame import frame
from app.ui.pairs.bar import all_pairs_bar
from app.ui.pairs.listing import pair_list, pair_selection
from app.ui.phrase import phrase
from app.ui.shell.toasts import toasts


def pairs() -> rx.Component:
    """The page of `/pairs`."""
    return frame(
        rx.el.div(
            rx.el.div(pair_list(), class_name="mx-auto max-w-column px-5 pt-4 pb-16"),
            class_name="relative min-h-0 flex-1 overflow-y-auto",
        ),
        rx.el.div(toasts(), pair_selection(), reader_zone(), class_name="composer-place"),
        top=rx.fragment(
            rx.el.h1(phrase("all_pairs.title"), class_name="title-place min-w-0 truncate text-[14.5px] font-semibold"),
            all_pairs_bar(),
        ),
    )
