"""Bounds of what MCP servers and pages send: the bytes of a message, its values, and the bytes of a stream in a minute.

A stream that may last for ever cannot have a bound in all. `Flow` ends one that would keep the event loop busy.
"""

from __future__ import annotations

import asyncio
import re
from typing import Final

from app.domain.json_size import MAX_VALUES

MAX_MESSAGE: Final = 11_000_000
"""Bytes of one message of an MCP server, as they come and as Python holds its text.

A picture of 8 MB comes as 10.7 MB of base64. The SDK holds a message several times, and Python takes four bytes for
each character of a text with an emoji.
"""
FLOW_BYTES: Final = 256 * 1024 * 1024
FLOW_SECONDS: Final = 60.0
LEAST_BYTES: Final = 1024
"""The size that a smaller message counts as: it takes as much work."""
MAX_REQUESTS: Final = 1_000
"""Requests of an MCP server to Inview in `FLOW_SECONDS`."""


class TooMuchError(Exception):
    """More came than is taken; the words say of what."""


class Flow:
    """At most `most` of `what` in `FLOW_SECONDS`, by the clock of the running event loop."""

    def __init__(self, most: int, what: str) -> None:
        self._now = asyncio.get_running_loop().time
        self._began = self._now()
        self._most = most
        self._what = what
        self._count = 0

    def note(self, count: int) -> None:
        """Add `count`.

        Raises:
            TooMuchError: that is too many for this time.
        """
        if self._now() >= self._began + FLOW_SECONDS:
            self._began, self._count = self._now(), 0
        self._count += count
        if self._count > self._most:
            raise TooMuchError(f"more than {self._most:,} {self._what} within {FLOW_SECONDS:g} seconds")


class ByteFlow(Flow):
    """A stream that may last: at most `FLOW_BYTES` in `FLOW_SECONDS`."""

    def __init__(self) -> None:
        super().__init__(FLOW_BYTES, "bytes")

    def note(self, count: int, messages: int = 1) -> None:
        """Count `count` received bytes of `messages` messages.

        Raises:
            TooMuchError: that is too many for this time.
        """
        super().note(max(count, messages * LEAST_BYTES))


_CONTINUATION: Final = bytes(range(0x80, 0xC0))
_WIDEST: Final = re.compile(rb"[\xf0-\xf4]|\\u[dD][89abAB]")
_WIDE: Final = re.compile(rb"[\xc4-\xef]")


class DecodedSize:
    """The bytes that a text in UTF-8 takes as Python holds it: its characters times the width of its widest.

    >>> size = DecodedSize()
    >>> size.feed(b"abcd"), size.feed("漢".encode()), size.feed("😀".encode())
    (4, 10, 24)
    """

    def __init__(self) -> None:
        self._characters = 0
        self._width = 1

    def feed(self, piece: bytes) -> int:
        """Add a piece; returns the bytes of all pieces so far."""
        self._characters += len(piece) if piece.isascii() else len(piece.translate(None, _CONTINUATION))
        if self._width < 4 and _WIDEST.search(piece):
            self._width = 4
        elif self._width < 2 and _WIDE.search(piece):
            self._width = 2
        return self._characters * self._width


def require_small(decoded: int) -> None:
    """Refuse a message that takes too much memory.

    Raises:
        TooMuchError: it does.
    """
    if decoded > MAX_MESSAGE:
        raise TooMuchError(f"a message of more than {MAX_MESSAGE // 1_000_000} MB in memory")


def require_few(values: int) -> None:
    """Refuse a message with too many values.

    Raises:
        TooMuchError: they are too many.
    """
    if values > MAX_VALUES:
        raise TooMuchError(f"a message of more than {MAX_VALUES:,} values")
