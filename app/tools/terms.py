"""What a connection to a server may do besides talking: tell its log, say that something changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx2

Progress = Callable[[float, float | None, str], None]
"""Told how far a call is: so much done, of how much (None: not known), and in words."""


class Ending:
    """How a connection ended from the side of the server, once it has: `over` is set, and `words` say how.

    `wanted`: Inview ends it, and logs nothing.
    """

    def __init__(self) -> None:
        self.over = asyncio.Event()
        self.words = ""
        self.wanted = False

    def note(self, words: str) -> None:
        """Note that the server ended and how, unless that is noted already or Inview ends it."""
        if not self.wanted and not self.over.is_set():
            self.words = words
            self.over.set()


class SignInNeededError(Exception):
    """A server wants a sign-in, and no person is there."""


def _mask_nothing(*_secrets: str) -> None: ...


@dataclass(frozen=True)
class Terms:
    """`tell`: a level and a line for the log. `changed`: what the server has is another thing now.

    `make_auth` makes what signs requests over HTTP, `mask` hides in the log what that uses. The connection sets
    `ending`, `status` (one item: that of the newest HTTP answer), `sign_in_needed`, and `unexplained` if the server
    refused without naming a sign-in: then a key may be missing instead.
    """

    tell: Callable[[str, str], None]
    changed: Callable[[], None]
    make_auth: Callable[[Terms], httpx2.Auth] | None = None
    mask: Callable[..., None] = _mask_nothing
    ending: Ending = field(default_factory=Ending)
    status: list[int] = field(default_factory=list[int])
    sign_in_needed: asyncio.Event = field(default_factory=asyncio.Event)
    unexplained: asyncio.Event = field(default_factory=asyncio.Event)
