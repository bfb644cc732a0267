"""The page's addresses for handlers: the conversation on screen, and the paths of pages.

The conversation is read from the address, never from a var: after a restart, an hour away or a changed token the first
event finds an empty state. `app.ui.routes` declares the routes with this module.

    >>> conversation_path("c1"), conversation_in("/c/c1/"), conversation_in("/settings")
    ('/c/c1', 'c1', '')
"""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qs

PREFIX: Final = "/c/"
AT: Final = "at"
"""The parameter of an address that names a pair by its position."""
MAX_DIGITS: Final = 15


def conversation_path(conversation_id: str) -> str:
    return f"{PREFIX}{conversation_id}"


def pair_path(conversation_id: str, position: str) -> str:
    """Return the address of a pair in its conversation."""
    return f"{conversation_path(conversation_id)}?{AT}={position}"


def position_in(query: str) -> int:
    """Return the position of the pair that an address names, 0 if none.

    >>> position_in("at=12"), position_in("at=-1"), position_in("f=s3")
    (12, 0, 0)
    """
    found = parse_qs(query).get(AT, [""])[0]
    return int(found) if found.isascii() and found.isdigit() and len(found) <= MAX_DIGITS else 0


def conversation_in(path: str) -> str:
    """Return the conversation that an address names, "" if none."""
    rest = path.removeprefix(PREFIX).strip("/")
    return rest if path.startswith(PREFIX) and "/" not in rest else ""
