"""The card of the system prompt above the pairs, with buttons that add, edit and remove it."""

from __future__ import annotations

import reflex as rx

from app.state.conversation.system_prompt import MAX_PROMPT, SystemPromptState
from app.ui.inspector.cache import has_cache_line
from app.ui.kit.containers.boundary import boundary
from app.ui.kit.keys.form_keys import FormKeys

_SAID = "system-prompt-said"


def system_prompt_card(text: rx.Var[str]) -> rx.Component:
    """Draw the card with the system prompt `text` (a form during an edit) or, if it is "", a button that adds one."""
    return rx.cond(
        SystemPromptState.editing,
        rx.el.section(rx.el.h2("System prompt"), _form(), aria_label="System prompt", class_name="card prompt-card"),
        rx.cond(
            text != "",
            boundary(
                rx.el.details(rx.el.summary("System prompt"), _text(text), open=True, class_name="card prompt-card"),
                what="This card",
                text=text,
                again=text,
            ),
            rx.el.button(
                "Add a system prompt",
                type="button",
                title="Tell the model how to answer in this conversation. It is sent before all pairs.",
                on_click=SystemPromptState.edit,
                class_name="prompt-add",
            ),
        ),
    )


def _text(text: rx.Var[str]) -> rx.Component:
    return rx.fragment(
        rx.el.p(text, dir="auto"),
        rx.el.div(
            rx.el.button("Edit", type="button", aria_label="Edit the system prompt", on_click=SystemPromptState.edit),
            rx.el.button(
                "Remove", type="button", aria_label="Remove the system prompt", on_click=SystemPromptState.remove
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
                placeholder="How the model should answer. Sent before all pairs.",
                aria_label="System prompt",
                aria_describedby=_SAID,
            ),
            rx.el.p(
                rx.el.span(SystemPromptState.size, role="status", class_name="prompt-size"),
                rx.cond(
                    has_cache_line(),
                    rx.el.span(
                        " The provider has cached the beginning of this conversation. A changed prompt makes the "
                        "next send a cold start.",
                        class_name="prompt-cold",
                    ),
                ),
                id=_SAID,
                class_name="prompt-said",
            ),
            rx.cond(SystemPromptState.fault != "", rx.el.p(SystemPromptState.fault, role="alert", class_name="lacks")),
            rx.el.div(
                rx.el.button(
                    rx.cond(SystemPromptState.changed, "Discard", "Cancel"),
                    type="button",
                    on_click=SystemPromptState.end_edit,
                ),
                rx.el.button("Save", type="submit", title="Save (Ctrl+Enter)"),
                class_name="card-actions",
            ),
            on_submit=SystemPromptState.save,
        ),
        key=SystemPromptState.number,  # the browser keeps the text of a text area, so a new text needs a new element
        edit=SystemPromptState.edit_id,
        on_escape=SystemPromptState.end_edit,
    )
