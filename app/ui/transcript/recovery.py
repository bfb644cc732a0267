"""Gives text back to the server when a crash left it with less of a reply than the page shows. Draws nothing."""

from __future__ import annotations

import reflex as rx

from app.state.comparison import ComparisonState
from app.state.reply.recovery import RecoveryState
from app.state.transcript import TranscriptState
from app.ui.kit.island import Island, island
from app.views.screen.compared import ComparedView
from app.views.screen.pair import ScreenPairView


def _given(
    run_id: rx.Var[str], parts: rx.Var[list[dict[str, str]]]
) -> tuple[rx.Var[str], rx.Var[list[dict[str, str]]]]:
    """The `type` and the `text` of each part of what the page shows of a run's reply."""
    return run_id, parts


class Recovery(Island):
    """`on_given`: this page showed more of an interrupted reply, of a pair or a compared one, than the server has."""

    library = island("transcript/recovery.ts")
    tag = "Recovery"
    pairs: rx.Var[tuple[ScreenPairView, ...]]
    compared: rx.Var[ComparedView | None]
    on_given: rx.EventHandler[_given]


@rx.memo
def recovery() -> rx.Component:
    """On the page of every conversation. On its own, so that compared replies that grow draw no pair again."""
    return Recovery.create(
        pairs=TranscriptState.pairs, compared=ComparisonState.replies, on_given=RecoveryState.give_back
    )
