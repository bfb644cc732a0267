"""Markdown of a model, as it streams in and as it stays. The script explains how."""

from __future__ import annotations

import reflex as rx

from app.ui.components.scripts import Script, script


class Reply(Script):
    """Part `index` of the reply of a pair in the browser's store; its text never goes through Reflex."""

    library = script("markdown.jsx")
    tag = "Reply"
    pair_id: rx.Var[str]
    index: rx.Var[int]
    live: rx.Var[bool]


class CopyButton(Script):
    """Copies a text. `words` stand on it, `label` is its name."""

    library = script("code.jsx")
    tag = "CopyButton"
    text: rx.Var[str]
    label: rx.Var[str]
    words: rx.Var[str]
