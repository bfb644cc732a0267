"""The title above a conversation, as a field that renames it.

A button requests a title from a model. The button is missing if a person has set the title.
"""

from __future__ import annotations

import reflex as rx

from app.state.transcript.chat import ChatState
from app.ui.kit.controls.icon import icon
from app.ui.kit.island import Island, island


class TitleField(Island):
    """The field with the title. `label` is its accessible name, `hint` its tooltip. `on_rename` gets the typed text."""

    library = island("transcript/title_field.tsx")
    tag = "TitleField"
    title: rx.Var[str]
    label: rx.Var[str]
    hint: rx.Var[str]
    on_rename: rx.EventHandler[rx.event.passthrough_event_spec(str)]


def title() -> rx.Component:
    """Draw the title of the conversation on screen. For screen readers it is a heading too."""
    return rx.el.div(
        rx.el.h1(ChatState.title, class_name="unseen"),
        TitleField.create(
            title=ChatState.title, label="Title of the conversation", hint="Rename", on_rename=ChatState.rename
        ),
        rx.cond(ChatState.title_made, _make()),
        class_name="title-place min-w-0",
    )


def _make() -> rx.Component:
    """Draw the button that requests a new title. The title arrives like any change of the conversation."""
    return rx.el.button(
        icon("M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3"),
        type="button",
        aria_label="Generate title",
        title=rx.cond(ChatState.titling, "Generating a title…", "Generate title"),
        aria_busy=ChatState.titling,
        on_click=ChatState.make_title,
        class_name="title-again",
    )
