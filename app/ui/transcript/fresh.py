"""The "New" badge on a reply that grew out of sight while the person typed."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island
from app.ui.phrase import phrase


class Fresh(Island):
    """Shows its children while the reply of the pair is new: it is until somebody goes there."""

    library = island("transcript/fresh.tsx")
    tag = "Fresh"
    pair_id: rx.Var[str]


def new_badge(pair_id: rx.Var[str]) -> rx.Component:
    """Stands at the first part of the reply."""
    return Fresh.create(rx.el.span(phrase("transcript.new"), class_name="new-badge"), pair_id=pair_id)
