"""Finds the long lists and their items in a file to be imported, without building the items.

    scan = scan_file(b'{"title": "Plans", "pairs": [{"user_text": "Hi"}, {}]}', rest=lambda: None)
    scan.shell                                        # b'{"title": "Plans", "pairs": []}'
    scan.spans("pairs", 0)                            # array('Q', [29, 48, 49, 52])

A file of 64 MiB can contain 20 million objects, which take a gigabyte once they are built. This module counts the
objects first and refuses a file with too many. Later, one item of a list is built at a time. The code that parses an
item checks that it is JSON.

Not here: reading the items (`import_file.py`).
"""

from __future__ import annotations

import re
import time
from array import array
from codecs import BOM_UTF8
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

import orjson

from app.domain.conversation.text_size import MAX_TEXT_BYTES
from app.domain.errors import InputError
from app.domain.text.json_size import MAX_VALUES

MAX_PAIRS: Final = 200_000
"""Maximum number of pairs in all conversations of a file together; the same limit applies to nodes."""
MAX_ATTACHMENTS: Final = 20_000
MAX_SHELL: Final = 16 * 1024 * 1024
"""Maximum number of bytes of a file outside the long lists: titles, system prompts, white space."""
MAX_OTHER_TEXT: Final = 16 * 1024 * 1024
"""Maximum size in UTF-8 bytes of a text other than a request or a reply, such as the whole result of a tool call."""
DEEPEST: Final = 64
MAX_DIGITS: Final = 4_096
"""Maximum number of digits of a number.

The scan refuses a longer piece of the file that has no bracket, comma or quote and is not blank. In valid JSON, such a
piece could only be a number.
"""

_WINDOW: Final = 16 * 1024
"""Number of bytes scanned in one step. Other threads cannot run during a step."""
_TOKEN: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[{}\[\],"]', re.DOTALL)
_IN_STRING: Final = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_BLANKS: Final = re.compile(rb"[ \t\r\n]*+")
_QUOTE: Final = ord('"')
_COMMA: Final = ord(",")
_CLOSERS: Final = {ord("{"): ord("}"), ord("["): ord("]")}
_LONG: Final = frozenset({b"pairs", b"nodes"})
_NAME_BEFORE: Final = re.compile(rb'"([a-z_0-9]{1,40})"[ \t\r\n]{0,40}:[ \t\r\n]{0,40}\Z')
_IN_TEXT: Final = re.compile(rb'(?:[^"\\]++|\\u.{4}|\\[^u])*+', re.DOTALL)
_ESCAPE: Final = re.compile(rb"\\(?:u.{4}|[^u])", re.DOTALL)
_WORDS: Final = frozenset({"user_text", "reply_text"})
_NO_TEXTS: Final = frozenset({"body_base64", "data_base64"})
"""Fields with binary data, which have other limits."""
WAYS: Final = "Shorten it, split it into several pairs, or raise INVIEW_MAX_REPLY_BYTES"
"""The advice for a text that is too large."""


class FaultError(InputError):
    """Error: an import file cannot be imported. `field` is the JSON path of its first fault, such as `$.pairs[0]`."""


def too_long(place: str, size: int, most: int, within: str = "") -> FaultError:
    """Return the error for a text of `size` bytes above the limit `most`. `within` names the field inside `place`."""
    return FaultError(place, f"has {size:,} bytes{within}. The maximum for a text is {most:,}. {WAYS}.")


class EndedError(Exception):
    """Error: the import was cancelled, or Inview is shutting down."""


@dataclass(eq=False)
class Rest:
    """Pauses for long work in a thread. The work calls this object often; about once a millisecond, a call pauses.

    During a pause, other threads can run. If `ended` is set, the next call raises EndedError, which ends the work.
    """

    ended: bool = False
    _since: float = field(default_factory=time.perf_counter)

    def __call__(self) -> None:
        """Pause if it is time. Raise EndedError if the work should stop."""
        if self.ended:
            raise EndedError
        if time.perf_counter() - self._since > 0.001:
            time.sleep(0.0003)
            self._since = time.perf_counter()


@dataclass(frozen=True)
class Scan:
    """A scanned import file. `shell` is the whole file without the items of the long lists.

    `lists` has the start and end of each item in `body`, by the name of the list and the number of its conversation.
    """

    body: bytes | bytearray
    shell: bytes
    lists: dict[tuple[str, int], array[int]]

    def spans(self, name: str, number: int) -> array[int]:
        """Return the start and end of each item of a list; empty if the file does not have the list."""
        return self.lists.get((name, number), array("Q"))


def scan_file(body: bytes | bytearray, rest: Callable[[], None], most_text: int = MAX_TEXT_BYTES) -> Scan:
    """Find the long lists of an import file. `rest` is called often, and may raise an error, which ends the scan.

    `most_text` is the maximum size of a request or a reply in bytes.

    Raises:
        FaultError: the file exceeds a limit, or its brackets do not match.
    """
    return _Scanner(body, rest, most_text).scan()


class _Kind(Enum):
    OTHER = 0
    ROOT = 1
    CONVERSATIONS = 2
    CONVERSATION = 3
    LONG = 4


@dataclass(eq=False)
class _Scanner:
    body: bytes | bytearray
    rest: Callable[[], None]
    most_text: int
    lists: dict[tuple[str, int], array[int]] = field(default_factory=dict[tuple[str, int], "array[int]"])
    shell: bytearray = field(default_factory=bytearray)
    copied: int = 0
    closers: list[int] = field(default_factory=list[int])
    kinds: list[_Kind] = field(default_factory=list[_Kind])
    key: bytes | None = None
    """The name that was read last in an object that can have long lists."""
    wants_key: bool = False
    number: int = 0
    """Number of the current conversation."""
    current: array[int] = field(default_factory=lambda: array("Q"))
    """The start and end of each item of the open long list, whose name is in `name`."""
    name: str = ""
    holder: str = "$"
    """JSON path of the object that has the open long list."""
    item: int = 0
    """Position in the file, in bytes, at which the current item begins."""
    in_item: bool = False
    values: int = 0
    shell_values: int = 0
    counts: dict[str, int] = field(default_factory=dict[str, int])

    def scan(self) -> Scan:
        at = self.copied = len(BOM_UTF8) if self.body.startswith(BOM_UTF8) else 0  # editors on Windows write this mark
        while at < len(self.body):
            self.rest()
            at = self._look(at, min(at + _WINDOW, len(self.body)))
        self._copy(len(self.body))
        return Scan(self.body, bytes(self.shell), self.lists)

    def _copy(self, end: int) -> None:
        """Copy to the shell the bytes up to `end` that are outside the long lists."""
        if len(self.shell) + end - self.copied > MAX_SHELL:
            most = MAX_SHELL // 2**20
            raise FaultError(
                "$", f"has more than {most} MiB apart from pairs, nodes and attachments. Import it in parts."
            )
        self.shell += self.body[self.copied : end]

    def _look(self, at: int, end: int) -> int:
        """Scan the bytes of the file from `at` to `end`. Return where the next scan begins."""
        token = None
        for token in _TOKEN.finditer(self.body, at, end):
            start, byte = token.start(), self.body[token.start()]
            if byte == _QUOTE:
                if token.end() - start == 1:  # the string continues after the window
                    after = self._skip_string(start + 1)
                    if self.in_item and after - start > self.most_text:
                        self._require_text(start, after)
                    if self.wants_key:
                        self.key, self.wants_key = _read_name(bytes(self.body[start:after])), False
                    return after
                if self.wants_key:
                    self.key, self.wants_key = _read_name(token.group()), False
            elif byte == _COMMA:
                self._next(start)
            elif byte in _CLOSERS:
                self._open(byte, start)
            else:
                self._close(byte, start)
        if token is None and end - at > MAX_DIGITS and not self._is_blank(at, end):
            raise FaultError(
                "$", f"is not JSON or has a number of more than {MAX_DIGITS:,} digits, before byte {end:,}."
            )
        return end

    def _skip_string(self, at: int) -> int:
        while True:
            self.rest()
            inside = _IN_STRING.match(self.body, at, at + _WINDOW)
            end = at if inside is None else inside.end()
            if end < len(self.body) and self.body[end] == _QUOTE:
                return end + 1
            if end == at:
                raise FaultError("$", f"is not JSON: a text begins before byte {at:,} and does not end.")
            at = end

    def _require_text(self, start: int, end: int) -> None:
        """Refuse a text that is too large. An escape sequence counts as one byte, the minimum size of its character."""
        named = _NAME_BEFORE.search(self.body[max(0, start - 200) : start])
        name = "" if named is None else named[1].decode()
        most = self.most_text if name in _WORDS else max(self.most_text, MAX_OTHER_TEXT)
        if name in _NO_TEXTS or end - start <= most:
            return
        size, at = 0, start + 1
        while at < end - 1:
            self.rest()
            inside = _IN_TEXT.match(self.body, at, min(at + _WINDOW, end - 1))
            if inside is None or inside.end() == at:
                return  # not JSON, which the parser of the item will report
            size += len(_ESCAPE.sub(b".", inside[0]))
            at = inside.end()
        if size > most:
            place, within = f"{self.holder}.{self.name}[{len(self.current) // 2}]", f' in "{name}"' if name else ""
            if name and self.kinds.index(_Kind.LONG) == len(self.kinds) - 2:  # a field of the item itself
                place, within = f"{place}.{name}", ""
            raise too_long(place, size, most, within)

    def _open(self, byte: int, start: int) -> None:
        if len(self.closers) == DEEPEST:
            raise FaultError("$", f"has lists and objects nested more than {DEEPEST} levels deep, at byte {start:,}.")
        self._count()
        kind = self._kind_of(byte)
        self.closers.append(_CLOSERS[byte])
        self.kinds.append(kind)
        self.wants_key = kind in {_Kind.ROOT, _Kind.CONVERSATION}
        if kind is _Kind.LONG:
            self.name = (self.key or b"").decode()
            is_alone = self.kinds[-2] is _Kind.ROOT
            where = (self.name, 0 if is_alone else self.number)
            self.holder = "$" if is_alone else f"$.conversations[{self.number}]"
            if where in self.lists:
                raise FaultError(f"$.{self.name}", f"occurs twice, at byte {start:,}.")
            self.current = self.lists[where] = array("Q")
            self._copy(start + 1)
            self.item, self.values, self.in_item = start + 1, 0, True

    def _kind_of(self, byte: int) -> _Kind:
        around = self.kinds[-1] if self.kinds else None
        if byte == ord("{"):
            if around is None:
                return _Kind.ROOT
            return _Kind.CONVERSATION if around is _Kind.CONVERSATIONS else _Kind.OTHER
        if around is _Kind.ROOT and self.key == b"conversations":
            return _Kind.CONVERSATIONS
        if around is _Kind.ROOT and self.key == b"attachments":
            return _Kind.LONG
        return _Kind.LONG if around in {_Kind.ROOT, _Kind.CONVERSATION} and self.key in _LONG else _Kind.OTHER

    def _next(self, start: int) -> None:
        self._count()
        match self.kinds[-1] if self.kinds else None:
            case _Kind.LONG:
                self._end_item(start)
            case _Kind.CONVERSATIONS:
                self.number += 1
            case _Kind.ROOT | _Kind.CONVERSATION:
                self.wants_key = True
            case _:
                pass

    def _close(self, byte: int, start: int) -> None:
        if not self.closers or self.closers.pop() != byte:
            raise FaultError("$", f"is not JSON: {chr(byte)} at byte {start:,} has no opening bracket.")
        if self.kinds.pop() is _Kind.LONG:
            if self.current or not self._is_blank(self.item, start):
                self._end_item(start)
            self.copied, self.in_item = start, False
        if self.kinds and self.kinds[-1] in {_Kind.ROOT, _Kind.CONVERSATION}:
            self.key = None

    def _end_item(self, start: int) -> None:
        self.current.extend((self.item, start))
        self.item, self.values = start + 1, 0
        self.counts[self.name] = count = self.counts.get(self.name, 0) + 1
        most = MAX_ATTACHMENTS if self.name == "attachments" else MAX_PAIRS
        if count > most:
            raise FaultError("$.conversations", f"has more than {most:,} {self.name}. Import it in parts.")

    def _count(self) -> None:
        if self.in_item:
            self.values += 1
            count, what = self.values, f"$.{self.name}"
        else:
            self.shell_values += 1
            count, what = self.shell_values, "$"
        if count > MAX_VALUES:
            raise FaultError(what, f"has an item of more than {MAX_VALUES:,} values, before byte {self.item:,}.")

    def _is_blank(self, start: int, end: int) -> bool:
        for at in range(start, end, _WINDOW):
            blanks = _BLANKS.match(self.body, at, min(at + _WINDOW, end))
            if blanks is None or blanks.end() < min(at + _WINDOW, end):
                return False
            self.rest()
        return True


def _read_name(text: bytes) -> bytes | None:
    """Decode the name of a field; None if it is not valid JSON."""
    if b"\\" not in text:
        return text[1:-1]
    try:
        return str(orjson.loads(text)).encode()
    except orjson.JSONDecodeError:
        return None
