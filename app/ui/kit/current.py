"""A region that is marked while what it shows is outdated."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Current(Island):
    """What was made of the draft with the number `edition`. It is outdated while the composer has another draft, or is
    `old` for another reason. It is marked as well while the draft is too large to send, and so nothing is made of it.
    """

    library = island("kit/current.tsx")
    tag = "Current"
    edition: rx.Var[int]
    old: rx.Var[bool]
