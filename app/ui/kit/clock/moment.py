"""A point in time, shown as a relative time, a time of day or a date."""

from __future__ import annotations

from enum import StrEnum

import reflex as rx

from app.ui.kit.island import Island, island


class TimeForm(StrEnum):
    """The form of a point in time on the screen, such as "5m ago" or the time of day."""

    AGO = "ago"
    """A relative time such as "5m ago" that is updated as time passes; for an older time a date such as "21 Nov"."""
    CLOCK = "clock"
    """The hour and the minute."""
    TIME = "time"
    """The time of day with seconds, in the format of the reader's language."""
    DAY = "day"
    FULL = "full"
    """The day and the time of day."""


class MomentText(Island):
    """The point in time `at` (ISO 8601, "" for none) in the reader's time zone. `form` None: `TimeForm.AGO`."""

    library = island("kit/clock/moment.tsx")
    tag = "Moment"
    at: rx.Var[str]
    form: rx.Var[TimeForm] | None = None
