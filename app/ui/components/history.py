"""The history: the cards of what is sent before all pairs, then the pairs themselves."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.state.chat import ChatState
from app.ui.components.branches import ForkedFrom
from app.ui.components.filter_bar import NothingFound
from app.ui.components.pair import pair_view
from app.ui.components.prelude import PreludeCard
from app.ui.components.scripts import Script, function, script
from app.views.pair import ScreenPairView


class History(Script):
    """A window of the conversation's pairs; `draw` makes one of them."""

    library = script("history.jsx")
    tag = "History"
    draw: rx.Var[Any]
    empty: rx.Var[rx.Component]
    head: rx.Var[rx.Component]


class Checkpoint(Script):
    """The card of the summary that stands for the pairs before it."""

    library = script("checkpoint.jsx")
    tag = "Checkpoint"
    summary: rx.Var[str]


def history() -> rx.Component:
    """Everything said in a conversation so far."""
    return History.create(
        draw=function("pair", ScreenPairView, lambda pair: pair_view(pair=pair)),
        empty=_empty(),
        head=_cards(),
    )


def _empty() -> rx.Component:
    return NothingFound.create(
        otherwise=rx.el.p("Nothing said yet. Write below to begin.", class_name="pt-[22dvh] text-center text-muted")
    )


def _cards() -> rx.Component:
    return rx.fragment(
        ForkedFrom.create(
            parent=ChatState.parent,
            name=ChatState.parent_name,
            position=ChatState.fork_position,
            derived=ChatState.derived,
        ),
        _card("Agent: " + ChatState.agent_name, ChatState.agent_prompt),
        _card("System prompt", ChatState.system_prompt),
        PreludeCard.create(),
        Checkpoint.create(summary=ChatState.summary),
    )


def _card(name: rx.Var[str] | str, text: rx.Var[str]) -> rx.Component:
    return rx.cond(
        text != "",
        rx.el.details(
            rx.el.summary(name, class_name="w-fit text-[13px] font-medium text-muted"),
            rx.el.p(text, dir="auto", class_name="mt-2 max-w-measure whitespace-pre-wrap text-[14px]"),
            open=True,
            class_name="card mb-6 rounded-xl border border-line bg-surface px-4 py-3",
        ),
    )
