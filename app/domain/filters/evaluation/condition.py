"""Conditions: a filter after all names are looked up, as a small tree of comparisons with a pair's columns.

The database turns each case into one SQL expression, the memory into one test. Both compare the same values. Two rules
keep the results equal:

- Conditions are true or false, never unknown: a pair without a topic matches no `OneOf`, but `Negated(OneOf(…))`.
- Texts are compared in the form of `pattern.fold`: `ContainsText` has folded pieces, which are searched in the result
  of `searched_text`. The store saves this text with the pair.

    >>> AllOf((Has(Fact.FLAG), CompareNumber(Number.STARS, Op.AT_LEAST, 2)))  # doctest: +ELLIPSIS
    AllOf(conditions=(Has(fact=<Fact.FLAG: 'flag'>), CompareNumber(...)))
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.domain.conversation.conversation import Pair
from app.domain.conversation.parts import plain_text
from app.domain.filters.language.syntax import Op
from app.domain.pattern import fold


class Number(StrEnum):
    """A number of a pair. `TOKENS` is its current estimate."""

    STARS = "stars"
    TOKENS = "tokens"


class Key(StrEnum):
    """A name or id of a pair. Only `ID` and `MODEL` are always present."""

    ID = "id"
    TOPIC = "topic"
    MODEL = "model"
    AGENT = "agent"
    MARK = "mark"


class Fact(StrEnum):
    """A fact about a pair: it has the flag, it has an image or a file, it failed, it called a tool."""

    FLAG = "flag"
    ATTACHMENT = "attachment"
    ERROR = "error"
    TOOL_CALL = "tool_call"


@dataclass(frozen=True, slots=True)
class AllOf:
    """All conditions are true. Without conditions it selects every pair."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one condition is true. Without conditions it selects no pair."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Negated:
    """The condition is false."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class CompareNumber:
    """The comparison of the pair's number with the value is true."""

    number: Number
    op: Op
    value: int


@dataclass(frozen=True, slots=True)
class CompareTime:
    """The comparison of the time of the first send with the instant (UTC) is true."""

    op: Op
    instant: datetime


@dataclass(frozen=True, slots=True)
class OneOf:
    """The pair's key is one of the values. There may be no values."""

    key: Key
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Has:
    """The fact is true."""

    fact: Fact


@dataclass(frozen=True, slots=True)
class CalledOneOf:
    """The pair called a tool with one of these names. There may be no names."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ContainsText:
    """The pieces, which are folded, occur in the pair's `searched_text` in this order."""

    pieces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Newest:
    """The pair is one of the last `count` (at least 1) pairs of the conversation that match `among`."""

    count: int
    among: Condition


Condition = AllOf | AnyOf | Negated | CompareNumber | CompareTime | OneOf | Has | CalledOneOf | ContainsText | Newest

EVERY_PAIR = AllOf(())


def searched_text(pair: Pair) -> str:
    """Return the text of request and reply, joined and folded, without thinking and tools."""
    reply = () if pair.reply is None else pair.reply.parts
    return fold(f"{plain_text(pair.request.parts)}\n{plain_text(reply)}")
