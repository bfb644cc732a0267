"""Settings → Titles and stored replies: automatic titles, and stored replies. Each change is stored at once."""

from __future__ import annotations

import reflex as rx

from app.state.settings.preferences import PreferencesState
from app.state.settings.titles import TitlesState
from app.ui.settings.parts import checkbox, once_loaded, section, status


def titles() -> rx.Component:
    """Draw the section "Titles and stored replies" of the Settings page."""
    return section(
        "titles",
        "Titles and stored replies",
        "Titles that a model writes, and stored replies for requests that are repeated. For a title, long messages are "
        "shortened.",
        once_loaded(PreferencesState.loaded, _settings()),
    )


def _settings() -> rx.Component:
    preferred = PreferencesState.preferred
    return rx.el.div(
        checkbox(
            "Let a model title new conversations after the first reply",
            checked=preferred.titles,
            on_change=TitlesState.name_conversations,
        ),
        rx.el.label(
            rx.el.span("Model for titles"),
            rx.el.select(
                rx.el.option("Model of the conversation", value=""),
                rx.foreach(
                    TitlesState.models, lambda model: rx.el.option(model.name, value=model.value, key=model.value)
                ),
                value=preferred.title_model,
                on_change=TitlesState.choose_model,
            ),
            class_name="title-model",
        ),
        checkbox(
            "Answer an identical request with its stored reply (replay), without calling the model",
            checked=preferred.replay,
            on_change=TitlesState.replay,
        ),
        status(TitlesState.said),
        role="group",
        aria_label="Titles and stored replies",
        class_name="context-settings",
    )
