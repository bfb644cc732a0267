"""Cuts a filter line into tokens with their positions. It never fails: an invalid text is a token too, the last one.

Tokens are cut on demand, so nothing is cut after the first error of a line.

A filter ends at the colon that starts a command: the first one outside quotes and parentheses. The command after the
colon has different tokens: words, strings and flags.

    >>> [(token.kind.name, token.text) for token in tokenize("s>=2")]
    [('WORD', 's'), ('COMPARISON', '>='), ('NUMBER', '2'), ('END', '')]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

MAX_LENGTH = 4_000
"""Maximum length of a line in characters: enough for a pasted paragraph, and short enough to be read quickly."""


class TokenKind(Enum):
    """The kind of a token.

    `UNCLOSED`, `UNKNOWN`, `UNUSABLE` and `TOO_LONG` are invalid: the rest of the line cannot be read.
    """

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
    FLAG = auto()
    END = auto()
    UNCLOSED = auto()
    UNKNOWN = auto()
    UNUSABLE = auto()
    TOO_LONG = auto()


class Token(NamedTuple):
    """A piece of a filter line, from position `start` up to, but not including, `end`.

    The text of a string includes its quotes.
    """

    kind: TokenKind
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def content(self) -> str:
        """The text between the quotes of a string. Escapes are not resolved."""
        return self.text[1:-1]


STRING = r"""'[^'\\]*+(?:\\.[^'\\]*+)*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+\""""
"""A string in quotes. The quantifiers are possessive, so a missing closing quote takes only one pass over the line."""

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

_COMMAND_TOKEN = re.compile(
    rf"""\s++
    | (?P<FLAG>--[\w-]*+=?)
    | (?P<STRING>{STRING})
    | (?P<WORD>[^\s'"\\]++)
    | (?P<UNCLOSED>['"])
    | (?P<UNKNOWN>.)""",
    re.VERBOSE | re.DOTALL,
)

_UNUSABLE = re.compile("[\x00\ud800-\udfff]")
"""Characters that cannot be stored or sent."""


def tokenize(line: str) -> Iterator[Token]:
    """Yield the tokens of a filter. The last token is `END`, `COLON` or an invalid one."""
    depth = 0
    for token in _cut(line, _TOKEN, 0):
        yield token
        depth += (token.kind is TokenKind.OPEN) - (token.kind is TokenKind.CLOSE)
        if token.kind is TokenKind.COLON and depth == 0:
            return


def tokenize_command(line: str, start: int) -> Iterator[Token]:
    """Return the words, strings and flags of a command. The last token is `END` or an invalid one."""
    return _cut(line, _COMMAND_TOKEN, start)


def _cut(line: str, rules: re.Pattern[str], start: int) -> Iterator[Token]:
    text, last = _usable_part(line)
    for found in rules.finditer(text, start):
        if found.lastgroup is not None:
            token = Token(TokenKind[found.lastgroup], found.group(), found.start())
            if token.kind in _FAULTS:
                yield _first_fault(token, last)
                return
            yield token
    yield last


_FAULTS = frozenset({TokenKind.UNCLOSED, TokenKind.UNKNOWN})


def _first_fault(token: Token, last: Token) -> Token:
    """Return the invalid token to report.

    If the readable part of the line ends inside a string, the reason why it ends there is reported, not the missing
    quote.
    """
    return last if token.kind is TokenKind.UNCLOSED and last.kind is not TokenKind.END else token


def _usable_part(line: str) -> tuple[str, Token]:
    """Return the readable beginning of the line, and a token that says why it ends there."""
    text = line[:MAX_LENGTH]
    if unusable := _UNUSABLE.search(text):
        return text[: unusable.start()], Token(TokenKind.UNUSABLE, unusable.group(), unusable.start())
    if len(line) > MAX_LENGTH:
        return text, Token(TokenKind.TOO_LONG, line[MAX_LENGTH], MAX_LENGTH)
    return text, Token(TokenKind.END, "", len(text))
