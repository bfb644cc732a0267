"""Orders for the text area: changes that a state asks of its text, each carried out once."""

from __future__ import annotations

from uuid import uuid4

from app.state.composer.views import BoxOrder, OrderKind


def make_order(kind: OrderKind, text: str) -> BoxOrder:
    """A new order for the text area."""
    return BoxOrder(uuid4().hex, kind, text)
