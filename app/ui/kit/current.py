"""A region that is marked while its content is outdated."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Current(Island):
    """Content that was computed for the draft with the number `edition`. It is outdated while the composer has another
    draft, or if `old` is true. It is also marked while the draft is too large to send, because nothing is computed
    then.
    """

    library = island("kit/current.tsx")
    tag = "Current"
    edition: rx.Var[int]
    old: rx.Var[bool]
