"""A button that uploads files over HTTP, because a file may exceed the limit of the page's socket."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


def _answered(names: rx.Var[list[str]], answers: rx.Var[list[str]]) -> tuple[rx.Var[list[str]], rx.Var[list[str]]]:
    return names, answers


class FileUpload(Island):
    """A button that posts each chosen file to `address` with the media type `type`. Its children are its content.

    - `on_answers`: gets the names of the files and, for each, the body of the response ("": no response).
    - `accept`: the kinds of files that can be chosen, as the HTML attribute of this name.
    - `label`: the accessible name of the hidden file input.
    """

    library = island("kit/controls/file_upload.tsx")
    tag = "FileUpload"
    address: rx.Var[str]
    type: rx.Var[str]
    accept: rx.Var[str]
    label: rx.Var[str]
    on_answers: rx.EventHandler[_answered]
