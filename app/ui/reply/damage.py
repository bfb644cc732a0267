"""The notes at a pair that cannot be read completely or whose topic is missing, with actions."""

from __future__ import annotations

import reflex as rx

from app.state.reply.deletion import PairDeletionState
from app.state.topics.picker import TopicPickerState
from app.ui.kit.containers.damage_box import damage_box, export_raw
from app.views.reply.pair import ScreenPairView


def damage_note(pair: rx.vars.ObjectVar[ScreenPairView]) -> rx.Component | rx.Var[rx.Component]:
    """Draw the note that a pair cannot be read completely; nothing at other pairs."""
    return rx.cond(
        pair.damage.length() > 0,
        damage_box(
            "Part of this pair cannot be read.",
            rx.foreach(pair.damage.to(list[str]), rx.el.li),
            "What can be read is shown. The next message is sent without this pair.",
            export_raw("pair", pair.id.to(str)),
            rx.el.button("Delete", type="button", on_click=PairDeletionState.ask(pair.id)),
            name="Next steps",
            space="mt-3",
        ),
    )


def missing_topic_note(pair: rx.vars.ObjectVar[ScreenPairView]) -> rx.Component | rx.Var[rx.Component]:
    """Draw the note at a pair whose topic does not exist; nothing at other pairs."""
    return rx.cond(
        pair.topic_is_missing.to(bool),
        damage_box(
            "The topic of this pair is missing from the database.",
            rx.el.li("Its id: ", rx.el.code(pair.topic_id.to(str))),
            "The pair is still sent. Choose another topic or none.",
            export_raw("pair", pair.id.to(str)),
            rx.el.button("Choose topic", type="button", on_click=TopicPickerState.pick_for_pair(pair.id)),
            rx.el.button("Delete topic", type="button", on_click=TopicPickerState.file(pair.id, "")),
            name="Next steps for the topic",
            space="mt-3",
        ),
    )
