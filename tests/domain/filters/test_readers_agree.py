from __future__ import annotations

from contextlib import closing

from hypothesis import given, settings

from app.domain.conversation.conversation import Pair
from app.domain.filters.evaluation.condition import AllOf
from app.domain.filters.evaluation.lowering import BoundaryPairs, lower_base, lower_view
from app.domain.filters.evaluation.scope import FilterScope
from app.domain.filters.evaluation.selection import select_pairs
from app.domain.filters.language.formatter import format_filter
from app.domain.filters.language.parser import parse_filter
from app.domain.filters.language.syntax import Filter
from tests.domain.filters.in_sqlite import ids, open_with
from tests.domain.filters.naive import Naive
from tests.domain.filters.strategies import CONVERSATIONS, KNOWN_FILTERS, SCOPES, estimate, newest_that_fit, patient
from tests.effort import examples


def in_memory(tree: Filter, pairs: list[Pair], scope: FilterScope) -> list[str]:
    return [pair.id for pair in select_pairs(tree, pairs, scope, estimate, newest_that_fit).visible]


def in_database(tree: Filter, pairs: list[Pair], scope: FilterScope) -> list[str]:
    with closing(open_with(pairs, estimate)) as connection:
        base = lower_base(tree, scope)
        base_ids = ids(connection, base)
        included = newest_that_fit([pair for pair in pairs if pair.id in base_ids])
        view = lower_view(tree, scope, BoundaryPairs(tuple(base_ids), frozenset(included)))
        return ids(connection, AllOf((base, view)))


@settings(patient, max_examples=examples(300))
@given(KNOWN_FILTERS, CONVERSATIONS, SCOPES)
def test_memory_database_and_a_naive_reading_select_the_same_pairs(
    tree: Filter, pairs: list[Pair], scope: FilterScope
) -> None:
    selected = in_memory(tree, pairs, scope)

    assert Naive(pairs, scope, estimate).visible(tree, newest_that_fit) == selected
    assert in_database(tree, pairs, scope) == selected


@settings(patient, max_examples=examples(50))
@given(KNOWN_FILTERS, CONVERSATIONS, SCOPES)
def test_a_filter_selects_the_same_after_formatting(tree: Filter, pairs: list[Pair], scope: FilterScope) -> None:
    again = parse_filter(format_filter(tree, long=True))

    assert in_memory(again, pairs, scope) == in_memory(tree, pairs, scope)
