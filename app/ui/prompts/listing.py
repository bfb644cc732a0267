"""The list of prompts by folder, with what can be done to each."""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.state.prompts.listing import PromptFolder, PromptItem, PromptListState
from app.ui import routes
from app.ui.kit.entry_form import Returning, open_form_button
from app.ui.kit.file_upload import FileUpload
from app.ui.kit.sharing import share_button, shared_note
from app.ui.phrase import phrase

_EXPORT: Final = "/api/v1/prompts/export"
_IMPORT: Final = "/api/v1/prompts/import"
_FILE: Final = "prompts.json"


def prompt_list() -> rx.Component:
    """The command that begins, and the folders or why there are none."""
    return rx.cond(
        PromptListState.loaded,
        rx.fragment(
            rx.el.div(
                rx.el.p(phrase("prompts.about")),
                _form_button(phrase("prompts.new_prompt"), phrase("prompts.new_prompt"), "prompt=new", "new", "loud"),
                FileUpload.create(
                    phrase("prompts.import"),
                    address=_IMPORT,
                    type="application/json",
                    accept="application/json,.json",
                    label=phrase("prompts.file_of_prompts"),
                    on_answer=PromptListState.finish_import,
                    class_name="quiet",
                ),
                rx.el.button(
                    phrase("prompts.export_all"),
                    type="button",
                    disabled=PromptListState.folders.length() == 0,
                    on_click=rx.download(url=_EXPORT, filename=_FILE),
                    class_name="quiet",
                ),
                class_name="agents-head mb-[30px]",
            ),
            rx.cond(
                PromptListState.folders.length() > 0,
                rx.foreach(
                    PromptListState.folders, lambda folder: rx.fragment(prompt_folder(folder=folder), key=folder.name)
                ),
                rx.el.p(phrase("prompts.empty_list"), class_name="trash-empty"),
            ),
        ),
        rx.el.p(phrase("prompts.loading_the_prompts"), role="status", class_name="trash-said"),
    )


@rx.memo
def prompt_folder(folder: rx.vars.ObjectVar[PromptFolder]) -> rx.Component:
    """The prompts of a folder, under its name."""
    return rx.el.section(
        rx.cond(
            folder.name != "",
            rx.el.h2(rx.icon("folder", size=15), rx.el.span(folder.name, dir="auto"), class_name="prompt-folder"),
        ),
        rx.el.ul(
            rx.foreach(
                folder.prompts.to(tuple[PromptItem, ...]),
                lambda item: rx.fragment(prompt_row(item=item), key=item.id),
            ),
            class_name="agents-list",
        ),
        class_name="mb-6",
    )


@rx.memo
def prompt_row(item: rx.vars.ObjectVar[PromptItem]) -> rx.Component:
    """A prompt with its commands: those that change it only where it may be changed."""
    return rx.el.li(
        rx.el.div(
            rx.el.p(
                rx.el.code(f"/{item.name}", dir="auto"),
                rx.cond(item.title != "", rx.el.span(item.title, dir="auto", class_name="ms-2.5 font-normal")),
                class_name="trash-name",
            ),
            rx.el.p(item.about, dir="auto", class_name="trash-about"),
            rx.cond(item.asks != "", rx.el.p(item.asks, dir="auto", class_name="trash-about")),
            shared_note(item.shared, item.shared_by),
        ),
        rx.cond(
            item.changeable,
            _form_button(
                phrase("common.edit"),
                phrase("prompts.edit", name=item.name),
                f"prompt={item.id}",
                f"prompt {item.id}",
            ),
        ),
        _form_button(
            phrase("prompts.duplicate"),
            phrase("prompts.duplicate_name", name=item.name),
            f"copy={item.id}",
            f"copy {item.id}",
        ),
        rx.cond(
            PromptListState.offered & item.changeable,
            share_button(item.shared, item.name, PromptListState.share(item.id, ~item.shared)),
        ),
        rx.cond(
            item.shared_by == "",
            rx.el.button(
                phrase("common.delete"),
                type="button",
                aria_label=phrase("prompts.delete", name=item.name),
                on_click=PromptListState.delete_prompt(item.id),
                class_name="quiet",
            ),
        ),
    )


def _form_button(text: str, label: str | rx.Var[str], query: str, form: str, class_name: str = "quiet") -> rx.Component:
    returning = Returning(PromptListState.focused == form, PromptListState.end_focus())
    return open_form_button(text, label, f"{routes.PROMPTS}?{query}", returning, class_name)
