"""Prompts: texts that a person reuses in messages."""

from __future__ import annotations

import reflex as rx

from app.state.prompts.form import PromptFormState
from app.ui.pages.frame import frame
from app.ui.phrase import phrase
from app.ui.prompts.form import prompt_form
from app.ui.prompts.listing import prompt_list
from app.ui.shell.toasts import toasts


def prompts() -> rx.Component:
    """The page of `/prompts`."""
    return frame(
        rx.el.div(
            rx.el.div(
                rx.cond(PromptFormState.editing != "", rx.cond(PromptFormState.ready, prompt_form()), prompt_list()),
                class_name="agents mx-auto max-w-column px-5 pt-4 pb-16",
            ),
            class_name="relative min-h-0 flex-1 overflow-y-auto",
        ),
        rx.el.div(toasts(), class_name="composer-place"),
        top=rx.el.h1(phrase("common.prompts"), class_name="text-[14.5px] font-semibold"),
    )
