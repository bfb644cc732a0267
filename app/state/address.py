"""The page's addresses as handlers need them: which conversation is on screen.

Taken from the address, never from a var: after a restart, an hour away or a changed token the first event meets an
empty state. The routes themselves are declared in `app.ui.routes`, from here.

    >>> conversation_path("c1"), conversation_in("/c/c1/"), conversation_in("/settings")
    ('/c/c1', 'c1', '')
"""

from __future__ import annotations

from typing import Final

PREFIX: Final = "/c/"


def conversation_path(conversation_id: str) -> str:
    return f"{PREFIX}{conversation_id}"


def conversation_in(path: str) -> str:
    """The conversation an address names, "" if none."""
    rest = path.removeprefix(PREFIX).strip("/")
    return rest if path.startswith(PREFIX) and "/" not in rest else ""
