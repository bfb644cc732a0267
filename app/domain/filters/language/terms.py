"""Reads one predicate with its argument.

White space is allowed between a name and its argument. Several short names can be written together if an argument
follows the last one: `bs2` is `b s2`. Without an argument, consecutive letters are one word. A word that is no
predicate is an error: it is not split, and it is not searched for.

    >>> tokens = TokenStream("d<7d")
    >>> read_term(tokens.take(), tokens)
    Age(op=<Op.LESS: '<'>, count=7, unit=<Unit.DAY: 'd'>)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from difflib import get_close_matches
from types import MappingProxyType

from app.domain.conversation.conversation import Mark
from app.domain.filters.language.errors import FilterError
from app.domain.filters.language.lexer import Token, TokenKind
from app.domain.filters.language.predicates import MAX_NUMBER, MAX_STARS, NAMES, PREDICATES, Name, Takes
from app.domain.filters.language.quoting import quote_text, read_pattern, read_topic
from app.domain.filters.language.syntax import (
    Age,
    AgentTerm,
    AttachmentTerm,
    ChosenTopic,
    Contains,
    DayTerm,
    FailedTerm,
    Flagged,
    InContext,
    Leaf,
    MarkTerm,
    ModelTerm,
    Op,
    Recent,
    RecentOfTopic,
    Saved,
    Stars,
    TokensTerm,
    ToolCallTerm,
    TopicTerm,
    Unit,
)
from app.domain.filters.language.token_stream import INSTEAD, TokenStream, refuse
from app.domain.text.pattern import Pattern

A_PREDICATE = f"a filter word ({', '.join(row.name for row in PREDICATES.values())})"

_ARGUMENTS = frozenset({TokenKind.NUMBER, TokenKind.DAY, TokenKind.STRING, TokenKind.COMPARISON})

_MAX_TOGETHER = 8
"""Maximum number of short names that can be written together. More letters are one word."""

_ALONE = "|".join(row.short for row in PREDICATES.values() if row.takes is not Takes.ALWAYS)
_BEFORE_ARGUMENT = "|".join(row.short for row in PREDICATES.values() if row.takes is not Takes.NOTHING)
_TOGETHER = re.compile(rf"({_ALONE})(?=(?:{_ALONE})*(?:{_BEFORE_ARGUMENT})\Z)")

_UNITS = sorted(Unit, key=lambda unit: -len(unit))


def read_term(token: Token, tokens: TokenStream) -> Leaf:
    """Read the predicate or saved filter that starts with `token`, which was just taken from `tokens`.

    Raises:
        FilterError: no predicate starts here, or its argument is missing or wrong.
    """
    if token.kind is TokenKind.SAVED:
        return _read_saved(token)
    if token.kind is not TokenKind.WORD:
        raise refuse(token, A_PREDICATE)
    name = _name_at(token, tokens)
    row = PREDICATES[name]
    if row.takes is Takes.NOTHING and tokens.next.kind in _ARGUMENTS:
        raise refuse(tokens.next, f'nothing after "{token.text}", which takes no argument')
    return _READERS[name](tokens)


def _read_saved(token: Token) -> Saved:
    if not token.text[1:]:
        raise FilterError(token.start, token.text, "the name of a saved filter after it", "Write @name.")
    return Saved(token.text[1:], token.start)


# --- names ---


def _name_at(word: Token, tokens: TokenStream) -> Name:
    first = tokens.split(word, _length_of_first_name(word, tokens.next))
    if first.text not in NAMES:
        raise refuse(first, A_PREDICATE, _suggest_name(first.text))
    return NAMES[first.text]


def _starts_with_name(word: Token, following: Token) -> bool:
    return word.text[: _length_of_first_name(word, following)] in NAMES


def _length_of_first_name(word: Token, following: Token) -> int:
    """Return the length of the first name in a word.

    It is the whole word, unless the word is made of short names and an argument follows.
    """
    before_argument = following.start == word.end and following.kind in _ARGUMENTS
    if word.text not in NAMES and before_argument and len(word.text) <= _MAX_TOGETHER:
        first = _TOGETHER.match(word.text)
        return first.end() if first else len(word.text)
    return len(word.text)


def _suggest_name(word: str) -> str:
    if word.lower() in NAMES:
        return f'Filter words are lower case: write "{word.lower()}".'
    if word.lower() in INSTEAD:
        return INSTEAD[word.lower()]
    if len(word) <= _MAX_TOGETHER and set(word) <= NAMES.keys():
        return f'To mean several, write them apart: "{" ".join(word)}". To search the text, write c{quote_text(word)}.'
    if close := get_close_matches(word[:20].lower(), [name.value for name in Name], n=1, cutoff=0.7):
        return f'Did you mean "{close[0]}"?'
    return "To search the text, write c'word'."


# --- arguments ---


def _read_topic(tokens: TokenStream) -> TopicTerm | RecentOfTopic | ChosenTopic:
    if number := tokens.take_if(TokenKind.NUMBER):
        return RecentOfTopic(_number(number, "a number of pairs", least=1))
    if string := tokens.take_if(TokenKind.STRING):
        topic = read_topic(string.content)
        if topic is None:
            raise refuse(string, "a topic in the quotes", "Write t'AI' or t'AI > Planning'.")
        return topic
    return ChosenTopic()


def _read_stars(tokens: TokenStream) -> Stars:
    op = _read_op(tokens) or Op.EQUAL
    return Stars(op, _number(tokens.take(), "a number of stars", most=MAX_STARS))


def _read_recent(tokens: TokenStream) -> Recent:
    return Recent(_number(tokens.take(), "a number of pairs", least=1))


def _read_tokens(tokens: TokenStream) -> TokensTerm:
    op = _read_op(tokens) or Op.EQUAL
    return TokensTerm(op, _number(tokens.take(), "a number of tokens"))


def _read_context(tokens: TokenStream) -> InContext:
    number = tokens.take_if(TokenKind.NUMBER)
    return InContext(_number(number, "a number of pairs") if number else 0)


def _read_text(tokens: TokenStream) -> Contains:
    return Contains(_pattern(tokens.take(), "the text to search in quotes"))


def _read_optional_pattern(tokens: TokenStream) -> Pattern | None:
    string = tokens.take_if(TokenKind.STRING)
    return _pattern(string, "a name in the quotes") if string else None


def _read_date(tokens: TokenStream) -> Age | DayTerm:
    op = _read_op(tokens)
    if day := tokens.take_if(TokenKind.DAY):
        return DayTerm(op or Op.EQUAL, _day(day))
    number = tokens.take()
    count = _number(number, "an age such as 7d or a day such as 2025-01-31")
    return Age(op or Op.AT_MOST, count, _read_unit(number, tokens))


def _read_unit(number: Token, tokens: TokenStream) -> Unit:
    """Read the unit that follows the number without a blank. If there is none, the unit is days.

    The next predicate may follow without a blank too.
    """
    if tokens.next.kind is not TokenKind.WORD or tokens.next.start != number.end:
        return Unit.DAY
    word = tokens.take()
    for unit in (*_UNITS, ""):
        rest = Token(TokenKind.WORD, word.text[len(unit) :], word.start + len(unit))
        if word.text.startswith(unit) and (not rest.text or _starts_with_name(rest, tokens.next)):
            tokens.split(word, len(unit))
            return Unit(unit or Unit.DAY)
    raise refuse(word, f"a unit of age ({', '.join(Unit)}) or a filter word")


def _read_op(tokens: TokenStream) -> Op | None:
    token = tokens.take_if(TokenKind.COMPARISON)
    return Op(token.text) if token else None


# --- values ---


def _number(token: Token, what: str, *, least: int = 0, most: int = MAX_NUMBER) -> int:
    if token.kind is not TokenKind.NUMBER:
        raise refuse(token, what)
    digits = token.text.lstrip("0") or "0"  # count the digits before the conversion, because there may be thousands
    if len(digits) > len(str(MAX_NUMBER)) or not least <= int(digits) <= most:
        raise refuse(token, f"{what} from {least} to {most:,}")
    return int(digits)


def _day(token: Token) -> date:
    written = re.fullmatch(r"([0-9]{4}|[0-9]{2})-([0-9]{2})-([0-9]{2})", token.text)
    if written is None:
        raise refuse(token, "a day written like 2025-01-31 or 25-01-31")
    year, month, day = map(int, written.groups())
    try:
        return date(year + 2000 if len(written[1]) == 2 else year, month, day)
    except ValueError as impossible:
        raise refuse(token, "a day that exists") from impossible


def _pattern(token: Token, what: str) -> Pattern:
    pattern = read_pattern(token.content) if token.kind is TokenKind.STRING else None
    if pattern is None:
        raise refuse(token, what)
    return pattern


_READERS: Mapping[Name, Callable[[TokenStream], Leaf]] = MappingProxyType(
    {
        Name.TOPIC: _read_topic,
        Name.STARS: _read_stars,
        Name.RECENT: _read_recent,
        Name.FLAGGED: lambda _: Flagged(),
        Name.UNFLAGGED: lambda _: Flagged(flagged=False),
        Name.IN: lambda _: MarkTerm(Mark.IN),
        Name.OUT: lambda _: MarkTerm(Mark.OUT),
        Name.MODEL: lambda tokens: ModelTerm(_read_optional_pattern(tokens)),
        Name.DATE: _read_date,
        Name.TEXT: _read_text,
        Name.IMAGES: lambda _: AttachmentTerm(),
        Name.ERRORS: lambda _: FailedTerm(),
        Name.TOOL: lambda tokens: ToolCallTerm(_read_optional_pattern(tokens)),
        Name.TOKENS: _read_tokens,
        Name.AGENT: lambda tokens: AgentTerm(_read_optional_pattern(tokens)),
        Name.CONTEXT: _read_context,
    }
)
