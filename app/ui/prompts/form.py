"""The form of one prompt."""

from __future__ import annotations

import reflex as rx

from app.domain.prompts.prompts import MAX_FOLDER, MAX_NAME, MAX_TEXT, MAX_TITLE
from app.state.prompts.form import PromptFormState
from app.ui.kit.entry_form import EntryForm
from app.ui.kit.escape import escape
from app.ui.phrase import phrase

_FORM = EntryForm("prompt", PromptFormState.form, PromptFormState.errors)


def prompt_form() -> rx.Component:
    """The fields of a prompt, and the buttons."""
    form = PromptFormState.form
    stored = form.id != ""
    fields = rx.el.form(
        rx.el.h2(rx.cond(stored, phrase("prompts.edit_the_prompt"), phrase("prompts.new_prompt"))),
        rx.el.input(type="hidden", name="id", value=form.id),
        _FORM.field(
            "name",
            phrase("common.name"),
            phrase("prompts.name_hint"),
            type="text",
            max_length=MAX_NAME + 1,  # with the slash, which is taken off
            auto_complete="off",
            auto_capitalize="off",
            spell_check=False,
            auto_focus=True,
        ),
        _FORM.field(
            "title",
            phrase("common.title"),
            phrase("prompts.description_hint"),
            type="text",
            max_length=MAX_TITLE,
            auto_complete="off",
        ),
        _FORM.field(
            "folder",
            phrase("prompts.folder"),
            phrase("prompts.folder_hint"),
            type="text",
            max_length=MAX_FOLDER,
            list="prompt-folders",
            auto_complete="off",
        ),
        rx.el.datalist(rx.foreach(PromptFormState.folders, lambda name: rx.el.option(value=name)), id="prompt-folders"),
        _FORM.field(
            "text",
            phrase("prompts.text"),
            phrase("prompts.text_hint"),
            control=rx.el.textarea,
            rows=12,
            dir="auto",
            max_length=MAX_TEXT,
        ),
        rx.el.p(PromptFormState.errors.form, role="alert", class_name="form-fault"),
        rx.el.div(
            rx.el.button(phrase("common.cancel"), type="button", on_click=PromptFormState.close, class_name="quiet"),
            rx.el.button(
                rx.cond(stored, phrase("common.save"), phrase("prompts.make_the_prompt")),
                type="submit",
                class_name="loud",
            ),
            class_name="dialog-buttons",
        ),
        on_submit=PromptFormState.save,
        aria_label=rx.cond(stored, phrase("prompts.prompt", name=form.name), phrase("prompts.new_prompt")),
        no_validate=True,
        class_name="entry-form",
    )
    return escape(fields, on_escape=PromptFormState.close, key=PromptFormState.editing)
