"""Recovery: the page sends the text of a reply to the server if the server lost a part of it in a crash."""

from __future__ import annotations

import reflex as rx

from app.state.comparison import ComparisonState
from app.state.reply.recovery import RecoveryState
from app.state.transcript.transcript import TranscriptState
from app.ui.kit.island import Island, island
from app.views.compare.compared import ComparedColumnsView
from app.views.reply.pair import ScreenPairView


def _given(
    run_id: rx.Var[str], parts: rx.Var[list[dict[str, str]]]
) -> tuple[rx.Var[str], rx.Var[list[dict[str, str]]]]:
    """Pass the id of a run and `parts`: the `type` and the `text` of each part of its reply that the page has shown."""
    return run_id, parts


class Recovery(Island):
    """An invisible component that finds interrupted replies with less text on the server than the page has shown.

    `pairs` and `compared` have the replies in their current form on the server. For each reply that it finds,
    `on_given` sends the longer text to the server.
    """

    library = island("transcript/recovery.ts")
    tag = "Recovery"
    pairs: rx.Var[tuple[ScreenPairView, ...]]
    compared: rx.Var[ComparedColumnsView | None]
    on_given: rx.EventHandler[_given]


@rx.memo
def recovery() -> rx.Component:
    """Create the component `Recovery`.

    It is a separate memo, so that growing replies of a comparison redraw nothing else.
    """
    return Recovery.create(
        pairs=TranscriptState.pairs, compared=ComparisonState.replies, on_given=RecoveryState.give_back
    )
