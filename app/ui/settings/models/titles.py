"""Settings → Titles and replays. Each setting is stored as soon as it is changed."""

from __future__ import annotations

import reflex as rx

from app.state.settings.preferences import PreferencesState
from app.state.settings.titles import TitlesState
from app.ui.phrase import phrase
from app.ui.settings.parts import checkbox, once_loaded, section, status


def titles() -> rx.Component:
    """The section of titles and replays."""
    return section(
        "titles",
        phrase("settings.titles.titles_and_replays"),
        phrase("settings.titles.about"),
        once_loaded(PreferencesState.loaded, _settings()),
    )


def _settings() -> rx.Component:
    preferred = PreferencesState.preferred
    return rx.el.div(
        checkbox(
            phrase("settings.titles.title_option"),
            checked=preferred.titles,
            on_change=TitlesState.name_conversations,
        ),
        rx.el.label(
            rx.el.span(phrase("settings.titles.model_for_titles")),
            rx.el.select(
                rx.el.option(phrase("settings.titles.own_model"), value=""),
                rx.foreach(
                    TitlesState.models, lambda model: rx.el.option(model.name, value=model.value, key=model.value)
                ),
                value=preferred.title_model,
                on_change=TitlesState.choose_model,
            ),
            class_name="title-model",
        ),
        checkbox(
            phrase("settings.titles.replay_option"),
            checked=preferred.replay,
            on_change=TitlesState.replay,
        ),
        status(TitlesState.said),
        role="group",
        aria_label=phrase("settings.titles.titles_and_replays"),
        class_name="context-settings",
    )
