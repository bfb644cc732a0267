"""The syntax tree of a filter: one frozen dataclass per kind of term.

A tree does not depend on topics, models or pairs: `lowering.py` decides the meaning of a term. Trees are canonical:
`(a b) c` and `a b c` are the same tree, so `parse(format(tree)) == tree`.

    >>> all_of(Stars(Op.AT_LEAST, 2), Recent(10))
    And(terms=(Stars(op=<Op.AT_LEAST: '>='>, stars=2), Recent(count=10)))
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from app.domain.conversation.conversation import Mark
from app.domain.pattern import Pattern


class Op(StrEnum):
    """A comparison operator."""

    EQUAL = "="
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="


class Unit(StrEnum):
    """A unit of age. A month is 30 days, a year 365."""

    MINUTE = "min"
    HOUR = "h"
    DAY = "d"
    WEEK = "w"
    MONTH = "mo"
    YEAR = "y"


# --- predicates ---


@dataclass(frozen=True, slots=True)
class TopicTerm:
    """Filed under a topic with this path (`below`: or under a descendant). A single name is a topic's name."""

    names: tuple[Pattern, ...]
    below: bool = False


@dataclass(frozen=True, slots=True)
class ChosenTopic:
    """Filed under the topic now chosen in the composer, without descendants."""


@dataclass(frozen=True, slots=True)
class RecentOfTopic:
    """Among the last `count` pairs of the chosen topic and its descendants."""

    count: int


@dataclass(frozen=True, slots=True)
class Stars:
    """With this number of stars, 0 to 3."""

    op: Op
    stars: int


@dataclass(frozen=True, slots=True)
class Recent:
    """Among the last `count` pairs of the whole conversation, independent of other terms."""

    count: int


@dataclass(frozen=True, slots=True)
class Flagged:
    """With the flag, or without it."""

    flagged: bool = True


@dataclass(frozen=True, slots=True)
class MarkTerm:
    """With the include mark or the exclude mark."""

    mark: Mark


@dataclass(frozen=True, slots=True)
class ModelTerm:
    """Answered by a model with this name; None is the model now chosen in the composer."""

    name: Pattern | None = None


@dataclass(frozen=True, slots=True)
class Age:
    """First sent this long ago. `LESS` is newer than that."""

    op: Op
    count: int
    unit: Unit


@dataclass(frozen=True, slots=True)
class DayTerm:
    """First sent on, before or after a calendar day of the reader's time zone."""

    op: Op
    day: date


@dataclass(frozen=True, slots=True)
class Contains:
    """With this text anywhere in the request and the reply."""

    text: Pattern


@dataclass(frozen=True, slots=True)
class AttachmentTerm:
    """With an image or a file."""


@dataclass(frozen=True, slots=True)
class FailedTerm:
    """Ended in an error, or has one."""


@dataclass(frozen=True, slots=True)
class ToolCallTerm:
    """Called a tool with this name; None is any tool."""

    name: Pattern | None = None


@dataclass(frozen=True, slots=True)
class TokensTerm:
    """With this number of tokens in the current estimate."""

    op: Op
    tokens: int


@dataclass(frozen=True, slots=True)
class AgentTerm:
    """Answered by an agent with this name; None is the agent now chosen."""

    name: Pattern | None = None


Predicate = (
    TopicTerm
    | ChosenTopic
    | RecentOfTopic
    | Stars
    | Recent
    | Flagged
    | MarkTerm
    | ModelTerm
    | Age
    | DayTerm
    | Contains
    | AttachmentTerm
    | FailedTerm
    | ToolCallTerm
    | TokensTerm
    | AgentTerm
)
"""Predicates that depend only on the pairs."""


# --- terms that need more than the pairs ---


@dataclass(frozen=True, slots=True)
class InContext:
    """Included by the context boundary, or one of the newest `extra` pairs that it excludes."""

    extra: int = 0


@dataclass(frozen=True, slots=True)
class Saved:
    """The saved filter with this name. `position` is its place in the line, for errors."""

    name: str
    position: int = field(default=0, compare=False, repr=False)


Leaf = Predicate | InContext | Saved


# --- operators ---


@dataclass(frozen=True, slots=True)
class Not:
    """All pairs that the term does not select."""

    term: Expression


@dataclass(frozen=True, slots=True)
class And:
    """All terms must select the pair: at least two, none of them an `And` itself. Built by `all_of`."""

    terms: tuple[Expression, ...]

    def __post_init__(self) -> None:
        _check_terms(self, self.terms)


@dataclass(frozen=True, slots=True)
class Or:
    """At least one term must select the pair: at least two terms, none of them an `Or` itself. Built by `any_of`."""

    terms: tuple[Expression, ...]

    def __post_init__(self) -> None:
        _check_terms(self, self.terms)


@dataclass(frozen=True, slots=True)
class Everything:
    """The empty filter."""


Expression = Leaf | Not | And | Or
Filter = Expression | Everything


def all_of(first: Expression, *others: Expression) -> Expression:
    """Combine terms with `And`, merging the terms of inner `And`s. A single term is returned unchanged."""
    terms = tuple(inner for term in (first, *others) for inner in (term.terms if isinstance(term, And) else (term,)))
    return And(terms) if len(terms) > 1 else first


def any_of(first: Expression, *others: Expression) -> Expression:
    """Combine terms with `Or`, merging the terms of inner `Or`s. A single term is returned unchanged."""
    terms = tuple(inner for term in (first, *others) for inner in (term.terms if isinstance(term, Or) else (term,)))
    return Or(terms) if len(terms) > 1 else first


def leaves(expression: Filter) -> Iterator[Leaf]:
    """Yield every term in the tree that is not an operator, in the order written."""
    match expression:
        case And(terms) | Or(terms):
            for term in terms:
                yield from leaves(term)
        case Not(term):
            yield from leaves(term)
        case Everything():
            pass
        case _:
            yield expression


def _check_terms(whole: And | Or, terms: tuple[Expression, ...]) -> None:
    if len(terms) < 2 or any(type(term) is type(whole) for term in terms):
        raise ValueError("at least two terms, none of the same kind: build it with all_of or any_of")
