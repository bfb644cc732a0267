"""The attachments of the draft: thumbnails with name, size and progress, and the buttons that attach."""

from __future__ import annotations

import reflex as rx

from app.state.chat import ChatState
from app.state.composer.attachments import AttachmentState
from app.state.composer.files import DraftFile
from app.state.composer.state import ComposerState
from app.state.composer.temporary import TemporaryState
from app.state.model import ModelChoice, ModelState
from app.state.viewer import ViewerState
from app.ui.kit.icon import icon, line_icon
from app.ui.kit.island import Island, island
from app.ui.phrase import phrase

FileVar = rx.vars.ObjectVar[DraftFile]

_CLIP = "M13.2 7.3 8 12.5a3 3 0 0 1-4.3-4.3l5.6-5.6a2 2 0 0 1 2.9 2.9L6.7 11a1 1 0 0 1-1.5-1.4l5-5"
_CAMERA = "M2.5 5h2.7l1-1.5h3.6l1 1.5h2.7v8h-11zM8 6.8a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4"


def _begun(key: rx.Var[str], name: rx.Var[str], length: rx.Var[int]) -> tuple[rx.Var[str], rx.Var[str], rx.Var[int]]:
    return key, name, length


def _moved(key: rx.Var[str], percent: rx.Var[int]) -> tuple[rx.Var[str], rx.Var[int]]:
    return key, percent


def _ended(key: rx.Var[str], status: rx.Var[int], body: rx.Var[str]) -> tuple[rx.Var[str], rx.Var[int], rx.Var[str]]:
    return key, status, body


class AttachButton(Island):
    """Chooses files and uploads them to `address`; `catches`: also those pasted or dropped on the page.

    `keys` are the files whose end the server waits for: a key that leaves them is done with, and its upload given up.
    `camera`: it takes a photo. `on_begin` has a file's key, name and bytes, `on_progress` how many per cent have left
    the browser, `on_end` the status (0: no answer) and the body of the answer. Both are called again after a lost
    connection, for a server that may not know of them.
    """

    library = island("composer/attach.tsx")
    tag = "AttachButton"
    address: rx.Var[str]
    label: rx.Var[str]
    title: rx.Var[str]
    camera: rx.Var[bool]
    catches: rx.Var[bool]
    keys: rx.Var[tuple[str, ...]]
    on_begin: rx.EventHandler[_begun]
    on_progress: rx.EventHandler[_moved]
    on_end: rx.EventHandler[_ended]


def attach_buttons() -> rx.Component:
    """Attach files; on a phone also a photo."""
    return rx.fragment(
        _attach(icon(_CLIP), phrase("composer.attach_files"), phrase("composer.attach_hint"), "attach"),
        _attach(icon(_CAMERA), phrase("composer.take_a_photo"), phrase("composer.take_a_photo"), "attach camera"),
    )


def attached_files() -> rx.Component:
    """The files of the draft, and what the chosen model cannot take of them."""
    return rx.fragment(
        rx.cond(
            ComposerState.files.length() > 0,
            rx.el.ul(
                rx.foreach(ComposerState.files, lambda file: rx.el.li(_file(file), key=file.key)),
                aria_label=phrase("composer.attached_files"),
                class_name="draft-files",
            ),
        ),
        rx.cond(
            ComposerState.has_images & ~ModelState.images,
            _lacking(
                ModelState.capable,
                phrase("composer.does_not_take_images"),
                phrase("composer.other_models"),
            ),
        ),
        rx.cond(
            ComposerState.has_pdfs & ~ModelState.files,
            _lacking(
                ModelState.capable_of_files,
                phrase("composer.takes_no_pdf"),
                phrase("composer.pdf_models"),
            ),
        ),
    )


def _attach(drawn: rx.Component, label: str, title: str, kind: str) -> rx.Component:
    temporary = ChatState.temporary | TemporaryState.wanted
    return AttachButton.create(
        drawn,
        address="/api/v1/attachments?temporary=" + rx.cond(temporary, "true", "false").to(str),
        label=label,
        title=title,
        camera="camera" in kind,
        catches="camera" not in kind,
        keys=ComposerState.file_keys,
        on_begin=AttachmentState.begin,
        on_progress=AttachmentState.progress.temporal,
        on_end=AttachmentState.finish,
        class_name=f"schema-button {kind}",
    )


def _file(file: FileVar) -> rx.Component:
    name = file.name.to(str)
    return rx.fragment(
        rx.cond(
            file.address != "",
            rx.el.button(
                rx.el.img(src=file.address, alt=""),
                type="button",
                aria_label=phrase("composer.look_at", name=name),
                on_click=ViewerState.open(file.address, file.name, file.width, file.height),
                class_name="thumbnail",
            ),
            rx.el.span(line_icon("M4 2h5.5L12 4.5V14H4zM9.5 2v2.5H12"), aria_hidden=True, class_name="thumbnail"),
        ),
        rx.el.span(
            rx.el.span(file.name, title=file.name, class_name="file-name"),
            rx.cond(
                file.fault != "",
                rx.el.span(file.fault, role="alert", class_name="file-fault"),
                rx.el.span(file.note, class_name="file-note"),
            ),
            rx.cond(
                file.other != "",
                rx.el.button(
                    rx.cond(file.form == "file", phrase("composer.send_it_as_text"), phrase("composer.pdf_as_file")),
                    type="button",
                    on_click=AttachmentState.change_form(file.key),
                    class_name="file-form",
                ),
            ),
            rx.cond(
                (file.id == "") & (file.fault == ""),
                rx.el.progress(
                    value=file.percent.to_string(), max="100", aria_label=phrase("composer.upload_of", name=name)
                ),
            ),
            class_name="file-about",
        ),
        rx.el.button(
            line_icon("M4 4l8 8M12 4l-8 8"),
            type="button",
            aria_label=phrase("composer.remove", name=name),
            title=phrase("common.remove"),
            on_click=AttachmentState.remove(file.key),
            class_name="file-remove",
        ),
    )


def _lacking(capable: rx.vars.ArrayVar[tuple[ModelChoice, ...]], lacks: str, choose: str) -> rx.Component:
    """That the chosen model does not take what is attached, with models that do."""
    return rx.el.p(
        ModelState.chosen_name,
        f" {lacks} ",
        rx.cond(
            capable.length() > 0,
            f"{choose} ",
            phrase("composer.no_other_model"),
        ),
        rx.foreach(
            capable,
            lambda one: rx.el.button(
                one.to(ModelChoice).name, type="button", on_click=ModelState.choose(one.to(ModelChoice).model)
            ),
        ),
        role="status",
        class_name="notice lacking",
    )
