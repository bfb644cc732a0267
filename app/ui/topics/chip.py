"""The button in the composer that shows the topic of the next pairs."""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.state.topics.chosen import TopicState
from app.state.topics.picker import TopicPickerState
from app.ui.kit.controls.icon import line_icon

CHIP_ID: Final = "topic-chip"
"""The HTML id of the button with the topic. The picker of topics opens next to it."""
_FOLDER = "M2 4.2c0-.7.5-1.2 1.2-1.2h3l1.5 1.8h5.1c.7 0 1.2.5 1.2 1.2v5.8c0 .7-.5 1.2-1.2 1.2H3.2c-.7 0-1.2-.5-1.2-1.2z"


def topic_chip() -> rx.Component:
    """Draw the button with the topic of the next pairs. It opens the picker of topics."""
    path = TopicState.path
    return rx.el.button(
        line_icon(_FOLDER),
        rx.el.span(rx.cond(path != "", path, "Topic")),
        id=CHIP_ID,
        type="button",
        aria_haspopup="dialog",
        aria_label="Topic: " + rx.cond(path != "", path, "none").to(str),
        title=rx.cond(path != "", "Filed under " + path, "File the next messages under a topic"),
        on_click=TopicPickerState.pick_for_composer,
        class_name="picker-button topic-chip",
    )
