"""JSON that is still arriving: reads its value so far, the unfinished part, and the place of an error.

Any beginning of a JSON text can be read, and a longer text only adds to the value. Text in front of the value and a
code fence around it are skipped, and the result says whether text was skipped. This module does not validate:
`runs/send/structured_replies.py` compares the value with a schema.

`JsonReader` reads a growing text: each character once. Each read returns the changes of the value.

    >>> read_partial('{"name": "Ad').value
    {'name': 'Ad'}
    >>> read_partial('{"name": "Ad').open_path
    ('name',)
    >>> read_partial('{"a": 1,}', final=True).fault
    'Expected a name in quotes at character 8.'
    >>> reader = JsonReader()
    >>> reader.read('{"name": "Ad')
    (JsonChange(path=(), value={'name': 'Ad'}, appended=False),)
    >>> reader.read('{"name": "Ada", "born": 18')
    (JsonChange(path=('name',), value='a', appended=True), JsonChange(path=('born',), value=18, appended=False))

Source: RFC 8259.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Final, cast

JsonPath = tuple[str | int, ...]
Waits = Generator[JsonPath]
"""A reading that waits for more text at the end of the text. It yields the path of the unfinished part."""

MAX_DEPTH: Final = 100
_BLANKS: Final = re.compile(r"[ \t\r\n]*")
_CHARACTERS: Final = re.compile(r'(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')
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


@dataclass(frozen=True, slots=True)
class JsonChange:
    """A change of a value: the value at `path` is now `value` or, if `appended`, the text `value` was appended to it.

    `value` belongs to the reader, which changes it with the next read.
    """

    path: JsonPath
    value: Any
    appended: bool = False


def read_partial(text: str, *, final: bool = False) -> PartialJson:
    """Read the JSON value in a text. `final`: no more text will arrive, so an unfinished value is a fault."""
    reader = JsonReader()
    reader.read(text, final=final)
    return reader.result


class JsonReader:
    """Reads the JSON value in a growing text. `result` is what `read_partial` returns for the text of the last read.

    One difference: a number that has become too large is a fault, and the value keeps the number that was read before.
    """

    def __init__(self) -> None:
        self.result = PartialJson(open_path=())
        self._text = ""
        self._values = _ValueReader()
        self._waits: Waits | None = None

    def read(self, text: str, *, final: bool = False) -> tuple[JsonChange, ...]:
        """Read the text so far, and return the changes since the last read.

        If the text does not begin with that of the last read, the value is read from the beginning. After a
        final read there is no other one.
        """
        replaced: tuple[JsonChange, ...] = ()
        if not text.startswith(self._text):
            replaced = (JsonChange((), None),) if self.result.found else ()
            self.result = PartialJson(open_path=())
        self._text = text
        if not self.result.found:  # the start of the value is not certain yet
            start, has_other_text = _find_start(text)
            if start == len(text):
                fault = "The reply has no JSON." if final else None
                self.result = PartialJson(open_path=(), fault=fault, has_other_text=has_other_text)
                return replaced
            self.result = PartialJson(open_path=(), has_other_text=has_other_text)
            self._values = _ValueReader(start)
            self._waits = self._values.read_value(self._values.root, 0, (), 0, born=-1)
        changes = self._values.prepare(text, final=final)
        self.result = self._go_on()
        return (
            *replaced,
            *(
                JsonChange(path, at[key] if added is None else added, added is not None)
                for path, at, key, added in changes
            ),
        )

    def _go_on(self) -> PartialJson:
        """Read up to the end of the text, the end of the value or a fault, and return the result."""
        before, values = self.result, self._values
        open_path, fault = None, before.fault
        if self._waits is not None:
            try:
                open_path = next(self._waits)
            except StopIteration:
                self._waits = None
            except _EndedError as ended:
                open_path, fault = ended.path, f"The JSON ends early, inside {name_path(ended.path)}."
                self._waits = None
            except _FaultError as error:
                fault = f"{error.words} at character {error.place}."
                self._waits = None
        has_other_text = before.has_other_text or (
            self._waits is None and fault is None and not _AFTER.match(values.text, values.place)
        )
        found = bool(values.root)
        return PartialJson(values.root[0] if found else None, found, open_path, fault, has_other_text)


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
        self.place: int = place
        self.words = words


class _ValueReader:
    """One pass over a growing text. `root` is a list with the value, once its first character was read.

    Each value is added to its container at once, so it is kept even if the text ends inside it.

    `changes` has the changes since the last read: the path, the container, the key in it, and the appended text; None
    if the value was set. The content of a container that is new since the last read is not listed, so a container is
    `born` with the number of the read.
    """

    def __init__(self, place: int = 0) -> None:
        self.root: list[Any] = []
        self.text = ""
        self.place: int = place
        self.final = False
        self.reads = 0
        self.changes: list[tuple[JsonPath, Any, str | int, str | None]] = []

    def prepare(self, text: str, *, final: bool) -> list[tuple[JsonPath, Any, str | int, str | None]]:
        """Take the text so far. Return the list that will get the changes."""
        self.text, self.final, self.changes = text, final, []
        self.reads += 1
        return self.changes

    def read_value(self, into: Any, key: str | int, path: JsonPath, depth: int, *, born: int) -> Waits:
        """Read a value into a container. `born` is the number of the read that adds the container."""
        sign = self._peek() or (yield from self._wait(path))
        if depth > MAX_DEPTH:
            raise _FaultError(self.place, "It is nested too deeply")

        def put(value: Any) -> None:
            if isinstance(key, int) and key == len(into):
                into.append(value)
            else:
                into[key] = value
            if born != self.reads:
                self.changes.append((path, into, key, None))

        if sign == "{":
            fields: dict[str, Any] = {}
            put(fields)
            yield from self._read_fields(fields, path, depth)
        elif sign == "[":
            items: list[Any] = []
            put(items)
            yield from self._read_items(items, path, depth)
        elif sign == '"':
            put("")
            begun = self.reads

            def grow(words: str) -> None:
                into[key] += words
                if words and begun != self.reads:
                    self.changes.append((path, into, key, words))

            yield from self._read_string(grow, path)
        elif sign in "-0123456789":
            yield from self._read_number(put, path)
        else:
            yield from self._read_word(put, path)

    def _read_fields(self, fields: dict[str, Any], path: JsonPath, depth: int) -> Waits:
        born = self.reads
        self.place += 1
        if (self._peek() or (yield from self._wait(path))) == "}":
            self.place += 1
            return
        while True:
            if (self._peek() or (yield from self._wait(path))) != '"':
                raise _FaultError(self.place, "Expected a name in quotes")
            words: list[str] = []
            yield from self._read_string(words.append, path)
            name = "".join(words)
            if (self._peek() or (yield from self._wait(path))) != ":":
                raise _FaultError(self.place, "Expected a colon")
            self.place += 1
            yield from self.read_value(fields, name, (*path, name), depth + 1, born=born)
            if not (yield from self._goes_on("}", path)):
                return

    def _read_items(self, items: list[Any], path: JsonPath, depth: int) -> Waits:
        born = self.reads
        self.place += 1
        if (self._peek() or (yield from self._wait(path))) == "]":
            self.place += 1
            return
        while True:
            yield from self.read_value(items, len(items), (*path, len(items)), depth + 1, born=born)
            if not (yield from self._goes_on("]", path)):
                return

    def _goes_on(self, end: str, path: JsonPath) -> Generator[JsonPath, None, bool]:
        sign = self._peek() or (yield from self._wait(path))
        if sign not in {",", end}:
            raise _FaultError(self.place, f"Expected a comma or {end!r}")
        self.place += 1
        return sign == ","

    def _read_string(self, grow: Callable[[str], None], path: JsonPath) -> Waits:
        """Read a string. Call `grow` with each part of its text as it arrives."""
        self.place += 1
        half = ""  # the first half of a surrogate pair at the end of the text
        while True:
            found = cast("re.Match[str]", _CHARACTERS.match(self.text, self.place))
            words = half + json.loads(f'"{found[0]}"')
            self.place = found.end()
            is_closed = self.text.startswith('"', self.place)
            half = words[-1:] if "\ud800" <= words[-1:] <= "\udbff" and not is_closed else ""
            grow(_mend(words.removesuffix(half) if half else words))
            if is_closed:
                self.place += 1
                return
            if self.place < len(self.text) and not _PART_OF_ESCAPE.match(self.text, self.place):
                raise _FaultError(self.place, "A string has a character that must be escaped")
            yield from self._hold(path)

    def _read_number(self, put: Callable[[Any], None], path: JsonPath) -> Waits:
        shown: int | float | None = None
        while True:
            found = _NUMBER.match(self.text, self.place)
            at_end = found is not None and found.end() == len(self.text)
            may_grow = not self.final and (at_end or _PART_OF_NUMBER.match(self.text, self.place) is not None)
            if found is not None:
                number = _number(found[0], self.place)
                if shown is None or (type(shown), shown) != (type(number), number):
                    put(number)
                    shown = number
                if not may_grow:
                    self.place = found.end()
                    return
            elif not may_grow:
                raise _FaultError(self.place, "Expected a number")
            yield path

    def _read_word(self, put: Callable[[Any], None], path: JsonPath) -> Waits:
        while True:
            for word, value in _WORDS:
                if self.text.startswith(word, self.place):
                    self.place += len(word)
                    put(value)
                    return
            rest = self.text[self.place : self.place + len("false")]
            if not any(word.startswith(rest) for word, _ in _WORDS):
                raise _FaultError(self.place, "Expected a value")
            yield from self._hold(path)

    def _peek(self) -> str:
        """Skip blanks, and return the next character, "" at the end of the text."""
        blanks = _BLANKS.match(self.text, self.place)
        self.place = blanks.end() if blanks else self.place
        return self.text[self.place] if self.place < len(self.text) else ""

    def _wait(self, path: JsonPath) -> Generator[JsonPath, None, str]:
        """Wait for the next character that is not blank, and return it."""
        while True:
            yield from self._hold(path)
            if sign := self._peek():
                return sign

    def _hold(self, path: JsonPath) -> Waits:
        """Wait for more text."""
        if self.final:
            raise _EndedError(path)
        yield path


def _number(text: str, place: int) -> int | float:
    try:
        value: int | float = json.loads(text)
    except ValueError:  # Python refuses to read integers of more than some thousand digits
        raise _FaultError(place, _TOO_LARGE) from None
    if abs(value) > sys.float_info.max:
        raise _FaultError(place, _TOO_LARGE)
    return value


def _mend(words: str) -> str:
    """Replace lone surrogates: JSON can contain them, but UTF-8 text cannot."""
    return words if words.isascii() else words.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
