"""A button that copies a text."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island
from app.ui.phrase import phrase


class CopyButton(Island):
    """See `copy_button`, which gives it its words."""

    library = island("kit/copy_button.tsx")
    tag = "CopyButton"
    text: rx.Var[str]
    label: rx.Var[str]
    words: rx.Var[str]
    done_words: rx.Var[str]
    refused_words: rx.Var[str]


def copy_button(
    text: rx.Var[str] | str, *, label: str | rx.Var[str], words: str = phrase("common.copy")
) -> rx.Component:
    """A button that copies `text`. `words` stand on it, `label` is its name."""
    return CopyButton.create(
        text=text,
        label=label,
        words=words,
        done_words=phrase("common.copied"),
        refused_words=phrase("common.not_allowed_to_copy"),
    )
