"""The log of one MCP server: the newest lines of its output and its events, in memory, with secrets masked.

This log is separate from the log of the installation, which never contains text of a server.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

MAX_LINES: Final = 400
MAX_CHARACTERS: Final = 2000
SHORTEST_SECRET: Final = 4
"""Minimum characters of a secret that is masked. Masking a shorter one would mask parts of many words."""
MASK: Final = "•••"

OWN_LEVEL: Final = "inview"
"""The level of Inview's own lines about the server."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of a log. `number` increases by one with each line, so that a reader can request newer lines."""

    number: int
    at: datetime
    level: str
    text: str


class ServerLog:
    """The newest lines of one server. `changed` is called after each line."""

    def __init__(
        self,
        secrets: Iterable[str],
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self._lines = deque[LogLine](maxlen=MAX_LINES)
        self._secrets = {secret for secret in secrets if len(secret) >= SHORTEST_SECRET}
        self._clock = clock
        self._changed = changed
        self._count = 0

    def mask(self, *secrets: str) -> None:
        """Mask these secrets, in addition to earlier ones, in all lines that follow."""
        self._secrets.update(secret for secret in secrets if len(secret) >= SHORTEST_SECRET)

    def write(self, level: str, text: str) -> None:
        for secret in sorted(self._secrets, key=len, reverse=True):
            text = text.replace(secret, MASK)
        self._count += 1
        self._lines.append(LogLine(self._count, self._clock(), level, text[:MAX_CHARACTERS]))
        self._changed()

    def lines(self, after: int = 0) -> tuple[LogLine, ...]:
        """Return the lines after this number, oldest first."""
        return tuple(line for line in self._lines if line.number > after)
