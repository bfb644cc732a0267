"""A button that copies a text."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class CopyButton(Island):
    """A button that copies `text`: the island that the function `copy_button` creates. The function sets its props."""

    library = island("kit/controls/copy_button.tsx")
    tag = "CopyButton"
    text: rx.Var[str]
    label: rx.Var[str]
    words: rx.Var[str]
    done_words: rx.Var[str]
    refused_words: rx.Var[str]


def copy_button(text: rx.Var[str] | str, *, label: str | rx.Var[str], words: str = "Copy") -> rx.Component:
    """Draw a button that copies `text`. `words` is its visible text, `label` its accessible name."""
    return CopyButton.create(
        text=text, label=label, words=words, done_words="Copied", refused_words="Copying is not allowed"
    )
