"""The card of a tool call in a reply. Its head shows the tool, the progress and the duration.

A collapsed card shows only its head. An expanded card also shows the arguments and the result.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import reflex as rx

from app.state.reply.tool_cards import ToolCardState
from app.ui.kit.containers.disclosure import Disclosure
from app.ui.kit.controls.icon import icon
from app.ui.reply.tool_body import tool_body
from app.views.reply.tool_body import MAX_START
from app.views.reply.tool_card import CardProgressView, CardStatus, ToolCardView

CardVar = rx.vars.ObjectVar[ToolCardView]

_MARKS: Final[Mapping[CardStatus, str]] = MappingProxyType(
    {
        CardStatus.DONE: "m3.5 8.5 3 3 6-7",
        CardStatus.FAILED: "m4.5 4.5 7 7m0-7-7 7",
        CardStatus.UNANSWERED: "M4 8h8",
        CardStatus.DENIED: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M4.2 4.2l7.6 7.6",
        CardStatus.WAITING: "M8 4v4.5M8 11.6v.1",
    }
)


@rx.memo
def tool_card(
    pair_id: rx.Var[str], version: rx.Var[int], live: rx.Var[bool], card: rx.vars.ObjectVar[ToolCardView]
) -> rx.Component:
    """Draw the card of a tool call in a version of a pair. `live`: the reply is still running."""
    name = pair_id.to(str) + "/" + version.to_string() + "/" + card.tool_call_id.to(str)
    turn = card.status.to(str) + rx.cond(live, " so far", "").to(str)
    is_read = ToolCardState.read.contains(name + "#" + turn)
    call = (pair_id, version, card.tool_call_id)
    return Disclosure.create(
        rx.cond(card.status == CardStatus.WRITING, _writing(card), tool_body(card=name)),
        summary=_head(card, live),
        status=card.status,
        missing=rx.cond(is_read | (card.status == CardStatus.WRITING), "", turn).to(str),
        on_need=ToolCardState.unfold(*call, turn),
        on_fold=ToolCardState.fold(*call),
        class_name="tool-card",
    )


def _head(card: CardVar, live: rx.Var[bool]) -> rx.Component:
    return rx.fragment(
        rx.match(
            card.status,
            *((status, _mark(path)) for status, path in _MARKS.items()),
            rx.el.span(class_name="tool-mark pulse", aria_hidden="true"),
        ),
        rx.el.span(card.name, class_name="tool-name"),
        rx.el.span(card.gist, class_name="tool-gist"),
        rx.el.span(
            card.state,
            rx.cond(card.took != "", rx.el.span(" · ", card.took, class_name="tool-time")),
            custom_attrs={"role": rx.cond(live, "status", None)},
            class_name="tool-state",
        ),
        rx.cond(card.progress, _progress(card.progress.to(CardProgressView))),
    )


def _mark(path: str) -> rx.Component:
    return icon(path, class_name="tool-mark")


def _progress(progress: rx.vars.ObjectVar[CardProgressView]) -> rx.Component:
    share = progress.share.to(float)
    return rx.el.span(
        rx.cond(share >= 0, rx.el.progress(aria_label=progress.label, max=1, value=share)),
        rx.el.span(progress.text, dir="auto"),
        rx.cond(
            progress.conversation_id != "",
            rx.el.a("Open", href="/c/" + progress.conversation_id.to(str), class_name="tool-place"),
        ),
        class_name="tool-progress",
    )


def _writing(card: CardVar) -> rx.Component:
    """Draw the arguments while they arrive, but only the beginning of long arguments."""
    text = card.input_json.to(str)
    return rx.el.div(
        rx.el.h4("Arguments"),
        rx.el.pre(text[:MAX_START], class_name="tool-text"),
        rx.cond(text.length() > MAX_START, rx.el.p(f"{text.length()} characters so far; shown when complete.")),
        class_name="tool-body",
    )
