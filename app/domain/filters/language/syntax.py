"""The syntax tree of a filter: one frozen dataclass for each kind of term.

A tree does not depend on topics, models or pairs: `evaluation/lowering.py` defines the meaning of each term. Trees are
canonical: `(a b) c` and `a b c` are the same tree, so `parse(format(tree)) == tree`.

    >>> all_of(Stars(Op.AT_LEAST, 2), Recent(10))
    And(terms=(Stars(op=<Op.AT_LEAST: '>='>, stars=2), Recent(count=10)))
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from app.domain.conversation.conversation import Mark
from app.domain.text.pattern import Pattern


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
    """The term that selects pairs filed under a topic with this path. `below`: also pairs under its descendants.

    A single name in `names` matches every topic with this name.
    """

    names: tuple[Pattern, ...]
    below: bool = False


@dataclass(frozen=True, slots=True)
class ChosenTopic:
    """The term that selects pairs filed under the topic chosen in the composer, not under its descendants."""


@dataclass(frozen=True, slots=True)
class RecentOfTopic:
    """The term that selects the last `count` pairs filed under the chosen topic or its descendants."""

    count: int


@dataclass(frozen=True, slots=True)
class Stars:
    """The term that compares the stars of a pair (0 to 3) with `stars`."""

    op: Op
    stars: int


@dataclass(frozen=True, slots=True)
class Recent:
    """The term that selects the last `count` pairs of the whole conversation, independent of other terms."""

    count: int


@dataclass(frozen=True, slots=True)
class Flagged:
    """The term that selects pairs with the flag, or without it."""

    flagged: bool = True


@dataclass(frozen=True, slots=True)
class MarkTerm:
    """The term that selects pairs with the tag “include” or “exclude”."""

    mark: Mark


@dataclass(frozen=True, slots=True)
class ModelTerm:
    """The term that selects pairs answered by a model with this name; None: by the model chosen in the composer."""

    name: Pattern | None = None


@dataclass(frozen=True, slots=True)
class Age:
    """The term that compares the time since a pair was first sent with `count` units. `LESS` selects newer pairs."""

    op: Op
    count: int
    unit: Unit


@dataclass(frozen=True, slots=True)
class DayTerm:
    """The term that selects pairs first sent on, before or after a calendar day in the reader's time zone."""

    op: Op
    day: date


@dataclass(frozen=True, slots=True)
class Contains:
    """The term that selects pairs with this text anywhere in the request or the reply."""

    text: Pattern


@dataclass(frozen=True, slots=True)
class AttachmentTerm:
    """The term that selects pairs with an image or a file."""


@dataclass(frozen=True, slots=True)
class FailedTerm:
    """The term that selects pairs whose reply failed or has a stored failure."""


@dataclass(frozen=True, slots=True)
class ToolCallTerm:
    """The term that selects pairs that called a tool with this name; None: any tool."""

    name: Pattern | None = None


@dataclass(frozen=True, slots=True)
class TokensTerm:
    """The term that compares the current token estimate of a pair with `tokens`."""

    op: Op
    tokens: int


@dataclass(frozen=True, slots=True)
class AgentTerm:
    """The term that selects pairs answered by an agent with this name; None: by the agent chosen in the composer."""

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
"""Terms that depend only on the pairs and on names, not on the context boundary or saved filters."""


# --- terms that need more than the pairs ---


@dataclass(frozen=True, slots=True)
class InContext:
    """The term `o`, which selects the pairs inside the context boundary and the newest `extra` pairs outside of it."""

    extra: int = 0


@dataclass(frozen=True, slots=True)
class Saved:
    """The term `@name`, which selects the pairs that the saved filter with this name selects.

    `position` is the position of the name in the line, for errors.
    """

    name: str
    position: int = field(default=0, compare=False, repr=False)


Leaf = Predicate | InContext | Saved


# --- operators ---


@dataclass(frozen=True, slots=True)
class Not:
    """The term that selects the pairs that the inner term does not select."""

    term: Expression


@dataclass(frozen=True, slots=True)
class And:
    """The term that selects the pairs that all inner terms select.

    `all_of` builds it, with at least two inner terms, none of them an `And`.
    """

    terms: tuple[Expression, ...]

    def __post_init__(self) -> None:
        _check_terms(self, self.terms)


@dataclass(frozen=True, slots=True)
class Or:
    """The term that selects the pairs that at least one inner term selects.

    `any_of` builds it, with at least two inner terms, none of them an `Or`.
    """

    terms: tuple[Expression, ...]

    def __post_init__(self) -> None:
        _check_terms(self, self.terms)


@dataclass(frozen=True, slots=True)
class Everything:
    """The empty filter, which selects all pairs."""


Expression = Leaf | Not | And | Or
Filter = Expression | Everything


def all_of(first: Expression, *others: Expression) -> Expression:
    """Combine terms with `And`. Terms of an inner `And` become terms of the outer one. A single term is unchanged."""
    terms = tuple(inner for term in (first, *others) for inner in (term.terms if isinstance(term, And) else (term,)))
    return And(terms) if len(terms) > 1 else first


def any_of(first: Expression, *others: Expression) -> Expression:
    """Combine terms with `Or`. Terms of an inner `Or` become terms of the outer one. A single term is unchanged."""
    terms = tuple(inner for term in (first, *others) for inner in (term.terms if isinstance(term, Or) else (term,)))
    return Or(terms) if len(terms) > 1 else first


def leaves(expression: Filter) -> Iterator[Leaf]:
    """Yield the terms of a filter's tree that are not operators, in the order of the text."""
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
