"""A line cut into tokens, each with its place. Never fails: what cannot be used is a token too, and always the last.

Lexing stops at the colon that starts a command (the first outside quotes and parentheses): what follows is read by
`command_parser.py`, by other rules.

    >>> [(token.kind.name, token.text) for token in tokenize("s>=2")]
    [('WORD', 's'), ('COMPARISON', '>='), ('NUMBER', '2'), ('END', '')]
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import NamedTuple

MAX_LENGTH = 10_000
"""Characters of a line at most: room for a pasted paragraph, and a bound on what reading it can cost."""


class Kind(Enum):
    """What a token is. The last four mean that the line cannot be used from there on."""

    WORD = auto()
    NUMBER = auto()
    DAY = auto()
    STRING = auto()
    COMPARISON = auto()
    SAVED = auto()
    NOT = auto()
    AND = auto()
    OR = auto()
    OPEN = auto()
    CLOSE = auto()
    COLON = auto()
    END = auto()
    UNCLOSED = auto()
    UNKNOWN = auto()
    UNUSABLE = auto()
    TOO_LONG = auto()


class Token(NamedTuple):
    """A piece of the line, from `start` up to `end`. A string's text has its quotes."""

    kind: Kind
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def content(self) -> str:
        """What stands between the quotes of a string, escapes as they are written."""
        return self.text[1:-1]


STRING = r"""'[^'\\]*+(?:\\.[^'\\]*+)*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+\""""
"""A string in quotes. Possessive, so that a quote that is never closed costs one look at the line."""

_TOKEN = re.compile(
    rf"""\s++
    | (?P<WORD>[^\W\d_]++)
    | (?P<DAY>[0-9]++-[0-9-]*+)
    | (?P<NUMBER>[0-9]++)
    | (?P<STRING>{STRING})
    | (?P<COMPARISON>[<>]=?|=)
    | (?P<SAVED>@[\w-]*+)
    | (?P<NOT>!) | (?P<AND>&) | (?P<OR>[|+]) | (?P<OPEN>\() | (?P<CLOSE>\)) | (?P<COLON>:)
    | (?P<UNCLOSED>['"])
    | (?P<UNKNOWN>.)""",
    re.VERBOSE | re.DOTALL,
)

_UNUSABLE = re.compile("[\x00\ud800-\udfff]")
"""Characters that no database and no wire can carry."""


def tokenize(line: str) -> list[Token]:
    """The tokens of a filter; the last is `END`, `COLON` or one that cannot be used."""
    text, last = _usable(line)
    tokens: list[Token] = []
    depth = 0
    for found in _TOKEN.finditer(text):
        if found.lastgroup is None:
            continue
        token = Token(Kind[found.lastgroup], found.group(), found.start())
        match token.kind:
            case Kind.UNCLOSED if last.kind is not Kind.END:
                break  # the string was cut where the line becomes unusable: that is the fault, not the quote
            case Kind.UNCLOSED | Kind.UNKNOWN:
                return [*tokens, token]
            case Kind.COLON if depth == 0:
                return [*tokens, token]
            case Kind.OPEN:
                depth += 1
            case Kind.CLOSE:
                depth -= 1
            case _:
                pass
        tokens.append(token)
    return [*tokens, last]


def _usable(line: str) -> tuple[str, Token]:
    """The line as far as it can be read, and the token that stands where it cannot."""
    text = line[:MAX_LENGTH]
    if unusable := _UNUSABLE.search(text):
        return text[: unusable.start()], Token(Kind.UNUSABLE, unusable.group(), unusable.start())
    if len(line) > MAX_LENGTH:
        return text, Token(Kind.TOO_LONG, line[MAX_LENGTH], MAX_LENGTH)
    return text, Token(Kind.END, "", len(text))
