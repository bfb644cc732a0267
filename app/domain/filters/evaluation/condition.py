"""Conditions: a filter after its names are looked up, as a small tree of comparisons with a pair's columns.

Each class here becomes one SQL expression in the database, and one test in memory. Both compare the same values. Two
rules keep the results equal:

- Conditions are true or false, never unknown: a pair without a topic matches no `OneOf` of topics, but it matches every
  `Negated(OneOf(…))` of topics.
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
from app.domain.text.pattern import fold


class Number(StrEnum):
    """A number of a pair that can be compared. `TOKENS` is the current estimate of the pair."""

    STARS = "stars"
    TOKENS = "tokens"


class Key(StrEnum):
    """A text value of a pair, such as the id of its topic. Only `ID` and `MODEL` are never empty."""

    ID = "id"
    TOPIC = "topic"
    MODEL = "model"
    AGENT = "agent"
    MARK = "mark"


class Fact(StrEnum):
    """A fact about a pair: it has the flag, it has an image or a file, it failed, or it called a tool."""

    FLAG = "flag"
    ATTACHMENT = "attachment"
    ERROR = "error"
    TOOL_CALL = "tool_call"


@dataclass(frozen=True, slots=True)
class AllOf:
    """A condition that is true if all `conditions` are true. Without conditions, every pair matches."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """A condition that is true if at least one of the `conditions` is true. Without conditions, no pair matches."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Negated:
    """A condition that is true if the inner one is false."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class CompareNumber:
    """A condition on a number of the pair, which is compared with `value`."""

    number: Number
    op: Op
    value: int


@dataclass(frozen=True, slots=True)
class CompareTime:
    """A condition on the time when the pair was first sent, which is compared with `instant` (UTC)."""

    op: Op
    instant: datetime


@dataclass(frozen=True, slots=True)
class OneOf:
    """A condition that is true if the pair's value for `key` is one of `values`. Without values, no pair matches."""

    key: Key
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Has:
    """A condition that is true if the fact, such as having the flag, is true of the pair."""

    fact: Fact


@dataclass(frozen=True, slots=True)
class CalledOneOf:
    """A condition that is true if the pair called a tool with one of these names. Without names, no pair matches."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ContainsText:
    """A condition that is true if these pieces of a pattern occur in the pair's `searched_text` in this order."""

    pieces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Newest:
    """A condition that is true for the last `count` (at least 1) pairs of the conversation that match `among`."""

    count: int
    among: Condition


Condition = AllOf | AnyOf | Negated | CompareNumber | CompareTime | OneOf | Has | CalledOneOf | ContainsText | Newest

EVERY_PAIR = AllOf(())


def searched_text(pair: Pair) -> str:
    """Return the text of request and reply without thinking and tool calls, in the form of `pattern.fold`."""
    reply = () if pair.reply is None else pair.reply.parts
    return fold(f"{plain_text(pair.request.parts)}\n{plain_text(reply)}")
