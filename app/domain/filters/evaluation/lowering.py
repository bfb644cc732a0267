"""Translates a parsed filter into a condition on pairs. Only this module defines the meaning of a filter.

The module looks up names, turns ages and days into instants, and fills in the choices of the composer.

A filter with `o` (“inside the context boundary”) needs two steps. `lower_base` ignores every `o`; its condition selects
the base set, on which the caller computes the boundary. `lower_view` then returns the condition that selects the pairs
in view from the base set.

    >>> from datetime import UTC, datetime
    >>> from app.domain.filters.language.parser import parse_filter
    >>> lower_base(parse_filter("d<7d o"), FilterScope(datetime(2026, 1, 8, tzinfo=UTC), UTC))  # doctest: +ELLIPSIS
    CompareTime(op=<Op.MORE: '>'>, instant=datetime.datetime(2026, 1, 1, 0, 0, ...))
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import assert_never

from app.domain.filters.evaluation.condition import (
    EVERY_PAIR,
    AllOf,
    AnyOf,
    CalledOneOf,
    CompareNumber,
    CompareTime,
    Condition,
    ContainsText,
    Fact,
    Has,
    Key,
    Negated,
    Newest,
    Number,
    OneOf,
)
from app.domain.filters.evaluation.instants import end_of_day, instant_ago, start_of_day
from app.domain.filters.evaluation.lookup import find_agents, find_models, find_tools, find_topics
from app.domain.filters.evaluation.scope import FilterScope
from app.domain.filters.language.syntax import (
    Age,
    AgentTerm,
    And,
    AttachmentTerm,
    ChosenTopic,
    Contains,
    DayTerm,
    Everything,
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
    leaves,
)


@dataclass(frozen=True, slots=True)
class BoundaryPairs:
    """The pairs inside the context boundary, as ids in `included`. `base` has the ids of the base set, oldest first."""

    base: tuple[str, ...]
    included: frozenset[str]

    def kept(self, extra: int) -> tuple[str, ...]:
        """Return the ids that the term `o` (“inside the context boundary”) selects, oldest first.

        These are the pairs inside the boundary, and the newest `extra` pairs outside of it.
        """
        left_out = [pair_id for pair_id in self.base if pair_id not in self.included]
        brought_back = frozenset(left_out[len(left_out) - min(extra, len(left_out)) :])
        return tuple(pair_id for pair_id in self.base if pair_id in self.included or pair_id in brought_back)


def asks_boundary(tree: Filter) -> bool:
    """Return True if the filter has a term `o` (“inside the context boundary”).

    The pairs in view are then found in two steps: `lower_base` and, after the boundary is computed, `lower_view`.
    """
    return any(isinstance(leaf, InContext) for leaf in leaves(tree))


def lower_base(tree: Filter, scope: FilterScope) -> Condition:
    """Return the condition that selects the base set: the pairs that match the filter without its terms `o`.

    A term `o` means “inside the context boundary”. If the filter has none, the base set has exactly the pairs in view.
    """
    return _lower(tree, scope, None) or EVERY_PAIR


def lower_view(tree: Filter, scope: FilterScope, boundary: BoundaryPairs) -> Condition:
    """Return the condition that selects the pairs in view from the base set.

    A term `o` (“inside the context boundary”) becomes a condition on the ids in `boundary`. Apply the condition only to
    pairs of the base set: the terms that all of these pairs match are not in the condition.
    """
    terms = tree.terms if isinstance(tree, And) else (tree,)
    # all pairs of the base set match the other terms
    asking = (_lower(term, scope, boundary) for term in terms if asks_boundary(term))
    return _join(AllOf, asking) or EVERY_PAIR


def _lower(tree: Filter, scope: FilterScope, boundary: BoundaryPairs | None) -> Condition | None:
    """Return the condition of a tree, or None if the tree has only terms `o` and there is no boundary yet."""
    match tree:
        case Everything():
            return EVERY_PAIR
        case And(terms):
            return _join(AllOf, (_lower(term, scope, boundary) for term in terms))
        case Or(terms):
            return _join(AnyOf, (_lower(term, scope, boundary) for term in terms))
        case Not(term):
            condition = _lower(term, scope, boundary)
            return None if condition is None else Negated(condition)
        case InContext(extra):
            return None if boundary is None else OneOf(Key.ID, boundary.kept(extra))
        case Saved(name):
            raise ValueError(f"@{name} must be expanded before it is lowered")
        case _:
            return _lower_predicate(tree, scope)


def _join(kind: type[AllOf | AnyOf], conditions: Iterable[Condition | None]) -> Condition | None:
    present = tuple(condition for condition in conditions if condition is not None)
    return kind(present) if len(present) > 1 else next(iter(present), None)


def _lower_predicate(term: Predicate, scope: FilterScope) -> Condition:  # noqa: C901, PLR0912 — one case per predicate
    vocabulary, chosen = scope.vocabulary, scope.chosen
    match term:
        case TopicTerm():
            return OneOf(Key.TOPIC, find_topics(vocabulary.topics, term))
        case ChosenTopic():
            return OneOf(Key.TOPIC, _present(chosen.topic))
        case RecentOfTopic(count):
            below = vocabulary.topics.subtree(chosen.topic) if chosen.topic is not None else ()
            return Newest(count, OneOf(Key.TOPIC, below))
        case Stars(op, stars):
            return CompareNumber(Number.STARS, op, stars)
        case Recent(count):
            return Newest(count, EVERY_PAIR)
        case Flagged(flagged):
            return Has(Fact.FLAG) if flagged else Negated(Has(Fact.FLAG))
        case MarkTerm(mark):
            return OneOf(Key.MARK, (mark.value,))
        case ModelTerm(name):
            return OneOf(Key.MODEL, find_models(vocabulary.models, name) if name else _present(chosen.model))
        case Age(op, count, unit):
            return CompareTime(_OLDER_IS_EARLIER[op], instant_ago(scope.now, count, unit))
        case DayTerm():
            return _lower_day(term, scope)
        case Contains(text):
            return ContainsText(text.searched_pieces())
        case AttachmentTerm():
            return Has(Fact.ATTACHMENT)
        case FailedTerm():
            return Has(Fact.ERROR)
        case ToolCallTerm(name):
            return CalledOneOf(find_tools(vocabulary.tools, name)) if name else Has(Fact.TOOL_CALL)
        case TokensTerm(op, tokens):
            return CompareNumber(Number.TOKENS, op, tokens)
        case AgentTerm(name):
            return OneOf(Key.AGENT, find_agents(vocabulary.agents, name) if name else _present(chosen.agent))
        case _:
            assert_never(term)


_OLDER_IS_EARLIER = {
    Op.EQUAL: Op.EQUAL,
    Op.LESS: Op.MORE,
    Op.AT_MOST: Op.AT_LEAST,
    Op.MORE: Op.LESS,
    Op.AT_LEAST: Op.AT_MOST,
}


def _lower_day(term: DayTerm, scope: FilterScope) -> Condition:
    start, end = start_of_day(term.day, scope.zone), end_of_day(term.day, scope.zone)
    match term.op:
        case Op.EQUAL:
            return AllOf((CompareTime(Op.AT_LEAST, start), CompareTime(Op.LESS, end)))
        case Op.LESS:
            return CompareTime(Op.LESS, start)
        case Op.AT_MOST:
            return CompareTime(Op.LESS, end)
        case Op.MORE:
            return CompareTime(Op.AT_LEAST, end)
        case Op.AT_LEAST:
            return CompareTime(Op.AT_LEAST, start)
        case _:
            assert_never(term.op)


def _present(chosen: str | None) -> tuple[str, ...]:
    return () if chosen is None else (chosen,)
