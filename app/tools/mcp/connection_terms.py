"""The functions and state that a connection to an MCP server shares with its session: log, changes, end, sign-in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx2

Progress = Callable[[float, float | None, str], None]
"""A function that is called with the progress of a call: the amount done, the total (None if unknown) and a message."""


class ConnectionEnd:
    """The record of how a server ended a connection. `over` is set when the connection has ended; `words` describe how.

    `requested` is True if Inview itself ends the connection. Then nothing is recorded.
    """

    def __init__(self) -> None:
        self.over = asyncio.Event()
        self.words = ""
        self.requested = False

    def note(self, words: str) -> None:
        """Record that the server ended the connection. `words` describe how. Only the first call has an effect.

        If Inview itself ends the connection, nothing is recorded.
        """
        if not self.requested and not self.over.is_set():
            self.words = words
            self.over.set()


class SignInNeededError(Exception):
    """Error: a server requires a sign-in, and this connection may not start one."""


def _mask_nothing(*_secrets: str) -> None: ...


@dataclass(frozen=True)
class ConnectionTerms:
    """The functions of a session that its connection to the MCP server calls, and the state that the connection sets.

    The functions:

    - `tell`: logs a line with a level.
    - `changed`: reports that the server's lists changed.
    - `make_auth`: makes the authentication of HTTP requests.
    - `mask`: masks secrets of the authentication in the log.

    The state, which the connection sets:

    - `ending`: how the server ended the connection.
    - `status`: a list of one item, the status of the newest HTTP answer.
    - `sign_in_needed`: the server requires a sign-in.
    - `unexplained`: a sign-in is needed, but Inview has no token for the server, and the server did not say where to
      sign in. So the server may require a key instead.
    """

    tell: Callable[[str, str], None]
    changed: Callable[[], None]
    make_auth: Callable[[ConnectionTerms], httpx2.Auth] | None = None
    mask: Callable[..., None] = _mask_nothing
    ending: ConnectionEnd = field(default_factory=ConnectionEnd)
    status: list[int] = field(default_factory=list[int])
    sign_in_needed: asyncio.Event = field(default_factory=asyncio.Event)
    unexplained: asyncio.Event = field(default_factory=asyncio.Event)
