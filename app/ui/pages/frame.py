"""The frame of every page: the left column, the centre with its top bar, and dialogs that any page can open."""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.state.compare.answer_again import AnswerAgainState
from app.state.filters.sheet import SheetState
from app.state.reply.deletion import PairDeletionState
from app.state.reply.resend import ResendState
from app.state.reply.summary import SummaryState
from app.state.shell.news import NewsState
from app.state.shell.notice import NoticeState
from app.state.topics.picker import TopicPickerState
from app.ui import routes
from app.ui.filters.sheet_dialog import sheet_dialog
from app.ui.kit.containers.deferred import deferred
from app.ui.kit.containers.drawer import DrawerToggle
from app.ui.kit.controls.page_link import PageLink, PlaceLink
from app.ui.kit.controls.provider_link import with_provider_link
from app.ui.reply.again_dialog import answer_again_dialog
from app.ui.reply.delete_dialog import delete_pair_dialog
from app.ui.reply.later_dialog import later_dialog
from app.ui.reply.over_budget_dialog import resend_over_budget_dialog
from app.ui.reply.summary_dialog import summary_dialog
from app.ui.settings.appearance import preferred_theme
from app.ui.shell.keyboard import keyboard
from app.ui.sidebar.conversation_list import conversation_list
from app.ui.topics.picker_dialog import topic_picker_dialog

_BAR_BUTTON = (
    "when-closed inline-flex size-8 flex-none items-center justify-center rounded-md text-muted hover:bg-hover"
)
_EARLY_ENTER: Final = """addEventListener("keydown", ({ key, shiftKey, keyCode, target }) => {
  const isEarly = document.documentElement.dataset.mode === undefined;
  if (isEarly && key === "Enter" && !shiftKey && keyCode !== 229 && target.id === "prompt")
    target.dataset.entered = target.value + "\\n";
}, true);"""
"""A script for Enter in the composer while the page's own scripts do not run yet.

Enter then only adds a line break. The script notes the text with this line break, so that the text area sends the text
when it starts.
"""
_NOTICE = "mx-auto mb-2 max-w-column rounded-lg bg-warn-soft px-3.5 py-2 text-[13.5px] text-warn"


def frame(*centre: rx.Component, top: rx.Component | None = None, aside: rx.Component | None = None) -> rx.Component:
    """Draw a page with `centre` in its middle, `top` in the bar above, and `aside` in a column on the right."""
    return rx.fragment(
        PlaceLink.create(
            "Skip to the content", href="#centre", on_click=rx.set_focus("centre").prevent_default, class_name="skip"
        ),
        rx.el.div(
            conversation_list(),
            rx.el.main(
                _top_bar(top or rx.fragment()),
                _notice(),
                # Outside the list of conversations, because screen readers read nothing from a collapsed list.
                rx.el.p(NewsState.said, role="status", aria_live="polite", class_name="unseen"),
                *centre,
                id="centre",
                tab_index=-1,
                class_name="centre outline-none",
            ),
            aside or rx.fragment(),
            class_name="frame",
        ),
        keyboard(),
        preferred_theme(),
        deferred(sheet_dialog, when=SheetState.open),
        deferred(topic_picker_dialog, when=TopicPickerState.picking),
        deferred(delete_pair_dialog, when=PairDeletionState.deleting),
        deferred(answer_again_dialog, when=AnswerAgainState.asking),
        deferred(later_dialog, when=ResendState.later),
        deferred(resend_over_budget_dialog, when=ResendState.over_budget),
        deferred(summary_dialog, when=SummaryState.choice),
    )


def _top_bar(content: rx.Component) -> rx.Component:
    return rx.el.header(
        DrawerToggle.create(
            rx.icon("panel-left", size=17),
            label="Show the conversation list",
            class_name=_BAR_BUTTON,
        ),
        PageLink.create(
            rx.icon("plus", size=17),
            to=routes.HOME,
            end=True,
            custom_attrs={"aria-label": "New conversation", "title": "New conversation"},
            class_name=_BAR_BUTTON,
        ),
        content,
        class_name="top-bar flex h-12 flex-none items-center gap-2 px-3",
    )


def _notice() -> rx.Component:
    """Draw the notice about an error, over the page, so that it moves nothing."""
    return rx.el.div(
        rx.cond(
            NoticeState.message != "",
            rx.el.div(
                rx.el.p(with_provider_link(NoticeState.message), class_name="min-w-0 flex-1 [overflow-wrap:anywhere]"),
                rx.el.button(
                    rx.icon("x", size=15),
                    type="button",
                    aria_label="Dismiss",
                    title="Dismiss",
                    on_click=NoticeState.dismiss,
                    class_name="grid size-6 flex-none place-items-center rounded-md hover:bg-hover",
                ),
                class_name=f"{_NOTICE} flex items-start gap-3",
            ),
        ),
        _refusal("away", "Inview cannot be reached. Nothing was done. Try again in a moment."),
        _refusal("later", "Inview cannot be reached. This page opens when the connection is back."),
        _refusal("back", "Inview is connected again. Your last action was not done. Repeat it."),
        _refusal("large", "Nothing was done: the text is too long to send at once. Shorten it."),
        role="alert",
        class_name="page-notices",
    )


def _refusal(when: str, message: str) -> rx.Component:
    """Draw the notice about a refused action. It is hidden until `kit/connection/link.ts` reports the reason `when`."""
    return rx.el.p(message, class_name=f"refusal {when} {_NOTICE}")


def head() -> list[rx.Component]:
    """Return the elements of the HTML head of every page."""
    return [
        rx.el.link(rel="icon", href="/favicon.svg", type="image/svg+xml"),
        rx.el.meta(name="color-scheme", content="light dark"),
        rx.el.script(_EARLY_ENTER),
    ]
