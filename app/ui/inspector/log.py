"""The section Log of the inspector: requests for titles and summaries, and the usage when messages were removed."""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.state.inspector.log import LogState
from app.state.tab.address import AT, PREFIX
from app.state.transcript.checkpoint import CheckpointState
from app.state.transcript.transcript import TranscriptState
from app.ui.kit.clock.moment import MomentText
from app.ui.kit.clock.ticker import Ticker
from app.ui.kit.controls.icon import icon
from app.ui.kit.controls.page_link import PageLink
from app.views.inspector.log import LogEntryView

_PACE: Final = 1500
"""Milliseconds between two updates of a running request."""
_TITLE: Final = "M3 4.5V3h10v1.5M8 3v10M6 13h4"
_SUMMARY: Final = "M3 3.5h10M3 6.5h10M3 9.5h6M10.5 11.5l1.5 1.5 2.5-3"

EntryVar = rx.vars.ObjectVar[LogEntryView]


@rx.memo
def log_panel() -> rx.Component:
    """Draw the section Log: the entries of the log, newest first."""
    return rx.cond(
        LogState.fault != "",
        rx.el.p(LogState.fault, role="alert", class_name="inspector-note"),
        rx.cond(
            LogState.conversation == TranscriptState.conversation,
            rx.el.div(
                rx.el.p(
                    rx.cond(
                        LogState.entries.length() == 0,
                        "Nothing yet. Requests for titles and summaries appear here. When you edit, delete or restore "
                        "messages, an entry shows the tokens used until then.",
                        "This list is not part of what is sent to the model.",
                    ),
                    class_name="log-none",
                ),
                rx.el.ol(rx.foreach(LogState.entries, lambda entry: log_entry(entry=entry, key=entry.id))),
                rx.cond(
                    LogState.earlier > 0,
                    rx.el.p(
                        LogState.earlier.to_string() + " earlier entries: the JSON export has all of them.",
                        class_name="log-none",
                    ),
                ),
                rx.cond(
                    LogState.unfinished,
                    Ticker.create(milliseconds=_PACE, on_tick=LogState.keep_current.temporal),
                ),
                class_name="log",
            ),
            rx.el.p("Loading…", role="status", class_name="inspector-note"),
        ),
    )


@rx.memo
def log_entry(entry: rx.vars.ObjectVar[LogEntryView], rest: rx.RestProp) -> rx.Component:
    """Draw one entry of the log."""
    return rx.el.li(
        rest,
        rx.match(
            entry.kind,
            ("accounting", _accounting(entry)),
            ("title", _title(entry)),
            ("summary", _summary(entry)),
            rx.fragment(),
        ),
        rx.el.p(_place(entry), MomentText.create(at=entry.at), class_name="log-place"),
    )


def _place(entry: EntryVar) -> rx.Component:
    """Draw the place of the entry in the conversation: a link to the pair above this place."""
    position = entry.after_position.to_string()
    return rx.cond(
        entry.after_position.to(int) > 0,
        PageLink.create("after pair " + position, to=PREFIX + LogState.conversation + f"?{AT}=" + position),
        rx.el.span("before the first pair"),
    )


def _accounting(entry: EntryVar) -> rx.Component:
    return rx.fragment(
        rx.el.p(
            rx.el.span("💰", aria_hidden="true"),
            rx.el.span(entry.about, title="All tokens of this conversation up to then, as the providers counted them"),
            class_name="accounting",
        ),
        rx.el.p(entry.name, class_name="log-reason"),
    )


def _title(entry: EntryVar) -> rx.Component:
    return rx.fragment(
        _node_request(entry, _TITLE),
        rx.cond(entry.text, rx.el.p(entry.text, dir="auto", class_name="node-title")),
    )


def _summary(entry: EntryVar) -> rx.Component:
    return rx.fragment(
        _node_request(entry, _SUMMARY),
        rx.cond(
            entry.usable,
            rx.el.details(
                rx.el.summary("📌 Conversation Summary (Checkpoint)"),
                rx.el.p(entry.text, dir="auto"),
                rx.el.div(
                    rx.el.button(
                        "Use this summary", type="button", on_click=CheckpointState.use(entry.text, entry.position)
                    ),
                    class_name="card-actions",
                ),
                class_name="node-summary",
            ),
        ),
    )


def _node_request(entry: EntryVar, path: str) -> rx.Component:
    """Draw a request for a title or a summary: the model, the tokens and cost, and the outcome."""
    return rx.el.p(
        icon(path),
        rx.el.span(entry.name),
        rx.el.span(entry.about, class_name="node-about"),
        rx.cond(
            entry.made_in,
            PageLink.create("Open the request", to=PREFIX + entry.made_in.to(str)),
        ),
        data_failed=rx.cond(entry.failed, "true", None),
        class_name="node-asked",
    )
