"""JSON that is still arriving: reads its value so far, the unfinished part, and the place of an error.

Any beginning of a JSON text can be read, and a longer text only adds to the value. Text in front of the value and a
code fence around it are skipped, and the result says whether text was skipped. This module does not validate:
`runs/send/structured_replies.py` compares the value with a schema.

    >>> read_partial('{"name": "Ad').value
    {'name': 'Ad'}
    >>> read_partial('{"name": "Ad').open_path
    ('name',)
    >>> read_partial('{"a": 1,}', final=True).fault
    'Expected a name in quotes at character 8.'

Source: RFC 8259.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, cast

JsonPath = tuple[str | int, ...]

MAX_DEPTH: Final = 100
_BLANKS: Final = re.compile(r"[ \t\r\n]*")
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')
_PART_OF_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_PART_OF_NUMBER: Final = re.compile(r"-?(?:(?:0|[1-9][0-9]*)(?:\.|(?:\.[0-9]+)?[eE][+-]?)?)?\Z")
_FENCE: Final = re.compile(r"\s*```[A-Za-z]*[ \t]*(?:\r?\n|\Z)")
_AFTER: Final = re.compile(r"\s*(?:`{1,3}\s*)?\Z")
_TOO_LARGE: Final = "A number is too large"
_WORDS: Final = (("true", True), ("false", False), ("null", None))


@dataclass(frozen=True, slots=True)
class PartialJson:
    """The result of reading a JSON text that is still arriving.

    - `value`: the value so far.
    - `found`: at least the start of the value was read.
    - `open_path`: the path of the unfinished part; None if nothing is unfinished.
    - `fault`: the reason why the rest of the text is not JSON.
    - `has_other_text`: there is other text in front of the value or after it.
    """

    value: Any = None
    found: bool = False
    open_path: JsonPath | None = None
    fault: str | None = None
    has_other_text: bool = False

    @property
    def complete(self) -> bool:
        """True if the JSON value is complete."""
        return self.found and self.open_path is None and self.fault is None


def read_partial(text: str, *, final: bool = False) -> PartialJson:
    """Read the JSON value in a text. `final`: no more text will arrive, so an unfinished value is a fault."""
    start, has_other_text = _find_start(text)
    if start == len(text):
        return PartialJson(
            open_path=(), fault="The reply has no JSON." if final else None, has_other_text=has_other_text
        )
    reader = _Reader(text, start, final=final)
    kept: list[Any] = []
    try:
        reader.read_value(kept.append, (), 0)
    except _EndedError as ended:
        fault = f"The JSON ends early, inside {name_path(ended.path)}." if final else None
        return PartialJson(kept[-1] if kept else None, bool(kept), ended.path, fault, has_other_text)
    except _FaultError as error:
        fault = f"{error.words} at character {error.place}."
        return PartialJson(kept[-1] if kept else None, bool(kept), None, fault, has_other_text)
    has_other_text = has_other_text or not _AFTER.match(text, reader.place)
    return PartialJson(kept[-1], found=True, has_other_text=has_other_text)


def name_path(path: JsonPath) -> str:
    """Write a path in the notation of JSONPath.

    >>> name_path(("items", 0, "first name"))
    '$.items[0]["first name"]'
    """
    return "$" + "".join(map(_name_step, path))


def _name_step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if step.isidentifier() else f"[{json.dumps(step, ensure_ascii=False)}]"


def _find_start(text: str) -> tuple[int, bool]:
    """Return the place where the value starts, and true if there is other text in front of it."""
    fenced = _FENCE.match(text)
    start = fenced.end() if fenced else 0
    blank = _BLANKS.match(text, start)
    start = blank.end() if blank else start
    if start == len(text) or text[start] in '{["-0123456789tfn':
        plain = start < len(text) and text[start] in "tfn" and not _may_be_word(text[start : start + len("false")])
        if not plain:
            return start, False
    brackets = [place for place in (text.find("{", start), text.find("[", start)) if place >= 0]
    return (min(brackets), True) if brackets else (len(text), bool(text[start:].strip()))


def _may_be_word(text: str) -> bool:
    return any(text.startswith(word) or word.startswith(text) for word, _ in _WORDS)


class _EndedError(Exception):
    """Error: the text ends before the value at this path is complete."""

    def __init__(self, path: JsonPath) -> None:
        self.path = path


class _FaultError(Exception):
    """Error: the text is not JSON at this place."""

    def __init__(self, place: int, words: str) -> None:
        self.place = place
        self.words = words


class _Reader:
    """The reader of one JSON text.

    Each value is added to its container at once, so it is kept even if the text ends inside it.
    """

    def __init__(self, text: str, place: int, *, final: bool) -> None:
        self.text = text
        self.place = place
        self.final = final

    def read_value(self, put: Callable[[Any], None], path: JsonPath, depth: int) -> None:
        sign = self._next(path)
        if depth > MAX_DEPTH:
            raise _FaultError(self.place, "It is nested too deeply")
        if sign == "{":
            fields: dict[str, Any] = {}
            put(fields)
            self._read_fields(fields, path, depth)
        elif sign == "[":
            items: list[Any] = []
            put(items)
            self._read_items(items, path, depth)
        elif sign == '"':
            whole, words = self._read_string()
            put(words)
            if not whole:
                raise _EndedError(path)
        elif sign in "-0123456789":
            self._read_number(put, path)
        else:
            self._read_word(put, path)

    def _read_fields(self, fields: dict[str, Any], path: JsonPath, depth: int) -> None:
        self.place += 1
        if self._next(path) == "}":
            self.place += 1
            return
        while True:
            if self._next(path) != '"':
                raise _FaultError(self.place, "Expected a name in quotes")
            whole, name = self._read_string()
            if not whole:
                raise _EndedError(path)
            if self._next(path) != ":":
                raise _FaultError(self.place, "Expected a colon")
            self.place += 1
            self.read_value(lambda value, name=name: fields.__setitem__(name, value), (*path, name), depth + 1)
            if self._goes_on("}", path):
                continue
            return

    def _read_items(self, items: list[Any], path: JsonPath, depth: int) -> None:
        self.place += 1
        if self._next(path) == "]":
            self.place += 1
            return
        while True:
            self.read_value(items.append, (*path, len(items)), depth + 1)
            if not self._goes_on("]", path):
                return

    def _goes_on(self, end: str, path: JsonPath) -> bool:
        sign = self._next(path)
        if sign not in {",", end}:
            raise _FaultError(self.place, f"Expected a comma or {end!r}")
        self.place += 1
        return sign == ","

    def _read_string(self) -> tuple[bool, str]:
        """Read a string. Return true if it is complete, and its text so far."""
        found = cast("re.Match[str]", _STRING.match(self.text, self.place))
        end = found.end()
        if end < len(self.text) and self.text[end] == '"':
            self.place = end + 1
            return True, _mend(json.loads(found[0] + '"'))
        if end < len(self.text) and not _PART_OF_ESCAPE.match(self.text, end):
            raise _FaultError(end, "A string has a character that must be escaped")
        return False, _mend(json.loads(found[0] + '"'), open_end=True)

    def _read_number(self, put: Callable[[Any], None], path: JsonPath) -> None:
        found = _NUMBER.match(self.text, self.place)
        if not self.final and _PART_OF_NUMBER.match(self.text, self.place):
            if found:
                put(_number(found[0], self.place))
            raise _EndedError(path)
        if found is None:
            raise _FaultError(self.place, "Expected a number")
        put(_number(found[0], self.place))
        self.place = found.end()
        if self.place == len(self.text) and not self.final:
            raise _EndedError(path)

    def _read_word(self, put: Callable[[Any], None], path: JsonPath) -> None:
        for word, value in _WORDS:
            if self.text.startswith(word, self.place):
                self.place += len(word)
                put(value)
                return
            if word.startswith(self.text[self.place : self.place + len(word)]):
                raise _EndedError(path)
        raise _FaultError(self.place, "Expected a value")

    def _next(self, path: JsonPath) -> str:
        """Skip blanks, and return the next character."""
        blanks = _BLANKS.match(self.text, self.place)
        self.place = blanks.end() if blanks else self.place
        if self.place == len(self.text):
            raise _EndedError(path)
        return self.text[self.place]


def _number(text: str, place: int) -> int | float:
    try:
        value: int | float = json.loads(text)
    except ValueError:  # Python refuses to read integers of more than some thousand digits
        raise _FaultError(place, _TOO_LARGE) from None
    if abs(value) > sys.float_info.max:
        raise _FaultError(place, _TOO_LARGE)
    return value


def _mend(words: str, *, open_end: bool = False) -> str:
    """Replace lone surrogates: JSON can contain them, but UTF-8 text cannot."""
    if words.isascii():
        return words
    if open_end and "\ud800" <= words[-1] <= "\udbff":
        words = words[:-1]
    return words.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
