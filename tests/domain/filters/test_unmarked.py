"""Filters on a pair that is still being written: it has no stars, no flag and no tag yet."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation.conversation import Pair
from app.domain.filters.evaluation.scope import FilterScope, Vocabulary
from app.domain.filters.evaluation.selection import select_pairs, selects_unmarked
from app.domain.filters.language.parser import parse_filter
from app.domain.filters.language.syntax import Filter
from tests.domain.filters.strategies import AGENTS, MODELS, NOW, POOL, TOOLS, TOPICS, any_predicates, estimate, joined

SCOPE = FilterScope(NOW, UTC, Vocabulary(TOPICS, MODELS, AGENTS, TOOLS))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", True),
        ("s>=1", False),
        ("s<2", True),
        ("!s>=1", True),
        ("s>=1 c'bridge'", False),
        ("s>=1 | c'bridge'", None),
        ("s<1 | c'bridge'", True),
        ("r5", None),
        ("!r5", None),
    ],
)
def test_only_what_hangs_on_marks_is_known_of_it(line: str, expected: bool | None) -> None:
    assert selects_unmarked(parse_filter(line)) is expected


@given(joined(any_predicates()), st.sampled_from(POOL))
def test_the_result_holds_for_every_pair_without_marks(tree: Filter, pair: Pair) -> None:
    unmarked = replace(pair, stars=0, flagged=False, mark=None)
    said = selects_unmarked(tree)

    found = select_pairs(tree, [unmarked], SCOPE, estimate, lambda base: {one.id for one in base})

    assert said is None or bool(found.visible) is said
