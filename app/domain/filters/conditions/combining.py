"""Combines sets of pair ids as a condition says: and, or, not.

Thus the second step of a filter with an `o` needs no database, however often the boundary moves.

    >>> from app.domain.filters.conditions.condition import Fact, Has
    >>> flag = Has(Fact.FLAG)
    >>> condition = AnyOf((flag, OneOf(Key.ID, ("p3",))))
    >>> sorted(combine(condition, frozenset({"p1", "p2", "p3"}), {flag: frozenset({"p1"})}))
    ['p1', 'p3']
"""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.filters.conditions.condition import AllOf, AnyOf, Condition, Key, Negated, OneOf


def list_parts(condition: Condition) -> frozenset[Condition]:
    """The parts of a condition that ask something of pairs other than their ids."""
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
    """Those of the ids that the condition holds for. `known`: for which ids each of its parts holds."""
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
