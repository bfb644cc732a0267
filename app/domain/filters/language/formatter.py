"""Writes a filter tree as text: in the shortest form, or in the long form, which is easier to read.

>>> from app.domain.filters.language.parser import parse_filter
>>> tree = parse_filter("s>=2&(topic 'AI...'|g)")
>>> format_filter(tree), format_filter(tree, long=True)
("s>=2 (t'AI...' | g)", "stars >= 2 & (topic 'AI...' | unflagged)")
"""

from __future__ import annotations

from types import UnionType
from typing import NamedTuple, assert_never

from app.domain.conversation.conversation import Mark
from app.domain.filters.language.predicates import PREDICATES, Name
from app.domain.filters.language.quoting import quote_pattern, quote_topic
from app.domain.filters.language.syntax import (
    Age,
    AgentTerm,
    And,
    AttachmentTerm,
    ChosenTopic,
    Contains,
    DayTerm,
    Everything,
    Expression,
    FailedTerm,
    Filter,
    Flagged,
    InContext,
    MarkTerm,
    ModelTerm,
    Not,
    Op,
    Or,
    Predicate,
    Recent,
    RecentOfTopic,
    Saved,
    Stars,
    TokensTerm,
    ToolCallTerm,
    TopicTerm,
)
from app.domain.text.pattern import Pattern


def format_filter(tree: Filter, *, long: bool = False) -> str:
    """Return the text of this filter tree. Parsing the text returns an equal tree."""
    match tree:
        case Everything():
            return ""
        case Or(terms):
            return " | ".join(format_filter(term, long=long) for term in terms)
        case And(terms):
            return (" & " if long else " ").join(_operand(term, Or, long=long) for term in terms)
        case Not(term):
            return f"!{_operand(term, And | Or, long=long)}"
        case Saved(name):
            return f"@{name}"
        case _:
            return _predicate(tree, long=long)


def _operand(term: Expression, looser: type[Or] | UnionType, *, long: bool) -> str:
    text = format_filter(term, long=long)
    return f"({text})" if isinstance(term, looser) else text


class _Words(NamedTuple):
    """The parts of a predicate as text. `implied` is the comparison that is left out in the short form."""

    name: Name
    value: str = ""
    op: Op | None = None
    implied: Op = Op.EQUAL


def _predicate(term: Predicate | InContext, *, long: bool) -> str:
    words = _words(term)
    if long:
        return " ".join(filter(None, (words.name, words.op, words.value)))
    op = "" if words.op in {None, words.implied} else words.op
    return f"{PREDICATES[words.name].short}{op}{words.value}"


def _words(term: Predicate | InContext) -> _Words:  # noqa: C901, PLR0912 — one case per predicate
    match term:
        case TopicTerm():
            return _Words(Name.TOPIC, quote_topic(term))
        case ChosenTopic():
            return _Words(Name.TOPIC)
        case RecentOfTopic(count):
            return _Words(Name.TOPIC, str(count))
        case Stars(op, stars):
            return _Words(Name.STARS, str(stars), op)
        case Recent(count):
            return _Words(Name.RECENT, str(count))
        case Flagged(flagged):
            return _Words(Name.FLAGGED if flagged else Name.UNFLAGGED)
        case MarkTerm(mark):
            return _Words(Name.IN if mark is Mark.IN else Name.OUT)
        case ModelTerm(name):
            return _Words(Name.MODEL, _pattern(name))
        case Age(op, count, unit):
            return _Words(Name.DATE, f"{count}{unit}", op, implied=Op.AT_MOST)
        case DayTerm(op, day):
            return _Words(Name.DATE, day.isoformat(), op)
        case Contains(text):
            return _Words(Name.TEXT, quote_pattern(text))
        case AttachmentTerm():
            return _Words(Name.IMAGES)
        case FailedTerm():
            return _Words(Name.ERRORS)
        case ToolCallTerm(name):
            return _Words(Name.TOOL, _pattern(name))
        case TokensTerm(op, tokens):
            return _Words(Name.TOKENS, str(tokens), op)
        case AgentTerm(name):
            return _Words(Name.AGENT, _pattern(name))
        case InContext(extra):
            return _Words(Name.CONTEXT, str(extra or ""))
        case _:
            assert_never(term)


def _pattern(name: Pattern | None) -> str:
    return "" if name is None else quote_pattern(name)
