"""The mark "New" on a reply that became taller than the window while the user was typing."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Fresh(Island):
    """A part that shows its children while the reply of the pair is marked as new.

    The mark is removed when the user goes to the reply.
    """

    library = island("transcript/fresh.tsx")
    tag = "Fresh"
    pair_id: rx.Var[str]


def new_badge(pair_id: rx.Var[str]) -> rx.Component:
    """Draw the mark "New" above the first part of a pair's reply, while the reply is marked as new."""
    return Fresh.create(rx.el.span("New", class_name="new-badge"), pair_id=pair_id)
