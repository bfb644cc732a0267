"""Conditions: a filter after all names are looked up, as a small tree of comparisons with a pair's columns.

The database turns each case into one SQL expression, the memory into one test. Both compare the same values. Two rules
keep the results equal:

- Conditions are true or false, never unknown: a pair without a topic is not `OneOf` any, so it is `Negated(OneOf(…))`.
- Texts are compared in the form of `pattern.fold`: `ContainsText` has folded pieces, and `searched_text` gives what
  they are searched in. The store saves this text with the pair.

    >>> AllOf((Has(Fact.FLAG), CompareNumber(Number.STARS, Op.AT_LEAST, 2)))  # doctest: +ELLIPSIS
    AllOf(conditions=(Has(fact=<Fact.FLAG: 'flag'>), CompareNumber(...)))
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.domain.conversation.conversation import Pair
from app.domain.conversation.parts import plain_text
from app.domain.filters.syntax import Op
from app.domain.pattern import fold


class Number(StrEnum):
    """Numbers of a pair. `TOKENS` is its present estimate."""

    STARS = "stars"
    TOKENS = "tokens"


class Key(StrEnum):
    """Names and ids of a pair; all but `ID` and `MODEL` may be absent."""

    ID = "id"
    TOPIC = "topic"
    MODEL = "model"
    AGENT = "agent"
    MARK = "mark"


class Fact(StrEnum):
    """What is so of a pair or is not: it carries the flag, it has an image or a file, it failed, it called a tool."""

    FLAG = "flag"
    ATTACHMENT = "attachment"
    ERROR = "error"
    TOOL_CALL = "tool_call"


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every condition holds; without any, that is every pair."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one condition holds; without any, that is no pair."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Negated:
    """The condition does not hold."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class CompareNumber:
    """The pair's number compares so with the value."""

    number: Number
    op: Op
    value: int


@dataclass(frozen=True, slots=True)
class CompareTime:
    """The time the request was first sent compares so with the instant, which is in UTC."""

    op: Op
    instant: datetime


@dataclass(frozen=True, slots=True)
class OneOf:
    """The pair's key is among the values. There may be none."""

    key: Key
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Has:
    """The fact is so."""

    fact: Fact


@dataclass(frozen=True, slots=True)
class CalledOneOf:
    """The pair called a tool of one of these names. There may be none."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ContainsText:
    """The pieces occur in the pair's `searched_text`, each after the one before. They are folded already."""

    pieces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Newest:
    """Among the last `count` (at least 1) of those pairs of the whole conversation that `among` holds for."""

    count: int
    among: Condition


Condition = AllOf | AnyOf | Negated | CompareNumber | CompareTime | OneOf | Has | CalledOneOf | ContainsText | Newest

EVERY_PAIR = AllOf(())


def searched_text(pair: Pair) -> str:
    """The words of request and reply, one after the other, folded. Thinking and tools are no part of it."""
    reply = () if pair.reply is None else pair.reply.parts
    return fold(f"{plain_text(pair.request.parts)}\n{plain_text(reply)}")
