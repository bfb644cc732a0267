"""Validation of an event's payload: any client can call a handler with any values, and type hints are not enforced.

>>> text_in("s>=2", 10), text_in("s>=2", 3), text_in(7, 10), whole_in(7), whole_in(True), whole_in("7")
('s>=2', None, None, 7, None, None)
>>> json_in('{"a": [1]}'), json_in("nonsense"), json_in("[" * 50_000), json_in(7), json_in("[1, 2]", 5)
({'a': [1]}, None, None, None, None)
>>> zone_in("Europe/Berlin"), zone_in("Nowhere"), zone_in("../etc"), zone_in("")
('Europe/Berlin', None, None, None)
"""

from __future__ import annotations

import json
from typing import Final
from zoneinfo import ZoneInfo

from app.domain.text.json_size import MAX_VALUES, has_more_values

MAX_JSON: Final = 100_000
"""Maximum number of characters of a JSON text that the browser stores."""


def text_in(value: object, longest: int) -> str | None:
    """Return the value if it is a text of at most `longest` characters, otherwise None."""
    return value if isinstance(value, str) and len(value) <= longest else None


def whole_in(value: object) -> int | None:
    """Return the value if it is a whole number, otherwise None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def json_in(value: object, longest: int = MAX_JSON) -> object:
    """Return the value of a JSON text of at most `longest` characters, or None if it is longer or cannot be read.

    The check of messages in `app/web/sockets.py` does not limit such a text: it counts the whole text as one value.
    """
    text = text_in(value, longest)
    if text is None or has_more_values(text.encode(errors="replace"), MAX_VALUES):
        return None
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found


def zone_in(value: object) -> str | None:
    """Return the value if it is the IANA name of a time zone, otherwise None."""
    name = text_in(value, _MAX_ZONE)
    if not name:
        return None
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # the text is not the name of a zone, or is the name of a folder of zones
        return None
    return name


_MAX_ZONE = 100
