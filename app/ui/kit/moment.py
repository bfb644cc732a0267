"""A time as people say it."""

from __future__ import annotations

import reflex as rx

from app.ui.kit.island import Island, island


class Moment(Island):
    """The moment `at` (ISO): "5m ago", "21 Nov", in the reader's time zone. `exact`: the time of day instead."""

    library = island("kit/moment.tsx")
    tag = "Moment"
    at: rx.Var[str]
    exact: rx.Var[bool] | None = None
