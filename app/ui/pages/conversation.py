"""A conversation: its title, its history, the composer."""

from __future__ import annotations

import reflex as rx

from app.state.chat import ChatState
from app.state.sidebar import SidebarState
from app.ui.components.composer import composer
from app.ui.components.estimate import Counter
from app.ui.components.filter_bar import FilterBar
from app.ui.components.history import history
from app.ui.components.inspector import Inspector, InspectorToggle
from app.ui.components.temporary import TemporaryNote
from app.ui.components.titles import TitleField
from app.ui.components.usage import Spent
from app.ui.layout import frame
from app.ui.pages.not_found import nothing_here


def conversation() -> rx.Component:
    """The page of `/c/<id>`."""
    return rx.cond(ChatState.missing, _missing(), _conversation())


def _conversation() -> rx.Component:
    return frame(
        history(),
        TemporaryNote.create(
            conversation=ChatState.opened,
            temporary=ChatState.temporary,
            on_kept=[ChatState.open, SidebarState.load],
            on_discard=SidebarState.ask_delete,
        ),
        composer(on_stop=ChatState.stop_reply),
        top=_top(),
        aside=Inspector.create(),
    )


def _top() -> rx.Component:
    return rx.fragment(
        _title(),
        FilterBar.create(),
        Spent.create(),
        Counter.create(),
        InspectorToggle.create(
            rx.icon("scan-text", size=16),
            label="Preview of the request",
            class_name="grid size-8 flex-none place-items-center rounded-md text-muted hover:bg-hover "
            "aria-expanded:bg-hover aria-expanded:text-ink",
        ),
    )


def _title() -> rx.Component:
    return rx.el.div(
        rx.el.h1(ChatState.title, class_name="unseen"),
        TitleField.create(title=ChatState.title, made=ChatState.title_made, on_rename=ChatState.rename),
        class_name="title-place min-w-0",
    )


def _missing() -> rx.Component:
    return frame(nothing_here("There is no such conversation", "It may have been deleted. The others are in the list."))
