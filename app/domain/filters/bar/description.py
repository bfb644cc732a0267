"""The sentence: what a filter selects, in plain words. Two filters with the same sentence select the same pairs.

A negation is said where it applies ("not flagged", "beyond the context boundary"), so a sentence never says "not (…)":
a negated group turns into its parts negated, as logic has it. Commas mean that all of it holds.

>>> from app.domain.filters.parser.parser import parse_filter
>>> describe_filter(parse_filter("t'AI...' s>=2"))
'pairs under AI and below, with 2 or more stars'
>>> describe_filter(parse_filter("!(b|o) (m'claude*' | r3)"))
'pairs not flagged, beyond the context boundary, either answered by claude* or among the last 3'
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import assert_never

from app.domain.filters.bar.words import Say, say_english
from app.domain.filters.language.quoting import quote_pattern, quote_text
from app.domain.filters.language.syntax import (
    Age,
    Agent,
    And,
    Answered,
    Asked,
    Attached,
    CacheHit,
    CalledTool,
    ChosenTopic,
    Contains,
    Day,
    Everything,
    Expression,
    Failed,
    Filter,
    Flagged,
    InContext,
    Leaf,
    Marked,
    Model,
    Not,
    Op,
    Or,
    Recent,
    RecentOfTopic,
    Saved,
    Stars,
    Tokens,
    Topic,
)
from app.domain.pattern import Pattern


def describe_filter(tree: Filter, say: Say = say_english) -> str:
    """What the filter selects, in the words of `say`."""
    if isinstance(tree, Everything):
        return say("all")
    match _said(tree, say, negated=False):
        case _Either(options):
            sign = ";" if any(isinstance(option, _All) for option in options) else ","
            return say("pairs", what=f"{sign} {say('or')} ".join(_say(option, say) for option in options))
        case said:
            return say("pairs", what=_say(said, say))


# --- how phrases are joined ---


@dataclass(frozen=True, slots=True)
class _All:
    parts: tuple[str | _Either, ...]


@dataclass(frozen=True, slots=True)
class _Either:
    options: tuple[str | _All, ...]


def _said(tree: Expression, say: Say, *, negated: bool) -> str | _All | _Either:
    """The tree as phrases, with negations moved to the phrases and groups of the same kind made one."""
    match tree:
        case Not(term):
            return _said(term, say, negated=not negated)
        case And(terms) | Or(terms):
            parts = [_said(term, say, negated=negated) for term in terms]
            if isinstance(tree, And) is not negated:
                return _All(tuple(p for part in parts for p in (part.parts if isinstance(part, _All) else (part,))))
            return _Either(tuple(o for part in parts for o in (part.options if isinstance(part, _Either) else (part,))))
        case _:
            return _phrase(tree, say, negated=negated)


def _say(said: str | _All | _Either, say: Say) -> str:
    match said:
        case str():
            return said
        case _All(parts):
            return ", ".join(_say(part, say) for part in parts)
        case _Either(options):
            joined = (f"({_say(o, say)})" if isinstance(o, _All) else o for o in options)
            return say("either", options=f" {say('or')} ".join(joined))


# --- phrases ---


def _phrase(term: Leaf, say: Say, *, negated: bool) -> str:  # noqa: C901, PLR0912 — one case per predicate
    no = "not_" if negated else ""
    match term:
        case Topic(names, below):
            return say(f"{no}topic{'_below' if below else ''}", path=" > ".join(map(_name, names)))
        case ChosenTopic():
            return say(f"{no}chosen_topic")
        case RecentOfTopic(count):
            return say("among_chosen", among=_among_last(count, say, negated=negated))
        case Stars(op, stars):
            return say(f"stars_{_compare(op, negated=negated)}", count=stars)
        case Recent(count):
            return _among_last(count, say, negated=negated)
        case Flagged(flagged):
            return say("flagged" if flagged is not negated else "not_flagged")
        case Marked(mark):
            return say(f"{no}marked", mark=mark)
        case Model(name):
            return say(f"{no}model", name=_name(name)) if name else say(f"{no}chosen_model")
        case Age(op, count, unit):
            return say(f"age_{_compare(op, negated=negated)}", amount=say(unit.name.lower(), count=count))
        case Day(op, day):
            written = say("date", day=day.day, month=say(f"month_{day.month}"), year=str(day.year))
            return say(f"day_{_compare(op, negated=negated)}", day=written)
        case Contains(text):
            return say(f"{no}containing", text=_searched(text, say))
        case Attached():
            return say(f"{no}attached")
        case Failed():
            return say(f"{no}failed")
        case CalledTool(name):
            return say(f"{no}called", name=_name(name)) if name else say(f"{no}called_any")
        case Tokens(op, tokens):
            return say(f"tokens_{_compare(op, negated=negated)}", count=tokens)
        case Agent(name):
            return say(f"{no}agent", name=_name(name)) if name else say(f"{no}chosen_agent")
        case Asked():
            return say(f"{no}asked")
        case Answered():
            return say(f"{no}answered")
        case CacheHit():
            return say(f"{no}cached")
        case InContext(0):
            return say(f"{no}context")
        case InContext(extra):
            return say(f"{no}context_and", count=extra)
        case Saved(name):
            return say(f"{no}saved", name=name)
        case _:
            assert_never(term)


_COMPARED: Mapping[Op, str] = MappingProxyType(
    {Op.EQUAL: "equal", Op.LESS: "less", Op.AT_MOST: "at_most", Op.MORE: "more", Op.AT_LEAST: "at_least"}
)
_NEGATED: Mapping[Op, str] = MappingProxyType(
    {Op.EQUAL: "unequal", Op.LESS: "at_least", Op.AT_MOST: "more", Op.MORE: "at_most", Op.AT_LEAST: "less"}
)
"""What a comparison is when it is negated."""


def _compare(op: Op, *, negated: bool) -> str:
    return (_NEGATED if negated else _COMPARED)[op]


def _among_last(count: int, say: Say, *, negated: bool) -> str:
    no = "not_" if negated else ""
    return say(f"{no}last") if count == 1 else say(f"{no}among_last", count=count)


def _searched(text: Pattern, say: Say) -> str:
    quoted = (quote_text(piece, '"') for piece in text.pieces if piece)
    return f" {say('and_then')} ".join(quoted) or say("anything")


_PLAIN = re.compile(r"[\w.+#/&:*-]+( [\w.+#/&:*-]+)*")
_SENTENCE_WORDS = frozenset({"and", "or", "the", "now"})


def _name(name: Pattern) -> str:
    """The name as it is, in quotes if it could be taken for a part of the sentence."""
    text = "*".join(name.pieces)
    is_plain = _PLAIN.fullmatch(text) and _SENTENCE_WORDS.isdisjoint(text.split(" "))
    return text if is_plain and "*" not in "".join(name.pieces) else quote_pattern(name)
