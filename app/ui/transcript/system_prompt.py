"""The card of the system prompt: read, added, edited and removed where it stands."""

from __future__ import annotations

import reflex as rx

from app.state.system_prompt import MAX_PROMPT, SystemPromptState
from app.ui.inspector.cache import has_cache_line
from app.ui.kit.boundary import boundary
from app.ui.kit.form_keys import FormKeys
from app.ui.phrase import phrase

_SAID = "system-prompt-said"


def system_prompt_card(text: rx.Var[str]) -> rx.Component:
    """The card with this prompt; where there is none, a button that adds one."""
    return rx.cond(
        SystemPromptState.editing,
        rx.el.section(
            rx.el.h2(phrase("common.system_prompt")),
            _form(),
            aria_label=phrase("common.system_prompt"),
            class_name="card prompt-card",
        ),
        rx.cond(
            text != "",
            boundary(
                rx.el.details(
                    rx.el.summary(phrase("common.system_prompt")), _text(text), open=True, class_name="card prompt-card"
                ),
                what=phrase("common.this_card"),
                text=text,
                again=text,
            ),
            rx.el.button(
                phrase("transcript.add_a_system_prompt"),
                type="button",
                title=phrase("transcript.prompt_empty"),
                on_click=SystemPromptState.edit,
                class_name="prompt-add",
            ),
        ),
    )


def _text(text: rx.Var[str]) -> rx.Component:
    return rx.fragment(
        rx.el.p(text, dir="auto"),
        rx.el.div(
            rx.el.button(
                phrase("common.edit"),
                type="button",
                aria_label=phrase("transcript.edit_the_system_prompt"),
                on_click=SystemPromptState.edit,
            ),
            rx.el.button(
                phrase("common.remove"),
                type="button",
                aria_label=phrase("transcript.remove_the_system_prompt"),
                on_click=SystemPromptState.remove,
            ),
            class_name="card-actions",
        ),
    )


def _form() -> rx.Component:
    return FormKeys.create(
        rx.el.form(
            rx.el.textarea(
                name="prompt",
                default_value=SystemPromptState.begun,
                on_change=SystemPromptState.write.debounce(120),
                rows=6,
                auto_focus=True,
                dir="auto",
                max_length=MAX_PROMPT,
                placeholder=phrase("transcript.prompt_input"),
                aria_label=phrase("common.system_prompt"),
                aria_describedby=_SAID,
            ),
            rx.el.p(
                rx.el.span(SystemPromptState.size, role="status", class_name="prompt-size"),
                rx.cond(
                    has_cache_line(),
                    rx.el.span(
                        f" {phrase('transcript.prompt_cold_start')}",
                        class_name="prompt-cold",
                    ),
                ),
                id=_SAID,
                class_name="prompt-said",
            ),
            rx.cond(SystemPromptState.fault != "", rx.el.p(SystemPromptState.fault, role="alert", class_name="lacks")),
            rx.el.div(
                rx.el.button(phrase("common.cancel"), type="button", on_click=SystemPromptState.end_edit),
                rx.el.button(phrase("common.save"), type="submit", title=phrase("transcript.save_ctrl_enter")),
                class_name="card-actions",
            ),
            on_submit=SystemPromptState.save,
        ),
        key=SystemPromptState.number,  # another text replaces what is written, which the browser holds
        edit=SystemPromptState.edit_id,
        on_escape=SystemPromptState.end_edit,
    )
