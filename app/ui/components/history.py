"""The history: the cards of what is sent before all pairs, then the pairs themselves."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.chat import ChatState
from app.ui.components.pair import pair_view
from app.ui.components.scripts import Script, function, script
from app.views.pair import ScreenPairView


class History(Script):
    """A window of the conversation's pairs; `draw` makes one of them."""

    library = script("history.jsx")
    tag = "History"
    draw: rx.Var[Any]
    empty: rx.Var[rx.Component]
    head: rx.Var[rx.Component]


def history() -> rx.Component:
    """Everything said in a conversation so far."""
    return History.create(
        draw=function("pair", ScreenPairView, lambda pair: pair_view(pair=pair)),
        empty=_empty(),
        head=_cards(),
    )


def _empty() -> rx.Component:
    return rx.el.p("Nothing said yet. Write below to begin.", class_name="pt-[22dvh] text-center text-muted")


def _cards() -> rx.Component:
    return _card("System prompt", ChatState.system_prompt)


def _card(name: str, text: rx.Var[str]) -> rx.Component:
    return rx.cond(
        text != "",
        rx.el.details(
            rx.el.summary(name, class_name="w-fit text-[13px] font-medium text-muted"),
            rx.el.p(text, dir="auto", class_name="mt-2 max-w-measure whitespace-pre-wrap text-[14px]"),
            open=True,
            class_name="card mb-6 rounded-xl border border-line bg-surface px-4 py-3",
        ),
    )
