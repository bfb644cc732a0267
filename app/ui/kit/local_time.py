"""A time or a day, written as the reader's own language and time zone have it."""

from __future__ import annotations

from enum import StrEnum

import reflex as rx

from app.ui.kit.island import Island, island


class TimeForm(StrEnum):
    """What is written: the time of day with seconds, the day, or both."""

    TIME = "time"
    DAY = "day"
    FULL = "full"


class LocalTime(Island):
    """The moment `at` (ISO). How long ago it was is `Moment`'s."""

    library = island("kit/local_time.tsx")
    tag = "LocalTime"
    at: rx.Var[str]
    form: rx.Var[TimeForm]
