"""The "New" mark of a reply that grew out of sight while the user typed."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Fresh(Island):
    """Shows its children until the user goes to the reply of the pair."""

    library = island("transcript/fresh.tsx")
    tag = "Fresh"
    pair_id: rx.Var[str]


def new_badge(pair_id: rx.Var[str]) -> rx.Component:
    """The mark at the first part of the reply."""
    return Fresh.create(rx.el.span("New", class_name="new-badge"), pair_id=pair_id)
