"""The frame of every page: the left column, the centre with its top bar."""

from __future__ import annotations

from pathlib import Path

import reflex as rx

from app.state.notice import NoticeState
from app.ui.components.conversation_list import conversation_list
from app.ui.components.keys import Keyboard
from app.ui.components.shell import DrawerToggle, SkipLink


def frame(*centre: rx.Component, top: rx.Component | None = None, aside: rx.Component | None = None) -> rx.Component:
    """A page. `top` stands in the bar above the centre, `aside` in a column on its right."""
    return rx.fragment(
        SkipLink.create("Skip to the content"),
        rx.el.div(
            conversation_list(),
            rx.el.main(
                _top_bar(top or rx.fragment()),
                _notice(),
                *centre,
                id="centre",
                tab_index=-1,
                class_name="centre outline-none",
            ),
            aside or rx.fragment(),
            class_name="frame",
        ),
        Keyboard.create(),
    )


def _top_bar(content: rx.Component) -> rx.Component:
    return rx.el.header(
        DrawerToggle.create(
            rx.icon("panel-left", size=17),
            label="Show the conversation list",
            class_name="when-closed size-8 flex-none items-center justify-center rounded-md text-muted hover:bg-hover",
        ),
        content,
        class_name="top-bar flex h-12 flex-none items-center gap-2 px-3",
    )


def _notice() -> rx.Component:
    return rx.el.div(
        rx.cond(
            NoticeState.words != "",
            rx.el.div(
                rx.el.p(NoticeState.words, class_name="min-w-0 flex-1 [overflow-wrap:anywhere]"),
                rx.el.button(
                    rx.icon("x", size=15),
                    type="button",
                    aria_label="Dismiss",
                    title="Dismiss",
                    on_click=NoticeState.dismiss,
                    class_name="grid size-6 flex-none place-items-center rounded-md hover:bg-hover",
                ),
                class_name="mx-auto mb-2 flex max-w-column items-start gap-3 rounded-lg bg-warn-soft px-3.5 py-2 "
                "text-[13.5px] text-warn",
            ),
        ),
        role="alert",
        class_name="flex-none px-3",
    )


def head() -> list[rx.Component]:
    """What stands in the head of every page."""
    return [
        rx.el.script((Path(__file__).parent / "components" / "early.js").read_text()),
        rx.el.link(rel="icon", href="/favicon.svg", type="image/svg+xml"),
        rx.el.meta(name="color-scheme", content="light dark"),
    ]
