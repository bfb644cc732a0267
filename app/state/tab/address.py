"""Addresses of pages: build the address of a conversation or a pair, and read the id or position in an address.

Handlers read the conversation on screen from the address, never from a var. The vars may be empty: after a restart of
the server, after an hour without an event, or when the browser has given the tab another token. `app.ui.routes`
declares the routes with this module.

    >>> conversation_path("c1"), conversation_in("/c/c1/"), conversation_in("/settings")
    ('/c/c1', 'c1', '')
"""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qs

PREFIX: Final = "/c/"
AT: Final = "at"
"""The query parameter that names a pair by its position, as in /c/c1?at=12."""
MAX_DIGITS: Final = 15


def conversation_path(conversation_id: str) -> str:
    return f"{PREFIX}{conversation_id}"


def pair_path(conversation_id: str, position: str) -> str:
    """Return the address of a pair in its conversation."""
    return f"{conversation_path(conversation_id)}?{AT}={position}"


def position_in(query: str) -> int:
    """Return the position of the pair that the query of an address names, 0 if it names none.

    >>> position_in("at=12"), position_in("at=-1"), position_in("f=s3")
    (12, 0, 0)
    """
    found = parse_qs(query).get(AT, [""])[0]
    return int(found) if found.isascii() and found.isdigit() and len(found) <= MAX_DIGITS else 0


def conversation_in(path: str) -> str:
    """Return the id of the conversation that the path of an address names, "" if it names none."""
    rest = path.removeprefix(PREFIX).strip("/")
    return rest if path.startswith(PREFIX) and "/" not in rest else ""
