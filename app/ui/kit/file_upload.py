"""A button that uploads files over HTTP, because a file may exceed the limit of the page's socket."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


def _answered(names: rx.Var[list[str]], answers: rx.Var[list[str]]) -> tuple[rx.Var[list[str]], rx.Var[list[str]]]:
    return names, answers


class FileUpload(Island):
    """Posts each chosen file to `address` as `type`. `on_answers` gets their names, and each response or "" if it
    failed.

    `accept` are the file types offered, `label` is the name of the hidden input. The children are the button's content.
    """

    library = island("kit/file_upload.tsx")
    tag = "FileUpload"
    address: rx.Var[str]
    type: rx.Var[str]
    accept: rx.Var[str]
    label: rx.Var[str]
    on_answers: rx.EventHandler[_answered]
