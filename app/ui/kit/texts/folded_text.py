"""A text that shows only its start if it is long, with a button that shows the rest."""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.ui.kit.island import Island, island

SHOW_MORE: Final = "Show more"
SHOW_LESS: Final = "Show less"


class FoldedText(Island):
    """The text of a block. If it is long, only its start is shown, and a button with the words `more` or `less`."""

    library = island("kit/texts/folded_text.tsx")
    tag = "FoldedText"
    text: rx.Var[str]
    more: rx.Var[str]
    less: rx.Var[str]


def folded_text(text: rx.Var[str], *, class_name: str) -> rx.Component:
    """Draw a text. If it is long, only its start is shown, with a button that shows the rest."""
    return FoldedText.create(text=text, more=SHOW_MORE, less=SHOW_LESS, class_name=class_name)
