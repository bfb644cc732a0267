"""Describes in plain words the pairs that a filter selects.

Two filters with the same description select the same pairs.

A negation is written with the term that it negates ("not flagged", "beyond the context boundary"), so a description
never has "not (…)". A negated group becomes a group of negated terms, by De Morgan's laws. Commas mean "and".

>>> from app.domain.filters.language.parser import parse_filter
>>> describe_filter(parse_filter("t'AI...' s>=2"))
'pairs under AI and below, with 2 or more stars'
>>> describe_filter(parse_filter("!(b|o) (m'claude*' | r3)"))
'pairs not flagged, beyond the context boundary, either answered by claude* or among the last 3'
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import assert_never

from app.domain.filters.language.quoting import quote_pattern, quote_text
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
    Leaf,
    MarkTerm,
    ModelTerm,
    Not,
    Op,
    Or,
    Recent,
    RecentOfTopic,
    Saved,
    Stars,
    TokensTerm,
    ToolCallTerm,
    TopicTerm,
    Unit,
)
from app.domain.text.pattern import Pattern


def describe_filter(tree: Filter) -> str:
    """Describe the pairs that the filter selects."""
    if isinstance(tree, Everything):
        return "all pairs"
    match _phrase_of(tree, negated=False):
        case _Either(options):
            joint = "; or " if any(isinstance(option, _All) for option in options) else ", or "
            return f"pairs {joint.join(map(_say, options))}"
        case phrase:
            return f"pairs {_say(phrase)}"


# --- how phrases are joined ---


@dataclass(frozen=True, slots=True)
class _All:
    parts: tuple[str | _Either, ...]


@dataclass(frozen=True, slots=True)
class _Either:
    options: tuple[str | _All, ...]


def _phrase_of(tree: Expression, *, negated: bool) -> str | _All | _Either:
    """Return the tree as phrases. A negation moves into the phrases, and nested groups of the same kind are merged."""
    match tree:
        case Not(term):
            return _phrase_of(term, negated=not negated)
        case And(terms) | Or(terms):
            parts = [_phrase_of(term, negated=negated) for term in terms]
            if isinstance(tree, And) is not negated:
                return _All(tuple(p for part in parts for p in (part.parts if isinstance(part, _All) else (part,))))
            return _Either(tuple(o for part in parts for o in (part.options if isinstance(part, _Either) else (part,))))
        case _:
            return _phrase(tree, negated=negated)


def _say(phrase: str | _All | _Either) -> str:
    match phrase:
        case str():
            return phrase
        case _All(parts):
            return ", ".join(map(_say, parts))
        case _Either(options):
            return f"either {' or '.join(f'({_say(o)})' if isinstance(o, _All) else o for o in options)}"


# --- phrases ---


def _phrase(term: Leaf, *, negated: bool) -> str:  # noqa: C901, PLR0912 — one case per predicate
    no = "not " if negated else ""
    match term:
        case TopicTerm(names, below):
            path = " > ".join(map(_name, names))
            return f"{no}under {path}" + (f" {'or' if negated else 'and'} below" if below else "")
        case ChosenTopic():
            return f"{no}under the chosen topic"
        case RecentOfTopic(count):
            return f"{_among_last(count, negated=negated)} under the chosen topic and its subtopics"
        case Stars(op, stars):
            return f"with {_counted(_AMOUNTS, op, stars, 'star', negated=negated)}"
        case Recent(count):
            return _among_last(count, negated=negated)
        case Flagged(flagged):
            return "flagged" if flagged is not negated else "not flagged"
        case MarkTerm(mark):
            return f"{no}tagged “{mark.tag}”"
        case ModelTerm(name):
            return f"{no}answered by {_name(name) if name else 'the chosen model'}"
        case Age(op, count, unit):
            return _counted(_AGES, op, count, _UNITS[unit], negated=negated)
        case DayTerm(op, day):
            return _dated(op, day, negated=negated)
        case Contains(text):
            return f"{no}containing {_searched(text)}"
        case AttachmentTerm():
            return "without an image or file" if negated else "with an image or file"
        case FailedTerm():
            return "without an error" if negated else "with an error"
        case ToolCallTerm(name):
            return f"that {'did not call' if negated else 'called'} {f'the tool {_name(name)}' if name else 'a tool'}"
        case TokensTerm(op, tokens):
            return f"costing {_counted(_AMOUNTS, op, tokens, 'token', negated=negated)}"
        case AgentTerm(name):
            return f"{no}answered under {f'the agent {_name(name)}' if name else 'the chosen agent'}"
        case InContext(0):
            return "beyond the context boundary" if negated else "within the context boundary"
        case InContext(extra):
            within = f"within the context boundary or at most {extra:,} beyond it"
            return f"more than {extra:,} beyond the context boundary" if negated else within
        case Saved(name):
            return f"{no}matching @{name}"
        case _:
            assert_never(term)


_NEGATED: Mapping[Op, Op | None] = MappingProxyType(
    {Op.EQUAL: None, Op.LESS: Op.AT_LEAST, Op.AT_MOST: Op.MORE, Op.MORE: Op.AT_MOST, Op.AT_LEAST: Op.LESS}
)
"""The negation of each comparison; None for "unequal", which has no operator."""

_AMOUNTS: Mapping[Op | None, str] = MappingProxyType(
    {
        Op.EQUAL: "{amount}",
        None: "other than {amount}",
        Op.LESS: "fewer than {amount}",
        Op.AT_MOST: "at most {amount}",
        Op.MORE: "more than {amount}",
        Op.AT_LEAST: "{value:,} or more {noun}s",
    }
)

_AGES: Mapping[Op | None, str] = MappingProxyType(
    {
        Op.EQUAL: "exactly {amount} old",
        None: "not exactly {amount} old",
        Op.LESS: "less than {amount} old",
        Op.AT_MOST: "from the last {amount}",
        Op.MORE: "more than {amount} old",
        Op.AT_LEAST: "at least {amount} old",
    }
)

_DAYS: Mapping[Op | None, str] = MappingProxyType(
    {Op.EQUAL: "from", None: "not from", Op.LESS: "before", Op.AT_MOST: "up to", Op.MORE: "after", Op.AT_LEAST: "since"}
)

_UNITS: Mapping[Unit, str] = MappingProxyType(
    {
        Unit.MINUTE: "minute",
        Unit.HOUR: "hour",
        Unit.DAY: "day",
        Unit.WEEK: "week",
        Unit.MONTH: "month",
        Unit.YEAR: "year",
    }
)

_MONTHS = (
    "",  # months count from 1
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def _counted(templates: Mapping[Op | None, str], op: Op, value: int, noun: str, *, negated: bool) -> str:
    amount = f"{value:,} {noun}{'' if value == 1 else 's'}"
    return templates[_NEGATED[op] if negated else op].format(amount=amount, value=value, noun=noun)


def _dated(op: Op, day: date, *, negated: bool) -> str:
    return f"{_DAYS[_NEGATED[op] if negated else op]} {day.day} {_MONTHS[day.month]} {day.year}"


def _among_last(count: int, *, negated: bool) -> str:
    if count == 1:
        return "other than the last" if negated else "that came last"
    return f"{'not ' if negated else ''}among the last {count:,}"


def _searched(text: Pattern) -> str:
    return " and then ".join(quote_text(piece, '"') for piece in text.pieces if piece) or "anything"


_PLAIN = re.compile(r"[\w.+#/&:*-]+( [\w.+#/&:*-]+)*")
_SENTENCE_WORDS = frozenset({"and", "or", "the", "now"})


def _name(name: Pattern) -> str:
    """Return the name, in quotes if it could be mistaken for other words of the description."""
    text = "*".join(name.pieces)
    is_plain = _PLAIN.fullmatch(text) and _SENTENCE_WORDS.isdisjoint(text.split(" "))
    return text if is_plain and "*" not in "".join(name.pieces) else quote_pattern(name)
