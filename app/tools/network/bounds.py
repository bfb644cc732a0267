"""Limits for data from MCP servers and pages: the bytes and values of a message, and the bytes of a stream per minute.

A stream that may last forever has no total limit. `Flow` ends a stream that would keep the event loop busy.
"""

from __future__ import annotations

import asyncio
import re
from typing import Final

from app.domain.text.json_size import MAX_VALUES

MAX_MESSAGE: Final = 11_000_000
"""Maximum bytes of one message of an MCP server, both in the received form and as a Python text in memory.

A picture of 8 MB is received as 10.7 MB of base64. The SDK has several copies of a message, and Python needs four bytes
for each character of a text with an emoji.
"""
FLOW_BYTES: Final = 256 * 1024 * 1024
FLOW_SECONDS: Final = 60.0
LEAST_BYTES: Final = 1024
"""Minimum number of bytes that a message counts as, because a smaller one takes as much work."""
MAX_REQUESTS: Final = 1_000
"""Maximum requests that an MCP server may send to Inview in `FLOW_SECONDS`."""


class TooMuchError(Exception):
    """Error: more data was received than is allowed. The message names the limit."""


class Flow:
    """A limit for the items of a stream: at most `most` in `FLOW_SECONDS`. `what` names the items in the error."""

    def __init__(self, most: int, what: str) -> None:
        self._now = asyncio.get_running_loop().time
        self._began = self._now()
        self._most = most
        self._what = what
        self._count = 0

    def note(self, count: int) -> None:
        """Add `count` items that were received.

        Raises:
            TooMuchError: the limit for this time is exceeded.
        """
        if self._now() >= self._began + FLOW_SECONDS:
            self._began, self._count = self._now(), 0
        self._count += count
        if self._count > self._most:
            raise TooMuchError(f"more than {self._most:,} {self._what} within {FLOW_SECONDS:g} seconds")


class ByteFlow(Flow):
    """A limit for a stream that may last forever: at most `FLOW_BYTES` in `FLOW_SECONDS`."""

    def __init__(self) -> None:
        super().__init__(FLOW_BYTES, "bytes")

    def note(self, count: int, messages: int = 1) -> None:
        """Add `count` bytes that were received in `messages` messages.

        Raises:
            TooMuchError: the limit for this time is exceeded.
        """
        super().note(max(count, messages * LEAST_BYTES))


_CONTINUATION: Final = bytes(range(0x80, 0xC0))
_WIDEST: Final = re.compile(rb"[\xf0-\xf4]|\\u[dD][89abAB]")
_WIDE: Final = re.compile(rb"[\xc4-\xef]")


class DecodedSize:
    """Counts the bytes that a UTF-8 text takes as a Python string: its characters times the width of the widest one.

    >>> size = DecodedSize()
    >>> size.feed(b"abcd"), size.feed("漢".encode()), size.feed("😀".encode())
    (4, 10, 24)
    """

    def __init__(self) -> None:
        self._characters = 0
        self._width = 1

    def feed(self, piece: bytes) -> int:
        """Add a piece, and return the bytes of all pieces so far."""
        self._characters += len(piece) if piece.isascii() else len(piece.translate(None, _CONTINUATION))
        if self._width < 4 and _WIDEST.search(piece):
            self._width = 4
        elif self._width < 2 and _WIDE.search(piece):
            self._width = 2
        return self._characters * self._width


def require_small(decoded: int) -> None:
    """Check that a message does not take too much memory. `decoded` is its size as a Python string, in bytes.

    Raises:
        TooMuchError: the message takes more than `MAX_MESSAGE` bytes.
    """
    if decoded > MAX_MESSAGE:
        raise TooMuchError(f"a message of more than {MAX_MESSAGE // 1_000_000} MB in memory")


def require_few(values: int) -> None:
    """Check that a message does not have too many JSON values.

    Raises:
        TooMuchError: the message has more than `MAX_VALUES` values.
    """
    if values > MAX_VALUES:
        raise TooMuchError(f"a message of more than {MAX_VALUES:,} values")
