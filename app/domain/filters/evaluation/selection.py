"""Evaluates conditions on pairs in memory, and selects the pairs in view.

The terms `o` (“inside the context boundary”) need two steps. The first step selects the base set: the pairs that match
the filter without these terms. The boundary is computed on the base set. The second step selects the pairs in view from
the base set.

    selection = select_pairs(tree, pairs, scope, estimate, decide_included)
    selection.visible, selection.included
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, assert_never

from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import ToolCall, has_attachment
from app.domain.filters.evaluation.condition import (
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
    searched_text,
)
from app.domain.filters.evaluation.lowering import BoundaryPairs, lower_base, lower_view
from app.domain.filters.evaluation.scope import FilterScope
from app.domain.filters.language.syntax import And, Everything, Filter, Flagged, MarkTerm, Not, Op, Or, Stars
from app.domain.text.pattern import occur_in_order

Estimate = Callable[[Pair], int]
"""A function that returns the current estimate of a pair in tokens."""

DecideIncluded = Callable[[Sequence[Pair]], Collection[str]]
"""A function that computes the context boundary.

It takes the pairs of the base set, oldest first, and returns the ids of the included pairs.
"""


@dataclass(frozen=True, slots=True)
class Selection:
    """The pairs in view, oldest first, and the ids of the pairs that the boundary includes.

    Pairs in view that are not included are OUT (not sent).
    """

    visible: tuple[Pair, ...]
    included: frozenset[str]


def select_pairs(
    tree: Filter, pairs: Sequence[Pair], scope: FilterScope, estimate: Estimate, decide_included: DecideIncluded
) -> Selection:
    """Select the pairs of a conversation that are in view with this filter, oldest first.

    `estimate` estimates the tokens of a pair, `decide_included` computes the context boundary.
    """
    base = narrow(lower_base(tree, scope), pairs, pairs, estimate)
    included = frozenset(decide_included(base))
    view = lower_view(tree, scope, BoundaryPairs(tuple(pair.id for pair in base), included))
    return Selection(tuple(narrow(view, base, pairs, estimate)), included)


def narrow(
    condition: Condition, candidates: Sequence[Pair], whole: Sequence[Pair], estimate: Estimate
) -> Sequence[Pair]:
    """Return the candidates that match the condition, in their order.

    `whole` are all pairs of the conversation, oldest first.
    """
    match condition:
        case AllOf(conditions):
            for each in conditions:
                candidates = narrow(each, candidates, whole, estimate)
            return candidates
        case AnyOf(conditions):
            found = {pair.id for each in conditions for pair in narrow(each, candidates, whole, estimate)}
            return [pair for pair in candidates if pair.id in found]
        case Negated(inner):
            found = {pair.id for pair in narrow(inner, candidates, whole, estimate)}
            return [pair for pair in candidates if pair.id not in found]
        case Newest(count, among):
            found = {pair.id for pair in narrow(among, whole, whole, estimate)[-count:]}
            return [pair for pair in candidates if pair.id in found]
        case _:
            return list(filter(_test(condition, estimate), candidates))


def selects_unmarked(tree: Filter) -> bool | None:
    """Return True if a filter selects every pair that has no stars, no flag and no tag, and False if it selects none.

    Return None if the selection also depends on other properties of the pair.
    """
    match tree:
        case Everything():
            return True
        case Stars(op, stars):
            return bool(_COMPARE[op](0, stars))
        case Flagged(flagged):
            return not flagged
        case MarkTerm():
            return False
        case Not(term):
            selected = selects_unmarked(term)
            return None if selected is None else not selected
        case And(terms) | Or(terms):
            answers = {selects_unmarked(term) for term in terms}
            decisive = isinstance(tree, Or)
            return decisive if decisive in answers else None if None in answers else not decisive
        case _:
            return None


_Leaf = CompareNumber | CompareTime | OneOf | Has | CalledOneOf | ContainsText


def _test(condition: _Leaf, estimate: Estimate) -> Callable[[Pair], bool]:
    match condition:
        case CompareNumber(number, op, value):
            compare, count = _COMPARE[op], estimate if number is Number.TOKENS else _stars
            return lambda pair: compare(count(pair), value)
        case CompareTime(op, instant):
            compare = _COMPARE[op]
            return lambda pair: compare(pair.created_at, instant)
        case OneOf(key, values):
            read, accepted = _KEYS[key], frozenset(values)
            return lambda pair: read(pair) in accepted
        case Has(fact):
            return _FACTS[fact]
        case CalledOneOf(names):
            accepted = frozenset(names)
            return lambda pair: not accepted.isdisjoint(_tools(pair))
        case ContainsText(pieces):
            return lambda pair: occur_in_order(pieces, searched_text(pair))
        case _:
            assert_never(condition)


_COMPARE: Mapping[Op, Callable[[Any, Any], bool]] = MappingProxyType(
    {
        Op.EQUAL: operator.eq,
        Op.LESS: operator.lt,
        Op.AT_MOST: operator.le,
        Op.MORE: operator.gt,
        Op.AT_LEAST: operator.ge,
    }
)

_KEYS: Mapping[Key, Callable[[Pair], str | None]] = MappingProxyType(
    {
        Key.ID: lambda pair: pair.id,
        Key.TOPIC: lambda pair: pair.topic,
        Key.MODEL: lambda pair: pair.model,
        Key.AGENT: lambda pair: pair.agent_id,
        Key.MARK: lambda pair: pair.mark,
    }
)


def _stars(pair: Pair) -> int:
    return pair.stars


def _tools(pair: Pair) -> list[str]:
    return [] if pair.reply is None else [part.name for part in pair.reply.parts if isinstance(part, ToolCall)]


def _has_attachment(pair: Pair) -> bool:
    return has_attachment(pair.request.parts) or (pair.reply is not None and has_attachment(pair.reply.parts))


_FACTS: Mapping[Fact, Callable[[Pair], bool]] = MappingProxyType(
    {
        Fact.FLAG: lambda pair: pair.flagged,
        Fact.ATTACHMENT: _has_attachment,
        Fact.ERROR: lambda pair: pair.lifecycle is Lifecycle.ERROR or pair.failure is not None,
        Fact.TOOL_CALL: lambda pair: bool(_tools(pair)),
    }
)
