"""The files of the draft: thumbnails with name, size and progress, and the component that uploads them."""

from __future__ import annotations

import reflex as rx

from app.domain.attachments.uploads import list_accepted
from app.state.composer.attachments import AttachmentState
from app.state.composer.files import DraftFile
from app.state.composer.state import ComposerState
from app.state.conversation.model import ModelChoice, ModelState
from app.state.conversation.temporary import TemporaryState
from app.state.shell.viewer import ViewerState
from app.state.transcript.chat import ChatState
from app.ui.kit.controls.icon import line_icon
from app.ui.kit.island import Island, island

FileVar = rx.vars.ObjectVar[DraftFile]


def _begun(key: rx.Var[str], name: rx.Var[str], length: rx.Var[int]) -> tuple[rx.Var[str], rx.Var[str], rx.Var[int]]:
    return key, name, length


def _moved(key: rx.Var[str], percent: rx.Var[int]) -> tuple[rx.Var[str], rx.Var[int]]:
    return key, percent


def _ended(key: rx.Var[str], status: rx.Var[int], body: rx.Var[str]) -> tuple[rx.Var[str], rx.Var[int], rx.Var[str]]:
    return key, status, body


class FileChooser(Island):
    """An invisible component that uploads files to `address`: those that are chosen, pasted, or dropped on the page.

    - `accept`: the kinds of files that can be chosen, as the HTML attribute of this name.
    - `photos`: the camera can be used too.
    - `keys`: the keys of the attached files. When one of them is removed, its upload is canceled.

    Each event gets the key of a file first. In addition, `on_begin` gets its name and its number of bytes,
    `on_progress` the percentage that was uploaded, and `on_end` the HTTP status (0: no answer) and the body of the
    answer.
    """

    library = island("composer/attach.tsx")
    tag = "FileChooser"
    address: rx.Var[str]
    accept: rx.Var[str]
    photos: rx.Var[bool]
    keys: rx.Var[tuple[str, ...]]
    on_begin: rx.EventHandler[_begun]
    on_progress: rx.EventHandler[_moved]
    on_end: rx.EventHandler[_ended]


def file_chooser() -> rx.Component:
    """Create the component that uploads the draft's files.

    The action `Place.ATTACH` opens its file dialog, the action `Place.PHOTO` the camera.
    """
    temporary = ChatState.temporary | TemporaryState.wanted
    return FileChooser.create(
        address="/api/v1/attachments?temporary=" + rx.cond(temporary, "true", "false").to(str),
        accept=rx.cond(ModelState.images, list_accepted(images=True), list_accepted(images=False)),
        photos=ModelState.images,
        keys=ComposerState.file_keys,
        on_begin=AttachmentState.begin,
        on_progress=AttachmentState.progress.temporal,
        on_end=AttachmentState.finish,
    )


def attached_files() -> rx.Component:
    """Draw the files of the draft, the refused files, and the notice about files that the model does not accept."""
    return rx.fragment(
        rx.el.div(rx.foreach(ComposerState.refused, _refused), role="alert"),
        rx.cond(
            ComposerState.files.length() > 0,
            rx.el.ul(
                rx.foreach(ComposerState.files, lambda file: rx.el.li(_file(file), key=file.key)),
                aria_label="Attached files",
                class_name="draft-files",
            ),
        ),
        rx.cond(ComposerState.has_images & ~ModelState.images, _lacking()),
    )


def _refused(notice: rx.Var[str]) -> rx.Component:
    return rx.el.p(notice, class_name="notice")


def _file(file: FileVar) -> rx.Component:
    name = file.name.to(str)
    return rx.fragment(
        rx.cond(
            file.address != "",
            rx.el.button(
                rx.el.img(src=file.address, alt=""),
                type="button",
                aria_label="View " + name,
                on_click=ViewerState.open(file.address, file.name, file.width, file.height),
                class_name="thumbnail",
            ),
            rx.el.span(line_icon("M4 2h5.5L12 4.5V14H4zM9.5 2v2.5H12"), aria_hidden=True, class_name="thumbnail"),
        ),
        rx.el.span(
            rx.el.span(file.name, title=file.name, class_name="file-name"),
            rx.el.span(file.note, class_name="file-note"),
            rx.cond(
                file.id == "",
                rx.el.progress(value=file.percent.to_string(), max="100", aria_label="Upload of " + name),
            ),
            class_name="file-about",
        ),
        rx.el.button(
            line_icon("M4 4l8 8M12 4l-8 8"),
            type="button",
            aria_label="Remove " + name,
            title="Remove",
            on_click=AttachmentState.remove(file.key),
            class_name="file-remove",
        ),
    )


def _lacking() -> rx.Component:
    """Draw the notice that the chosen model accepts no images, with buttons that choose other models."""
    return rx.el.p(
        ModelState.chosen_name,
        " does not support images. ",
        rx.cond(ModelState.capable.length() > 0, "Choose a model that does: ", "Remove them, or add a provider."),
        rx.foreach(
            ModelState.capable,
            lambda one: rx.el.button(
                one.to(ModelChoice).name, type="button", on_click=ModelState.choose(one.to(ModelChoice).model)
            ),
        ),
        role="status",
        class_name="notice lacking",
    )
