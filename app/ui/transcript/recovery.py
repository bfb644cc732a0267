"""Sends the text of a reply that the page shows to the server, if the server lost it in a crash. Draws nothing."""

from __future__ import annotations

import reflex as rx

from app.state.comparison import ComparisonState
from app.state.reply.recovery import RecoveryState
from app.state.transcript import TranscriptState
from app.ui.kit.island import Island, island
from app.views.screen.compared import ComparedColumnsView
from app.views.screen.pair import ScreenPairView


def _given(
    run_id: rx.Var[str], parts: rx.Var[list[dict[str, str]]]
) -> tuple[rx.Var[str], rx.Var[list[dict[str, str]]]]:
    """`parts`: the `type` and the `text` of each part of the reply that the page shows."""
    return run_id, parts


class Recovery(Island):
    """`on_given`: the page shows more of an interrupted reply, in a pair or a comparison, than the server has."""

    library = island("transcript/recovery.ts")
    tag = "Recovery"
    pairs: rx.Var[tuple[ScreenPairView, ...]]
    compared: rx.Var[ComparedColumnsView | None]
    on_given: rx.EventHandler[_given]


@rx.memo
def recovery() -> rx.Component:
    """Part of every conversation's page. A separate memo, so that growing compared replies redraw no pair."""
    return Recovery.create(
        pairs=TranscriptState.pairs, compared=ComparisonState.replies, on_given=RecoveryState.give_back
    )
