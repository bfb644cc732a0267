"""Draws a Markdown text of a model, while it streams in and afterwards (`markdown.tsx`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import reflex as rx

from app.ui.kit.island import Island, island


@dataclass(frozen=True)
class MarkdownWords:
    """The texts that the island adds to a reply, such as the names of buttons.

    In these texts, the island replaces `{name}` by the name of a picture, `{host}` by the host that the picture is
    loaded from, and `{label}` by the label of a footnote.
    """

    plain: str = "text"
    copy: str = "Copy"
    copy_code: str = "Copy code"
    copied: str = "Copied"
    copy_refused: str = "Copying is not allowed"
    table: str = "Table"
    done: str = "Done"
    not_done: str = "Not done"
    load_picture: str = "Load picture from {host}"
    load_named_picture: str = "Load picture “{name}” from {host}"
    note: str = "Note"
    tip: str = "Tip"
    important: str = "Important"
    warning: str = "Warning"
    caution: str = "Caution"
    footnote: str = "Footnote {label}"
    note_back: str = "{label}, back to the text"
    formula_refused: str = "Shown as plain text: too long, too deeply nested, or with definitions"


WORDS: Final = MarkdownWords()
_PACKAGES: Final = ["marked@18.2.1", "remend@1.4.0", "lowlight@3.3.0", "katex@0.19.1"]


class Markdown(Island):
    """The island that the function `markdown` creates. The function sets its props. `live`: `text` may still grow."""

    library = island("reply/markdown.tsx")
    tag = "Markdown"
    lib_dependencies: list[str] = _PACKAGES
    text: rx.Var[str]
    live: rx.Var[bool]
    words: rx.Var[MarkdownWords]


def markdown(
    text: rx.Var[str] | str, *, live: rx.Var[bool] | bool = False, key: rx.Var[str] | str = ""
) -> rx.Component:
    """Draw a Markdown text of a model. `live`: the text may still grow.

    When `key` changes, the whole text is parsed again, not only the part that was added.
    """
    return Markdown.create(text=text, live=live, words=WORDS, key=key)
