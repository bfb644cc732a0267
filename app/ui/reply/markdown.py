"""A model's Markdown, while it streams and afterwards. `markdown.tsx` draws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import reflex as rx

from app.ui.kit.island import Island, island
from app.ui.phrase import phrase


@dataclass(frozen=True)
class MarkdownWords:
    """What the island says by itself. `{name}` and `{host}` are of the picture, `{reason}` is Mermaid's own."""

    plain: str = "text"
    copy: str = phrase("common.copy")
    copy_code: str = phrase("reply.copy_code")
    copied: str = phrase("common.copied")
    copy_refused: str = phrase("common.not_allowed_to_copy")
    table: str = phrase("reply.table")
    done: str = phrase("common.done")
    not_done: str = phrase("reply.not_done")
    load_picture: str = phrase("reply.load_picture")
    load_named_picture: str = phrase("reply.load_picture_name")
    formula_refused: str = phrase("reply.shown_as_written")
    diagram: str = phrase("reply.diagram")
    code: str = phrase("reply.code")
    diagram_zoom: str = phrase("reply.diagram_zoom")
    diagram_refused: str = phrase("reply.diagram_refused")
    diagram_late: str = phrase("reply.diagram_late")
    diagram_long: str = phrase("reply.diagram_long")


WORDS: Final = MarkdownWords()
_PACKAGES: Final = ["marked@18.2.1", "remend@1.4.0", "lowlight@3.3.0", "katex@0.19.1"]


class Markdown(Island):
    """See `markdown`, which gives it its words."""

    library = island("reply/markdown.tsx")
    tag = "Markdown"
    lib_dependencies: list[str] = _PACKAGES
    text: rx.Var[str]
    live: rx.Var[bool]
    words: rx.Var[MarkdownWords]


def markdown(
    text: rx.Var[str] | str, *, live: rx.Var[bool] | bool = False, key: rx.Var[str] | str = ""
) -> rx.Component:
    """A text of a model; `live` while it may still grow. Another `key`: another text, which is read anew."""
    return Markdown.create(text=text, live=live, words=WORDS, key=key)
