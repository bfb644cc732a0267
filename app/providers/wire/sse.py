r"""Parses server-sent events from bytes incrementally. The events do not depend on how the stream is cut into chunks.

The parser follows the WHATWG HTML standard, section 9.2.6: CR, LF and CRLF end a line, comments and a leading BOM are
skipped, several data lines are joined, an unfinished event at the end is dropped. `id` and `retry` are ignored. UTF-8
and JSON are not decoded.

    >>> parser = SseParser()
    >>> parser.feed(b"event: ping\ndata: {}")
    []
    >>> parser.feed(b"\n\n")
    [SseEvent(name=b'ping', data=b'{}')]
"""

from __future__ import annotations

from typing import NamedTuple

BOM = b"\xef\xbb\xbf"
MAX_EVENT_BYTES = 8_000_000
"""Maximum bytes of one event: twice the size of a million tokens. Parsing it takes 30 milliseconds."""

MAX_LINES = 20_000
"""Maximum lines of one event: a million would take a second to read. Providers send one or two."""


class SseEvent(NamedTuple):
    """One server-sent event. `name` is empty if the event has none. `data` are the data lines, joined by LF."""

    name: bytes
    data: bytes


class EventTooLargeError(Exception):
    """Error: an event has too many bytes or lines."""


class SseParser:
    """The parser of one stream. `feed` takes received bytes, and returns the events that they complete."""

    __slots__ = ("_ends_in_lf", "_head", "_limit", "_pending", "_size", "_swallow_lf")

    def __init__(self, limit: int = MAX_EVENT_BYTES) -> None:
        self._limit = limit
        self._head: bytes | None = b""
        self._pending: list[bytes] = []
        self._size = 0
        self._ends_in_lf = False
        self._swallow_lf = False

    def feed(self, data: bytes) -> list[SseEvent]:
        """Return the events that `data` completes.

        Raises:
            EventTooLargeError: an event has more bytes than the limit, or too many lines.
        """
        if self._head is not None:
            data = self._without_bom(data)
        if self._swallow_lf or b"\r" in data:
            data = self._with_plain_newlines(data)
        if not data:
            return []
        if b"\n\n" not in data and not (self._ends_in_lf and data[0] == 0x0A):
            self._keep(data)
            return []
        blocks = b"".join((*self._pending, data)).split(b"\n\n") if self._pending else data.split(b"\n\n")
        self._pending.clear()
        self._size = 0
        self._ends_in_lf = False
        if rest := blocks.pop():
            self._keep(rest)
        return [event for block in blocks if (event := _parse_block(block)) is not None]

    def _keep(self, data: bytes) -> None:
        self._pending.append(data)
        self._size += len(data)
        self._ends_in_lf = data[-1] == 0x0A
        if self._size > self._limit:
            raise EventTooLargeError(f"An event has more than {self._limit:,} bytes.")

    def _without_bom(self, data: bytes) -> bytes:
        head = (self._head or b"") + data
        if len(head) < len(BOM) and BOM.startswith(head):
            self._head = head
            return b""
        self._head = None
        return head.removeprefix(BOM)

    def _with_plain_newlines(self, data: bytes) -> bytes:
        """Replace CRLF and CR by LF.

        A CR at the end is replaced at once. If the next data begins with LF, the LF belongs to this CR and is dropped.
        """
        if self._swallow_lf and data:
            data = data.removeprefix(b"\n")
            self._swallow_lf = False
        if data.endswith(b"\r"):
            self._swallow_lf = True
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _parse_block(block: bytes) -> SseEvent | None:
    if block.startswith(b"data: ") and b"\n" not in block:  # a fast path for nearly every event of the OpenAI dialects
        return SseEvent(b"", block[6:])
    if block.count(b"\n") >= MAX_LINES:
        raise EventTooLargeError(f"An event has more than {MAX_LINES:,} lines.")
    name = b""
    data: list[bytes] = []
    for line in block.split(b"\n"):
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            data.append(value)
        elif field == b"event":
            name = value
    return SseEvent(name, b"\n".join(data)) if data else None
