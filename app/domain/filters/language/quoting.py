r"""Reads and writes strings in quotes: a text, a pattern or a topic path.

A backslash makes the next character literal, so `\*` is a star, and `\>` does not separate the names of a path. (`\n`,
`\t` and `\r` are line break, tab and carriage return.) Blanks at the ends are removed, except escaped ones.

    >>> read_pattern(r"mad*\*d").pieces
    ('mad', '*d')
    >>> quote_pattern(Pattern(("mad", "*d")))
    "'mad*\\*d'"
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from app.domain.filters.language.syntax import TopicTerm
from app.domain.text.pattern import Pattern

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_WRITTEN = {"\n": r"\n", "\t": r"\t", "\r": r"\r"}
_BELOW = "..."


class _Character(NamedTuple):
    text: str
    escaped: bool


def read_text(content: str) -> str:
    """Return the text that is written between quotes, with escapes resolved."""
    return "".join(character.text for character in _characters(content))


def read_pattern(content: str) -> Pattern | None:
    """Return the pattern that is written between quotes, or None if the quotes are empty."""
    return _pattern(_characters(content))


def read_topic(content: str) -> TopicTerm | None:
    """Return the topic path that is written between quotes, or None if one of its names is empty."""
    characters = _trim(_characters(content))
    below = len(characters) >= len(_BELOW) and all(dot == (".", False) for dot in characters[-len(_BELOW) :])
    if below:
        characters = characters[: -len(_BELOW)]
    names = [_pattern(_trim(name)) for name in _split(characters, ">")]
    found = tuple(name for name in names if name is not None)
    return TopicTerm(found, below) if len(found) == len(names) else None


def quote_text(text: str, mark: str = "") -> str:
    """Write a text in quotes. `mark` is the kind of quote; "" chooses the kind that needs fewer escapes."""
    mark = mark or _mark(text)
    return f"{mark}{_escape(text, mark)}{mark}"


def quote_pattern(pattern: Pattern) -> str:
    """Write a pattern in quotes."""
    mark = _mark("".join(pattern.pieces))
    return f"{mark}{_write_pattern(pattern, mark)}{mark}"


def quote_topic(topic: TopicTerm) -> str:
    """Write the path of a topic in quotes."""
    mark = _mark("".join(piece for name in topic.names for piece in name.pieces))
    path = " > ".join(_write_name(name, mark) for name in topic.names)
    if topic.below:
        path += _BELOW
    elif path.endswith(_BELOW):
        path = rf"{path[:-1]}\."
    return f"{mark}{path}{mark}"


def _characters(content: str) -> list[_Character]:
    found: list[_Character] = []
    source = iter(content)
    for text in source:
        if text == "\\":
            escaped = next(source, text)  # a backslash at the end, because the person is still typing
            found.append(_Character(_ESCAPES.get(escaped, escaped), escaped=True))
        else:
            found.append(_Character(text, escaped=False))
    return found


def _split(characters: Sequence[_Character], separator: str) -> list[list[_Character]]:
    parts: list[list[_Character]] = [[]]
    for character in characters:
        if character == (separator, False):
            parts.append([])
        else:
            parts[-1].append(character)
    return parts


def _trim(characters: Sequence[_Character]) -> Sequence[_Character]:
    kept = [place for place, (text, escaped) in enumerate(characters) if escaped or not text.isspace()]
    return characters[kept[0] : kept[-1] + 1] if kept else ()


def _pattern(characters: Sequence[_Character]) -> Pattern | None:
    first, *others = ("".join(text for text, _ in piece) for piece in _split(characters, "*"))
    if not others:
        return Pattern((first,)) if first else None
    *inner, last = others
    return Pattern((first, *filter(None, inner), last))


def _mark(text: str) -> str:
    return '"' if "'" in text and '"' not in text else "'"


def _escape(text: str, special: str) -> str:
    return "".join(f"\\{c}" if c in special or c == "\\" else _WRITTEN.get(c, c) for c in text)


def _write_pattern(pattern: Pattern, special: str) -> str:
    return "*".join(_escape(piece, f"{special}*") for piece in pattern.pieces)


def _write_name(name: Pattern, mark: str) -> str:
    written = _write_pattern(name, f"{mark}>")
    return re.sub(r"\A\s|\s\Z", r"\\\g<0>", written)
