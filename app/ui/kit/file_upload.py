"""A button that uploads a file over HTTP: a file may be larger than the page's socket takes."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


def _answered(name: rx.Var[str], answer: rx.Var[str]) -> tuple[rx.Var[str], rx.Var[str]]:
    return name, answer


class FileUpload(Island):
    """Posts a chosen file to `address` as `type`. `on_answer` gets its name and the answer, "" if there was none.

    `accept` are the files offered, `label` the name of the input. The children are what stands on the button.
    `drop`: the button is a field on which a file can be dropped as well. `on_begin`: a file was chosen.
    """

    library = island("kit/file_upload.tsx")
    tag = "FileUpload"
    address: rx.Var[str]
    type: rx.Var[str]
    accept: rx.Var[str]
    label: rx.Var[str]
    drop: rx.Var[bool] | None = None
    on_begin: rx.EventHandler[rx.event.no_args_event_spec]
    on_answer: rx.EventHandler[_answered]
