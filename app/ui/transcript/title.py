"""The title above a conversation: typing renames it. A button requests one from a model, unless a person set it."""

from __future__ import annotations

import reflex as rx

from app.state.chat import ChatState
from app.ui.kit.icon import icon
from app.ui.kit.island import Island, island


class TitleField(Island):
    """The field of the title. `on_rename` gets the typed text."""

    library = island("transcript/title_field.tsx")
    tag = "TitleField"
    title: rx.Var[str]
    label: rx.Var[str]
    hint: rx.Var[str]
    on_rename: rx.EventHandler[rx.event.passthrough_event_spec(str)]


def title() -> rx.Component:
    """Draw the title of the conversation on screen; it is a heading for screen readers."""
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
