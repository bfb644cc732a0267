"""Validation of an event's payload: any client can call a handler with any values, and type hints are not enforced.

>>> text_in("s>=2", 10), text_in("s>=2", 3), text_in(7, 10), whole_in(7), whole_in(True), whole_in("7")
('s>=2', None, None, 7, None, None)
>>> zone_in("Europe/Berlin"), zone_in("Nowhere"), zone_in("../etc"), zone_in("")
('Europe/Berlin', None, None, None)
"""

from __future__ import annotations

from zoneinfo import ZoneInfo


def text_in(value: object, longest: int) -> str | None:
    """Return the value if it is a text of at most `longest` characters, otherwise None."""
    return value if isinstance(value, str) and len(value) <= longest else None


def whole_in(value: object) -> int | None:
    """Return the value if it is a whole number, otherwise None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def zone_in(value: object) -> str | None:
    """Return the value if it is the IANA name of a time zone, otherwise None."""
    name = text_in(value, _MAX_ZONE)
    if not name:
        return None
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # not the name of a zone, or the name of a folder of zones
        return None
    return name


_MAX_ZONE = 100
