"""A moment in time, in words or as a clock and a calendar write it."""

from __future__ import annotations

from enum import StrEnum

import reflex as rx

from app.ui.kit.island import Island, island


class TimeForm(StrEnum):
    """How a moment is written."""

    AGO = "ago"
    """"5m ago", "21 Nov". It keeps up with the clock."""
    CLOCK = "clock"
    """The hour and the minute."""
    TIME = "time"
    """The time of day with seconds, as the reader's language writes it."""
    DAY = "day"
    FULL = "full"
    """The day and the time of day."""


class Moment(Island):
    """The moment `at` (ISO 8601, "" for none) in the reader's time zone. Without a form: how long ago it was."""

    library = island("kit/moment.tsx")
    tag = "Moment"
    at: rx.Var[str]
    form: rx.Var[TimeForm] | None = None
