"""A pair: what was asked, what was answered, and how it ended.

Not the list of pairs (`history.py`) and no texts of its own: the reply is read from the browser's store by `Reply`.
"""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.ui.components.markdown import CopyButton, Reply
from app.ui.components.shell import Fold, Moment, Retry
from app.views.pair import ScreenPairView

PairVar = rx.vars.ObjectVar[ScreenPairView]

_ENDINGS = {
    "max_tokens": "Stopped at the output limit.",
    "content_filter": "Stopped by the provider's content filter.",
    "truncated": "The stream ended early.",
}


@rx.memo
def pair_view(pair: rx.vars.ObjectVar[ScreenPairView]) -> rx.Component:
    """One pair of the history."""
    return rx.el.article(
        _request(pair),
        rx.cond(
            _running(pair) & (pair.parts.length() == 0),
            rx.el.p(
                rx.el.span(class_name="pulse"),
                rx.el.span("thinking…"),
                Retry.create(pair_id=pair.id),
                class_name="badge mt-2 flex items-center gap-2 text-[13px] text-muted",
            ),
        ),
        rx.el.div(
            rx.foreach(pair.parts.to(list[dict[str, str]]), lambda part, index: _part(pair, part, index)),
            class_name="reply",
        ),
        _ending(pair),
        rx.cond(_running(pair), None, _meta(pair)),
        aria_label="Pair " + pair.position.to_string(),
        class_name="pair group/pair",
    )


def _running(pair: PairVar) -> rx.Var[bool]:
    return (pair.lifecycle == "sending") | (pair.lifecycle == "awaiting")


def _request(pair: PairVar) -> rx.Component:
    return rx.el.div(
        rx.el.div(pair.user_text, dir="auto", class_name="whitespace-pre-wrap break-words [overflow-wrap:anywhere]"),
        class_name="request w-fit max-w-full rounded-xl bg-sunken px-4 py-2",
    )


def _part(pair: PairVar, part: rx.vars.ObjectVar[dict[str, str]], index: rx.Var[int]) -> rx.Component | rx.Var[Any]:
    last = index == pair.parts.length() - 1
    text = Reply.create(pair_id=pair.id, index=index, live=_running(pair) & last)
    return rx.match(
        part["type"],
        ("text", rx.el.div(text, class_name="mt-4")),
        ("thinking", _thinking(text, _running(pair) & last)),
        ("tool_call", _tool_call(part)),
        rx.fragment(),
    )


def _tool_call(part: rx.vars.ObjectVar[dict[str, str]]) -> rx.Component:
    return rx.el.p(
        rx.el.span(part["name"], class_name="font-mono text-ink"),
        rx.el.span(part["state"].to(str).replace("-", " ")),
        class_name="mt-3 flex w-fit gap-2 rounded-lg border border-line px-3 py-1.5 text-[13px] text-muted",
    )


def _thinking(text: rx.Component, now: rx.Var[bool]) -> rx.Component:
    return Fold.create(
        rx.el.div(text, class_name="mt-2 border-s-2 border-line ps-4 text-[14px] text-muted"),
        summary=rx.cond(now, rx.el.span("Thinking…", class_name="thinking-now"), rx.el.span("Thought")),
        class_name="thinking mt-3",
    )


def _ending(pair: PairVar) -> rx.Component:
    error = pair.error.to(dict[str, str])
    note = "mt-3 max-w-measure text-[13.5px]"
    return rx.cond(
        pair.error,
        rx.cond(
            (pair.lifecycle == "canceled"),
            rx.el.p("Stopped.", class_name=f"{note} text-muted"),
            rx.el.div(
                rx.el.p(
                    "[error: " + error["class"] + "] " + error["message"],
                    class_name="font-medium [overflow-wrap:anywhere]",
                ),
                rx.el.p(error["next_step"], class_name="mt-0.5 text-ink opacity-80"),
                role="alert",
                class_name=f"failure {note} rounded-lg bg-danger-soft px-3.5 py-2.5 text-danger",
            ),
        ),
        rx.cond(
            pair.lifecycle == "canceled",
            rx.el.p("Stopped.", class_name=f"{note} text-muted"),
            rx.match(
                pair.stop_reason.to(str),
                *((reason, rx.el.p(words, class_name=f"{note} text-warn")) for reason, words in _ENDINGS.items()),
                rx.fragment(),
            ),
        ),
    )


def _meta(pair: PairVar) -> rx.Component:
    usage = pair.usage.to(dict[str, int])
    reply = pair.parts.to(list[dict[str, str]])
    text = rx.Var(f"({reply!s}).filter((p) => p.type === 'text').map((p) => p.text).join('')", _var_type=str)
    return rx.el.footer(
        Moment.create(at=pair.created_at.to(str), exact=True),
        rx.el.span(pair.model, class_name="truncate"),
        rx.cond(
            pair.usage,
            rx.el.span(
                _count(usage["input_tokens"] + usage["cache_read_tokens"] + usage["cache_write_tokens"]),
                " in · ",
                _count(usage["output_tokens"]),
                " out",
                title="Tokens read and written, as the provider counted them",
            ),
        ),
        rx.el.span(
            rx.cond(reply.length() > 0, CopyButton.create(text=text, label="Copy the reply", words="Reply")),
            CopyButton.create(text=pair.user_text, label="Copy the request", words="Request"),
            class_name="actions ms-auto flex gap-1",
        ),
        class_name="meta mt-2 flex min-h-7 flex-wrap items-center gap-x-3 whitespace-nowrap text-[12.5px] text-faint",
    )


def _count(number: Any) -> rx.Var[str]:
    return rx.Var(f"({number!s}).toLocaleString()", _var_type=str)
