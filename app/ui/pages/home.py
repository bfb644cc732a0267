"""The first page: a new conversation, with nothing in the way of its first words."""

from __future__ import annotations

import reflex as rx

from app.state.model import ModelState
from app.state.system_prompt import SystemPromptState
from app.ui import routes
from app.ui.compare.dialogs import compare_dialogs
from app.ui.composer.composer import composer
from app.ui.composer.prelude import prelude_card
from app.ui.composer.temporary import temporary_switch
from app.ui.inspector.frame import start_inspector, start_inspector_toggle
from app.ui.kit.page_link import PageLink
from app.ui.pages.frame import frame
from app.ui.transcript.system_prompt import system_prompt_card


def home() -> rx.Component:
    """A composer in the middle; the first send makes the conversation and goes to it."""
    return frame(
        rx.el.div(
            rx.el.h1("What is in view is what is in context.", class_name="home-title"),
            rx.el.p(
                "A model gets exactly what a conversation shows. Filter it, and it gets less; "
                "the preview has every byte.",
                class_name="home-words",
            ),
            rx.el.div(system_prompt_card(SystemPromptState.new), prelude_card(opened=False), class_name="home-prelude"),
            composer(compare_dialogs(), first=True),
            _hint(),
            temporary_switch(),
            class_name="flex flex-1 flex-col justify-center pb-[14dvh]",
        ),
        top=rx.el.div(start_inspector_toggle(), class_name="ml-auto flex items-center gap-2"),
        aside=start_inspector(),
    )


def _hint() -> rx.Component:
    """Who answers while nothing is set up. It keeps its room, so that nothing moves when it comes."""
    return rx.el.p(
        rx.cond(
            ModelState.chosen.startswith("offline:"),
            rx.fragment(
                "The built-in demo answers. ",
                PageLink.create(
                    "Set up a provider",
                    to=routes.SETTINGS,
                    class_name="rounded-sm text-accent underline underline-offset-2",
                ),
                " to talk to a real model.",
            ),
        ),
        class_name="mt-3 min-h-6 px-5 text-center text-[13.5px] text-muted",
    )
