"""A part of the page that is marked while its content is outdated."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Current(Island):
    """A part of the page that was computed for the text in the composer. `edition` identifies the version of that text.

    The part is marked as outdated while the composer has another text, and while `old` is true. While the text in the
    composer is too large to send, the part has a different mark, because nothing is computed for such a text.
    """

    library = island("kit/containers/current.tsx")
    tag = "Current"
    edition: rx.Var[int]
    old: rx.Var[bool]
