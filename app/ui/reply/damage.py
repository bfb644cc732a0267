"""The note on a damaged pair, with its actions: export the stored rows, delete the pair."""

from __future__ import annotations

import reflex as rx

from app.state.reply.deletion import PairDeletionState
from app.ui.kit.damage_box import damage_box, export_raw
from app.views.screen.pair import ScreenPairView


def damage_note(pair: rx.vars.ObjectVar[ScreenPairView]) -> rx.Component | rx.Var[rx.Component]:
    """Draw the note if the pair is damaged."""
    return rx.cond(
        pair.damage.length() > 0,
        damage_box(
            "Something of this pair cannot be read.",
            rx.foreach(pair.damage.to(list[str]), rx.el.li),
            "What can be read is shown. The next message is sent without this pair.",
            export_raw("pair", pair.id.to(str)),
            rx.el.button("Delete", type="button", on_click=PairDeletionState.ask(pair.id)),
            name="What to do about it",
            space="mt-3",
        ),
    )
