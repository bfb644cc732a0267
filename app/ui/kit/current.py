"""A part of the page that is marked while its content is outdated."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Current(Island):
    """A part that was computed for one text in the composer: the text with the number `edition`.

    The part is marked as outdated while the composer has another text, and while `old` is true. It has another mark
    while the text is too large to send, because nothing is computed for such a text.
    """

    library = island("kit/current.tsx")
    tag = "Current"
    edition: rx.Var[int]
    old: rx.Var[bool]
