"""The conversations in a file of JSON, one at a time: a file may be larger than memory.

    for item in read_items(chunks): ...     # the bytes of each item of the list that the file is

The scan only looks for strings, brackets and commas; what an item is, a parser says. A file that is one object is one
item. Not here: archives (`archive.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from app.domain.transfer.foreign import UnreadableError

MAX_ITEM: Final = 64 * 1024 * 1024
"""Bytes of one conversation."""
MAX_BRACKETS: Final = 1_000_000
"""Lists and objects in one conversation: each costs memory, however short it is."""

_TOKEN: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"|["{}\[\],]', re.DOTALL)
_BLANK: Final = b" \t\r\n"
_MARK: Final = b"\xef\xbb\xbf"
_QUOTE: Final = ord('"')
_OPENERS: Final = frozenset(b"{[")
_CLOSERS: Final = frozenset(b"}]")


class NotJsonError(Exception):
    """A file that is no JSON, or ends too early. What came before may be good."""


def read_items(chunks: Iterable[bytes]) -> Iterator[bytes | UnreadableError]:
    """The items of the list that the file is, or the object. An item that is too large comes as the reason.

    Raises:
        NotJsonError: the file is neither, or ends within it.
    """
    scanner = _Scanner()
    for chunk in chunks:
        yield from scanner.feed(chunk)
    yield from scanner.end()


class _Scanner:
    """`item` is what was read of the item that is open, `depth` how many brackets are."""

    def __init__(self) -> None:
        self.started = self.ended = self.listed = False
        self.depth = 0
        self.item = bytearray()
        self.brackets = 0
        self.too_large = False
        self.rest = b""

    def feed(self, chunk: bytes) -> Iterator[bytes | UnreadableError]:
        data = self.rest + chunk
        self.rest = b""
        if not self.started:
            data = data.removeprefix(_MARK).lstrip(_BLANK)
            if not data:
                return
            data = self._begin(data)
        start = place = 0
        while not self.ended and (found := _TOKEN.search(data, place)) is not None:
            place = found.end()
            sign = data[found.start()]
            if sign == _QUOTE:
                if place - found.start() == 1:
                    # A string that goes on in the next chunk: what is here of it is read again with the rest.
                    self._keep(data[start : found.start()])
                    self._hold(data[found.start() :])
                    return
            elif sign in _OPENERS:
                self.depth += 1
                self.brackets += 1
            elif sign in _CLOSERS:
                self.depth -= 1
                if self.depth == 0:
                    self._keep(data[start : found.start() if self.listed else place])
                    self.ended = True
                    yield from self._take()
            elif self.depth == 1 and self.listed:
                self._keep(data[start : found.start()])
                start = place
                yield from self._take()
        if not self.ended:
            self._keep(data[start:])

    def _begin(self, data: bytes) -> bytes:
        """The file without what opens its list."""
        if data[:1] not in {b"[", b"{"}:
            raise NotJsonError
        self.started, self.listed = True, data[:1] == b"["
        self.depth = int(self.listed)
        return data[1:] if self.listed else data

    def end(self) -> Iterator[bytes | UnreadableError]:
        if not self.ended:
            raise NotJsonError
        yield from ()

    def _hold(self, text: bytes) -> None:
        """A string that is not whole yet. One that is too long for an item need not be kept."""
        if len(self.item) + len(text) > MAX_ITEM:
            raise NotJsonError
        self.rest = text

    def _keep(self, piece: bytes) -> None:
        if len(self.item) + len(piece) > MAX_ITEM or self.brackets > MAX_BRACKETS:
            self.too_large = True
            self.item.clear()
        elif not self.too_large:
            self.item += piece

    def _take(self) -> Iterator[bytes | UnreadableError]:
        item, too_large = bytes(self.item).strip(_BLANK), self.too_large
        self.item, self.brackets, self.too_large = bytearray(), 0, False
        if too_large:
            yield UnreadableError(f"It is larger than {MAX_ITEM // 2**20} MiB, or has too many lists and objects.")
        elif item:
            yield item
