"""A row of the transcript: a pair, the notes above it (such as "not sent"), and a line above both if the agent changes.

`pair.py` has the pair itself. A row reads only its arguments and no state, so that only changed rows are drawn again.
"""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.domain.context.context import OutReason
from app.ui.inspector.cache import cache_line
from app.ui.kit.containers.boundary import boundary
from app.ui.kit.vars import PairVar
from app.ui.transcript.pair import has_notes, pair_view
from app.views.reply.pair import ScreenPairView

_OUT: Final = {
    OutReason.OVER_BUDGET: ("OUT", "· over budget", "Not sent: it does not fit into the budget with the newer pairs."),
    OutReason.BEFORE_CHECKPOINT: ("OUT", "· summarised", "Not sent: the summary above is sent instead of it."),
    OutReason.FAILED: ("Failed,", "not sent", "Its reply failed, or it has none."),
    OutReason.FILTERED: ("OUT", "· filtered", "Not sent: the filter excludes it."),
    OutReason.DAMAGED: ("OUT", "· damaged", "Not sent: part of it cannot be read."),
}
"""The reasons why a pair is not sent, each as a short label (its first part is bold) and as a sentence."""


@rx.memo
def pair_row(pair: rx.vars.ObjectVar[ScreenPairView], cached: rx.Var[str], rest: rx.RestProp) -> rx.Component:
    """Draw a row of the transcript. `cached`: the part above the cache line: "request", "reply" or "" for neither."""
    return rx.fragment(
        rx.cond(
            pair.switched,
            rx.el.p(
                rx.cond(pair.agent, pair.agent.to(str) + " answers from here", "No agent from here"),
                class_name="agent-rule",
            ),
        ),
        rx.el.div(
            rest,
            _notes(pair),
            boundary(
                pair_view(pair=pair, cached=cached == "request"),
                what="This pair",
                text=_text(pair),
                again=pair.updated_at.to(str),
            ),
            rx.cond(cached == "reply", cache_line()),
            custom_attrs={"data-pair": pair.id},
            data_out=rx.cond(pair.out, pair.out.to(str), None),
            class_name="pair-box",
        ),
    )


def _text(pair: PairVar) -> rx.Var[str]:
    """Return all texts of the pair, the request first."""
    parts = f"({pair.parts!s}).map((part) => part.text ?? part.input_json ?? '')"
    return rx.Var(f"[{pair.user_text!s}, ...{parts}].join('\\n\\n')", _var_type=str)


def _notes(pair: PairVar) -> rx.Component:
    """Draw the notes of a pair in the gap above it. The gap always exists, so that notes that appear move nothing."""
    lacks = pair.unsupported.to(list[str])
    return rx.cond(
        has_notes(pair),
        rx.el.div(
            rx.cond(pair.begins, rx.el.p("Sent from here on", class_name="begins")),
            rx.foreach(lacks, lambda lack: rx.el.p(lack, key=lack, class_name="lacks")),
            rx.match(
                pair.out.to(str),
                *((reason.value, _out(*texts)) for reason, texts in _OUT.items()),
                rx.fragment(),
            ),
            rx.cond(pair.out_for != "", _out_for(pair)),
            id="notes-" + pair.id.to(str),
            class_name="pair-notes",
        ),
    )


def _out(bold: str, rest: str, meaning: str) -> rx.Component:
    named = f"{bold} {rest}. {meaning}"
    return rx.el.p(rx.el.b(bold), " " + rest, title=meaning, role="note", aria_label=named, class_name="out")


def _out_for(pair: PairVar) -> rx.Component:
    """Draw the names of the models that do not get this pair, if the next message goes to several models."""
    meaning = "It does not fit into the budget of this model with the newer pairs."
    return rx.el.p(rx.el.b("OUT"), " for ", pair.out_for, title=meaning, class_name="out out-for")
