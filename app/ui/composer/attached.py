"""What is attached to the draft: thumbnails with name, size and progress, and the buttons that attach."""

from __future__ import annotations

import reflex as rx

from app.state.chat import ChatState
from app.state.composer.attachments import AttachmentState
from app.state.composer.files import DraftFile
from app.state.composer.state import ComposerState
from app.state.model import ModelChoice, ModelState
from app.state.temporary import TemporaryState
from app.state.viewer import ViewerState
from app.ui.kit.icon import icon, line_icon
from app.ui.kit.island import Island, island

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

    `keys` are the files that are attached by now: an upload whose key leaves them is given up. `camera`: it takes a
    photo. `on_begin` has a file's key, name and bytes, `on_progress` how many per cent have left the browser, `on_end`
    the status (0: no answer) and the body of the answer.
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
        _attach(icon(_CLIP), "Attach files", "Attach images or text files. You can also paste or drop them.", "attach"),
        _attach(icon(_CAMERA), "Take a photo", "Take a photo", "attach camera"),
    )


def attached_files() -> rx.Component:
    """The files of the draft, and what the chosen model cannot take of them."""
    return rx.fragment(
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
                aria_label="Look at " + name,
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
                (file.id == "") & (file.fault == ""),
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
    """That the chosen model takes no images, with models that do."""
    return rx.el.p(
        ModelState.chosen_name,
        " does not take images. ",
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
