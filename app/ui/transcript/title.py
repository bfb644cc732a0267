"""The title above a conversation: type over it to rename, or have a model write it."""

from __future__ import annotations

import reflex as rx

from app.state.chat import ChatState
from app.ui.kit.icon import icon
from app.ui.kit.island import Island, island
from app.ui.phrase import phrase


class TitleField(Island):
    """The field. `on_rename` gets what was typed."""

    library = island("transcript/title_field.tsx")
    tag = "TitleField"
    title: rx.Var[str]
    label: rx.Var[str]
    hint: rx.Var[str]
    on_rename: rx.EventHandler[rx.event.passthrough_event_spec(str)]


def title() -> rx.Component:
    """The title of the conversation on screen, a heading for screen readers."""
    return rx.el.div(
        rx.el.h1(ChatState.title, class_name="unseen"),
        TitleField.create(
            title=ChatState.title,
            label=phrase("transcript.title_of_the_conversation"),
            hint=phrase("common.rename"),
            on_rename=ChatState.rename,
        ),
        rx.cond(ChatState.title_made, _make()),
        class_name="title-place min-w-0",
    )


def _make() -> rx.Component:
    """Asks for another title, which comes as every change of the conversation does."""
    return rx.el.button(
        icon("M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3"),
        type="button",
        aria_label=phrase("transcript.have_a_title_made"),
        title=rx.cond(
            ChatState.titling, phrase("transcript.asking_for_a_title"), phrase("transcript.have_a_title_made")
        ),
        aria_busy=ChatState.titling,
        on_click=ChatState.make_title,
        class_name="title-again",
    )
