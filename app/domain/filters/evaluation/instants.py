"""Ages and calendar days as instants in UTC. An instant out of range becomes the first or last possible instant.

>>> from zoneinfo import ZoneInfo
>>> start_of_day(date(2025, 1, 31), ZoneInfo("Europe/Berlin")).isoformat()
'2025-01-30T23:00:00+00:00'
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import MINYEAR, UTC, date, datetime, time, timedelta, tzinfo
from types import MappingProxyType

from app.domain.filters.language.syntax import Unit

_FIRST = datetime.min.replace(tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)

_LENGTHS: Mapping[Unit, timedelta] = MappingProxyType(
    {
        Unit.MINUTE: timedelta(minutes=1),
        Unit.HOUR: timedelta(hours=1),
        Unit.DAY: timedelta(days=1),
        Unit.WEEK: timedelta(weeks=1),
        Unit.MONTH: timedelta(days=30),
        Unit.YEAR: timedelta(days=365),
    }
)


def instant_ago(now: datetime, count: int, unit: Unit) -> datetime:
    """Return the instant that is `count` units of time before `now`."""
    try:
        return now.astimezone(UTC) - count * _LENGTHS[unit]
    except OverflowError:
        return _FIRST


def start_of_day(day: date, zone: tzinfo) -> datetime:
    """Return the first instant of the day in that zone. If clocks skip midnight, the day starts at the change."""
    try:
        return datetime.combine(day, time(), zone).astimezone(UTC)
    except OverflowError:
        return _FIRST if day.year == MINYEAR else _LAST


def end_of_day(day: date, zone: tzinfo) -> datetime:
    """Return the first instant after the day."""
    return _LAST if day == date.max else start_of_day(day + timedelta(days=1), zone)
