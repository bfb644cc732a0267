"""The buttons of a pair that show its topic and delete the pair.

The topic is always visible if it is set. Otherwise a button is visible while a pointer or the cursor is at the pair.
"""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.state.reply.deletion import PairDeletionState
from app.state.topics.picker import TopicPickerState
from app.ui.kit.controls.icon import line_icon
from app.ui.kit.keys.place import Place, go_to
from app.ui.kit.vars import PairVar

BIN: Final = "M2.8 4.3h10.4M6.3 4V2.6h3.4V4M4.2 4.6l.6 8.8h6.4l.6-8.8M6.7 7v4M9.3 7v4"


def topic_mark(pair: PairVar) -> rx.Component:
    """Draw the button with the topic of a pair. It opens the picker of topics."""
    topic = pair.topic.to(str)
    return rx.el.button(
        rx.cond(pair.topic, topic, "Topic"),
        type="button",
        id="topic-" + pair.id.to(str),
        title=rx.cond(pair.topic, "Topic: " + topic, "File under a topic"),
        aria_label=rx.cond(pair.topic, "Topic: " + topic, "Topic: none"),
        on_click=TopicPickerState.pick_for_pair(pair.id),
        custom_attrs={"data-set": rx.cond(pair.topic, "true", None)},
        class_name="mark topic",
    )


def delete_mark(pair: PairVar) -> rx.Component:
    """Draw the button that deletes the pair. A pair with a reply needs confirmation."""
    return rx.el.button(
        line_icon(BIN),
        type="button",
        aria_label="Delete the pair",
        title="Delete",
        on_click=[PairDeletionState.ask(pair.id), go_to(Place.DELETE, pair.id.to(str))],
        class_name="mark",
    )
