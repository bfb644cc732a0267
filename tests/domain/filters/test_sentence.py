from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC
from itertools import product

import pytest
from hypothesis import given

from app.domain.conversation.parts import Image, Text
from app.domain.filters.bar.sentence import describe_filter
from app.domain.filters.evaluation.scope import FilterScope, Vocabulary
from app.domain.filters.evaluation.selection import select_pairs
from app.domain.filters.language.parser import parse_filter
from app.domain.filters.language.syntax import Expression, Filter, Not, all_of, any_of
from tests.builders import a_pair
from tests.domain.filters.strategies import FILTERS, NOW, TOPICS, patient


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("", "all pairs"),
        ("t'AI...' s>=2", "pairs under AI and below, with 2 or more stars"),
        # topics
        ("t'AI'", "pairs under AI"),
        ("!t'AI'", "pairs not under AI"),
        ("t'AI > Planning'", "pairs under AI > Planning"),
        ("!t'AI...'", "pairs not under AI or below"),
        ("t'*Neural*...'", "pairs under *Neural* and below"),
        ("t", "pairs under the chosen topic"),
        ("t10", "pairs among the last 10 under the chosen topic and its subtopics"),
        ("t1", "pairs that came last under the chosen topic and its subtopics"),
        # comparisons
        ("s2", "pairs with 2 stars"),
        ("!s2", "pairs with other than 2 stars"),
        ("s1", "pairs with 1 star"),
        ("s>=1", "pairs with 1 or more stars"),
        ("!s>=1", "pairs with fewer than 1 star"),
        ("s<=2", "pairs with at most 2 stars"),
        ("!s<=2", "pairs with more than 2 stars"),
        ("u>2000", "pairs costing more than 2,000 tokens"),
        ("!u5", "pairs costing other than 5 tokens"),
        # time
        ("r10", "pairs among the last 10"),
        ("!r1000", "pairs not among the last 1,000"),
        ("r1", "pairs that came last"),
        ("!r1", "pairs other than the last"),
        ("d7d", "pairs from the last 7 days"),
        ("!d7d", "pairs more than 7 days old"),
        ("d<1mo", "pairs less than 1 month old"),
        ("d>=2h", "pairs at least 2 hours old"),
        ("d=3w", "pairs exactly 3 weeks old"),
        ("!d=3w", "pairs not exactly 3 weeks old"),
        ("d2025-01-31", "pairs from 31 January 2025"),
        ("!d2025-01-31", "pairs not from 31 January 2025"),
        ("d<2025-12-01", "pairs before 1 December 2025"),
        ("d<=2025-12-01", "pairs up to 1 December 2025"),
        ("d>2025-12-01", "pairs after 1 December 2025"),
        ("!d<2025-12-01", "pairs since 1 December 2025"),
        # attributes
        ("b", "pairs flagged"),
        ("!b", "pairs not flagged"),
        ("g", "pairs not flagged"),
        ("!g", "pairs flagged"),
        ("in !out", "pairs tagged “include”, not tagged “exclude”"),
        ("i | !i", "pairs with an image or file, or without an image or file"),
        ("e | !e", "pairs with an error, or without an error"),
        # names
        ("m'claude*'", "pairs answered by claude*"),
        ("!m", "pairs not answered by the chosen model"),
        ("a'Reviewer' | a", "pairs answered under the agent Reviewer, or answered under the chosen agent"),
        ("k !k'git*'", "pairs that called a tool, that did not call the tool git*"),
        ("k'git*' !k", "pairs that called the tool git*, that did not call a tool"),
        ("t'Research and Play'", "pairs under 'Research and Play'"),
        ("t'AI, flagged'", "pairs under 'AI, flagged'"),
        (r"t'C\*'", r"pairs under 'C\*'"),
        # text
        ("c'mad*d'", 'pairs containing "mad" and then "d"'),
        ("!c'it*'", 'pairs not containing "it"'),
        ("c'say \"so\"'", r'pairs containing "say \"so\""'),
        ("c'*'", "pairs containing anything"),
        # the boundary
        ("o", "pairs within the context boundary"),
        ("!o", "pairs beyond the context boundary"),
        ("o5", "pairs within the context boundary or at most 5 beyond it"),
        ("!o5", "pairs more than 5 beyond the context boundary"),
        # saved
        ("@important !@new", "pairs matching @important, not matching @new"),
        # groups
        ("b | s3", "pairs flagged, or with 3 stars"),
        ("b s3 | r2", "pairs flagged, with 3 stars; or among the last 2"),
        ("(b | s3) r2", "pairs either flagged or with 3 stars, among the last 2"),
        ("!(b | o)", "pairs not flagged, beyond the context boundary"),
        ("!(b o)", "pairs not flagged, or beyond the context boundary"),
        ("!!b", "pairs flagged"),
        ("b !(s3 | r2)", "pairs flagged, with other than 3 stars, not among the last 2"),
        ("(b s3 | e) r2", "pairs either (flagged, with 3 stars) or with an error, among the last 2"),
        (
            "((b | s3) i | e) r2",
            "pairs either (either flagged or with 3 stars, with an image or file) or with an error, among the last 2",
        ),
        ("(t'AI...' & o) | r3", "pairs under AI and below, within the context boundary; or among the last 3"),
    ],
)
def test_a_filter_reads_as_a_sentence(line: str, sentence: str) -> None:
    assert describe_filter(parse_filter(line)) == sentence


def _small_trees(*terms: str) -> Iterator[Expression]:
    """Yield every way to join three of the terms, with a `!` at every possible position."""

    def maybe_not(trees: list[Expression]) -> list[Expression]:
        return [*trees, *map(Not, trees)]

    leaves = [tree for tree in map(parse_filter, terms) if isinstance(tree, Expression)]
    one = maybe_not(leaves)
    two = maybe_not([join(*both) for join in (all_of, any_of) for both in product(one, one)])
    yield from (join(*both) for join in (all_of, any_of) for both in product(two, one))


def test_filters_with_the_same_sentence_select_the_same_pairs() -> None:
    image = Image("ab" * 32, "image/png")
    kinds = product([0, 1, 2], [False, True], [(Text("x"),), (Text("x"), image)], ["ai", "planning", None])
    pairs = [
        replace(a_pair(asked, position=n), stars=stars, flagged=flagged, topic=topic)
        for n, (stars, flagged, asked, topic) in enumerate(kinds, start=1)
    ]
    scope = FilterScope(NOW, UTC, Vocabulary(TOPICS))
    selections: dict[str, set[tuple[str, ...]]] = defaultdict(set)

    for tree in _small_trees("s>=2", "g", "i", "t'AI...'"):
        visible = select_pairs(tree, pairs, scope, lambda _: 0, lambda _: ()).visible
        selections[describe_filter(tree)].add(tuple(pair.id for pair in visible))

    assert len(selections) > 1_000
    assert [sentence for sentence, selected in selections.items() if len(selected) > 1] == []


@patient
@given(FILTERS)
def test_every_filter_has_a_sentence_on_one_line(tree: Filter) -> None:
    sentence = describe_filter(tree)

    assert sentence == "all pairs" or sentence.startswith("pairs ")
    assert not set("\n\r\t") & set(sentence)
