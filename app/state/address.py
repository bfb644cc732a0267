"""The page's addresses as handlers need them: which conversation is on screen, which form of a page is open.

Taken from the address, never from a var: after a restart, an hour away or a changed token the first event meets an
empty state. The routes themselves are declared in `app.ui.routes`, from here.

    >>> conversation_path("c1"), conversation_in("/c/c1/"), conversation_in("/c/new"), conversation_in("/settings")
    ('/c/c1', 'c1', '', '')
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qs

PREFIX: Final = "/c/"
NEW: Final = "new"
"""What an address says of a new conversation that a link fills in, or of a form for a new thing; no id reads so."""
AT: Final = "at"
"""The parameter of an address that names a pair by its position."""
MAX_DIGITS: Final = 15
MAX_ID: Final = 64


def conversation_path(conversation_id: str) -> str:
    return f"{PREFIX}{conversation_id}"


def pair_path(conversation_id: str, position: str) -> str:
    """The address of a pair in its conversation."""
    return f"{conversation_path(conversation_id)}?{AT}={position}"


def position_in(query: str) -> int:
    """The position of the pair that an address names, 0 if none.

    >>> position_in("at=12"), position_in("at=-1"), position_in("f=s3")
    (12, 0, 0)
    """
    found = parse_qs(query).get(AT, [""])[0]
    return int(found) if found.isascii() and found.isdigit() and len(found) <= MAX_DIGITS else 0


GRANTED: Final = "/shared"
GRANT: Final = "grant"
"""The parameter of an address that names what another shares."""


def grant_path(grant_id: str) -> str:
    """The address of what another shares; "": of all that others share.

    >>> grant_path("g1"), grant_in("grant=g1"), grant_in("at=3")
    ('/shared?grant=g1', 'g1', '')
    """
    return f"{GRANTED}?{GRANT}={grant_id}" if grant_id else GRANTED


def grant_in(query: str) -> str:
    """What of another an address names, "" if nothing."""
    return parse_qs(query).get(GRANT, [""])[0][:MAX_ID]


def conversation_in(path: str) -> str:
    """The conversation an address names, "" if none."""
    rest = path.removeprefix(PREFIX).strip("/")
    return rest if path.startswith(PREFIX) and "/" not in rest and rest != NEW else ""


def form_in(asked: Mapping[str, str], noun: str) -> str:
    """Return the form that the query of an address opens on a page with a list, "" for the list alone.

    >>> form_in({"agent": "new"}, "agent"), form_in({"agent": "a1"}, "agent"), form_in({"copy": "a1"}, "agent")
    ('new', 'agent a1', 'copy a1')
    """
    if "copy" in asked:
        return f"copy {asked['copy']}"
    found = asked.get(noun, "")
    return found if found in {"", NEW} else f"{noun} {found}"
