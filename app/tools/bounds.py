"""Bounds of what MCP servers and pages send: the bytes of a message, its values, and the bytes of a stream in a minute.

A stream that may last for ever cannot have a bound in all. `Flow` ends one that would keep the event loop busy.
"""

from __future__ import annotations

import asyncio
from typing import Final

from app.domain.json_size import MAX_VALUES

MAX_MESSAGE: Final = 16 * 1024 * 1024
"""Bytes of one message of an MCP server. Images come as base64 in one."""
FLOW_BYTES: Final = 16 * MAX_MESSAGE
FLOW_SECONDS: Final = 60.0
LEAST_BYTES: Final = 1024
"""The size that a smaller message counts as: it takes as much work."""


class TooMuchError(Exception):
    """More came than is taken; the words say of what."""


class Flow:
    """A stream that may last: at most `FLOW_BYTES` in `FLOW_SECONDS`, by the clock of the running event loop."""

    def __init__(self) -> None:
        self._now = asyncio.get_running_loop().time
        self._began = self._now()
        self._bytes = 0

    def note(self, size: int, messages: int = 1) -> None:
        """Count `size` received bytes of `messages` messages.

        Raises:
            TooMuchError: that is too many for this time.
        """
        if self._now() >= self._began + FLOW_SECONDS:
            self._began, self._bytes = self._now(), 0
        self._bytes += max(size, messages * LEAST_BYTES)
        if self._bytes > FLOW_BYTES:
            raise TooMuchError(f"more than {FLOW_BYTES:,} bytes within {FLOW_SECONDS:g} seconds")


def require_few(values: int) -> None:
    """Refuse a message with too many values.

    Raises:
        TooMuchError: they are too many.
    """
    if values > MAX_VALUES:
        raise TooMuchError(f"a message of more than {MAX_VALUES:,} values")
