from __future__ import annotations

from hypothesis import given, settings

from app.domain.conversation.conversation import Pair
from app.domain.filters.conditions.across import list_cheap
from app.domain.filters.conditions.lowering import lower_base
from app.domain.filters.conditions.scope import Scope
from app.domain.filters.conditions.selection import narrow
from app.domain.filters.language.syntax import Filter
from tests.domain.filters.strategies import CONVERSATIONS, KNOWN_FILTERS, SCOPES, estimate, patient


@settings(patient, max_examples=150)
@given(KNOWN_FILTERS, CONVERSATIONS, SCOPES)
def test_what_a_database_rules_out_first_is_not_selected(tree: Filter, pairs: list[Pair], scope: Scope) -> None:
    condition = lower_base(tree, scope)
    selected = narrow(condition, pairs, pairs, estimate)

    left = pairs
    for cheap in list_cheap(condition):
        left = list(narrow(cheap, left, pairs, estimate))

    assert [pair for pair in selected if pair not in left] == []
