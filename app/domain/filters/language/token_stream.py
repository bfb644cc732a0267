"""The tokens of a filter line that the parser has not read yet, and the error for an unexpected token."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from app.domain.filters.language.errors import FilterError
from app.domain.filters.language.lexer import MAX_LENGTH, Token, TokenKind, tokenize

_QUOTES = "Quotes are ' or \"."

INSTEAD: Mapping[str, str] = MappingProxyType(
    {
        "and": 'Write "&" or a space.',
        "or": 'Write "|".',
        "not": 'Write "!".',
        "&": 'One "&" is enough.',
        "|": 'One "|" is enough.',
        "=": 'Comparisons are = < <= > >=. For unequal, write "!" before the filter word, as in !s2.',
        "!": 'For unequal, write "!" before the filter word, as in !s2.',
        ":": "Write a command after the whole filter, outside parentheses.",
        "≤": 'Write "<=".',
        "≥": 'Write ">=".',
        "≠": 'Write "!" before the filter word, as in !s2.',
        "~": 'Write "!".',
        "-": 'Write "!" to leave something out. Write a day as 2025-01-31.',
        ",": 'Write "&" or a space for and, "|" for or.',
        ";": 'Write "&" or a space for and, "|" for or.',
        "*": "Write a star inside quotes, as in t'*Learning'.",
        "#": "Write a topic as t'AI'.",
        "/": "A command starts with a colon, as in :export.",
        "\N{LEFT SINGLE QUOTATION MARK}": _QUOTES,
        "\N{RIGHT SINGLE QUOTATION MARK}": _QUOTES,
        "“": _QUOTES,
        "”": _QUOTES,
        "`": _QUOTES,
    }
)
"""Hints for words and characters that people know from other languages or type on phones."""


class TokenStream:
    """The tokens of a line, read one after the other. `next` is the next token, which is not taken yet.

    A part of the token that was taken last can be returned to the stream (`split`).
    """

    def __init__(self, line: str) -> None:
        self._coming = tokenize(line)
        self.next = next(self._coming)
        self._after: Token | None = None

    def take(self) -> Token:
        """Take the next token. The last token of a line can be taken again and again."""
        taken = self.next
        self.next, self._after = self._after or next(self._coming, taken), None
        return taken

    def take_if(self, kind: TokenKind) -> Token | None:
        return self.take() if self.next.kind is kind else None

    def split(self, token: Token, length: int) -> Token:
        """Return the first `length` characters of the token that was just taken. The rest becomes the next token."""
        if rest := token.text[length:]:
            self.next, self._after = Token(token.kind, rest, token.start + length), self.next
        return Token(token.kind, token.text[:length], token.start)


def refuse(token: Token, expected: str, hint: str = "") -> FilterError:
    """Return the error for an unexpected token."""
    match token.kind:
        case TokenKind.UNCLOSED:
            return FilterError(token.start, token.text, f"a closing {token.text} after it")
        case TokenKind.UNUSABLE:
            return FilterError(token.start, token.text, "a character that can be stored", "Delete it.")
        case TokenKind.TOO_LONG:
            return FilterError(token.start, token.text, f"a line of at most {MAX_LENGTH:,} characters")
        case _:
            return FilterError(token.start, token.text, expected, hint or INSTEAD.get(token.text.lower(), ""))
