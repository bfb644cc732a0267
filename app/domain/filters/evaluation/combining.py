"""Evaluates a condition from the known results of its parts, by combining sets of ids of pairs.

So a filter that depends on the context boundary (term `o`) needs no new database query when the boundary moves.

    >>> from app.domain.filters.evaluation.condition import Fact, Has
    >>> flag = Has(Fact.FLAG)
    >>> condition = AnyOf((flag, OneOf(Key.ID, ("p3",))))
    >>> sorted(combine(condition, frozenset({"p1", "p2", "p3"}), {flag: frozenset({"p1"})}))
    ['p1', 'p3']
"""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.filters.evaluation.condition import AllOf, AnyOf, Condition, Key, Negated, OneOf


def list_parts(condition: Condition) -> frozenset[Condition]:
    """Return the parts of a condition that cannot be evaluated with only the ids of pairs."""
    match condition:
        case AllOf(conditions) | AnyOf(conditions):
            return frozenset(part for each in conditions for part in list_parts(each))
        case Negated(inner):
            return list_parts(inner)
        case OneOf(Key.ID):
            return frozenset()
        case _:
            return frozenset((condition,))


def combine(condition: Condition, among: frozenset[str], known: Mapping[Condition, frozenset[str]]) -> frozenset[str]:
    """Return the ids in `among` that match the condition.

    `known` maps each part of the condition (see `list_parts`) to the ids that match it.
    """
    match condition:
        case AllOf(conditions):
            for each in conditions:
                among = combine(each, among, known)
            return among
        case AnyOf(conditions):
            return frozenset[str]().union(*(combine(each, among, known) for each in conditions))
        case Negated(inner):
            return among - combine(inner, among, known)
        case OneOf(Key.ID, ids):
            return among.intersection(ids)
        case _:
            return among & known[condition]
