"""The section Messages of the inspector: the stored messages of the conversation, by kind."""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.state.inspector.messages import ALL, MessagesState
from app.state.tab.address import AT, PREFIX
from app.state.transcript.transcript import TranscriptState
from app.ui.kit.clock.moment import MomentText
from app.ui.kit.clock.ticker import Ticker
from app.ui.kit.controls.page_link import PageLink
from app.views.inspector.messages import MessageItem

_PACE: Final = 1500
"""Milliseconds between two updates of the list while a reply is running."""
_KINDS: Final = {
    ALL: "All",
    "human": "Human",
    "assistant": "Assistant",
    "tool": "Tool",
    "cache-hits": "Cache hits",
}
"""The label of the chip of each kind."""


@rx.memo
def messages_panel() -> rx.Component:
    """Draw the section Messages: chips for the kinds, and the list of messages, newest first."""
    return rx.el.div(
        rx.el.div(
            *(_chip(kind, label) for kind, label in _KINDS.items()),
            role="group",
            aria_label="Kinds of messages",
            class_name="filter-chips",
        ),
        rx.el.div(
            rx.el.button(
                "With background tasks",
                type="button",
                title="Titles, summaries and delegated work",
                aria_pressed=MessagesState.tasks,
                on_click=MessagesState.toggle_tasks,
                class_name="filter-chip",
            ),
            class_name="filter-chips",
        ),
        rx.cond(
            MessagesState.fault != "",
            rx.el.p(MessagesState.fault, role="alert", class_name="inspector-note"),
            rx.cond(
                MessagesState.conversation == TranscriptState.conversation,
                _messages(),
                rx.el.p("Loading…", role="status", class_name="inspector-note"),
            ),
        ),
        class_name="inspector-body message-list",
    )


def _chip(kind: str, label: str) -> rx.Component:
    return rx.el.button(
        label,
        type="button",
        aria_pressed=MessagesState.kind == kind,
        on_click=MessagesState.choose(kind),
        class_name="filter-chip",
    )


def _messages() -> rx.Component:
    return rx.fragment(
        rx.cond(
            MessagesState.items.length() == 0,
            rx.el.p(
                rx.cond(MessagesState.kind == ALL, "No messages yet.", "No messages of this kind."),
                role="status",
                class_name="inspector-note",
            ),
        ),
        rx.el.ol(
            rx.foreach(MessagesState.items, lambda item: message_item(item=item, key=item.id)),
            aria_label="Messages, newest first",
        ),
        rx.cond(
            MessagesState.more,
            rx.el.button("Show older messages", type="button", on_click=MessagesState.show_older, class_name="quiet"),
        ),
        rx.cond(
            MessagesState.unfinished,
            Ticker.create(milliseconds=_PACE, on_tick=MessagesState.keep_current.temporal),
        ),
    )


@rx.memo
def message_item(item: rx.vars.ObjectVar[MessageItem], rest: rx.RestProp) -> rx.Component:
    """Draw a message: its kind, the start of its text, its tokens and time, and a link to its pair."""
    position = item.position.to_string()
    return rx.el.li(
        rest,
        rx.el.p(
            rx.el.b(item.kind),
            rx.cond(item.task != "", rx.el.span(item.task)),
            rx.cond(item.status != "", rx.el.span(item.status)),
            rx.cond(item.tools != "", rx.el.span("Tools: ", item.tools)),
            rx.cond(item.cached != "", rx.el.span(item.cached, class_name="cache-hit")),
            class_name="message-kind",
        ),
        rx.cond(item.text != "", rx.el.p(item.text, dir="auto", class_name="message-start")),
        rx.el.p(
            PageLink.create(
                "Pair " + position,
                rx.cond(item.conversation == MessagesState.conversation, "", " of the task"),
                to=PREFIX + item.conversation.to(str) + f"?{AT}=" + position,
            ),
            rx.cond(item.tokens != "", rx.el.span(item.tokens)),
            MomentText.create(at=item.at),
            class_name="log-place",
        ),
    )
