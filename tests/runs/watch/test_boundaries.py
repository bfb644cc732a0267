"""The rules before the pairs of a window: where sending begins, where the agent changes."""

from __future__ import annotations

from dataclasses import replace

from app.runs.watch.boundaries import mark_boundaries
from app.views.reply.pair import ScreenPairView, show_pair
from tests.builders import a_pair


def some_pairs(*positions: int) -> list[ScreenPairView]:
    return [show_pair(a_pair(position=position)) for position in positions]


def test_sending_begins_at_the_first_pair_that_the_boundary_keeps() -> None:
    found = mark_boundaries(some_pairs(1, 2, 4, 5), 3)

    assert [pair.begins for pair in found] == [False, False, True, False]


def test_nothing_begins_where_all_is_sent_or_the_boundary_is_not_in_the_window() -> None:
    for boundary in (None, 1, 4, 9):
        assert not any(pair.begins for pair in mark_boundaries(some_pairs(4, 5, 6), boundary))


def test_an_answer_of_another_agent_is_told_from_the_one_before_it() -> None:
    agents = (None, "a1", "a1", "a2", None)
    pairs = [replace(pair, agent_id=agent) for pair, agent in zip(some_pairs(1, 2, 3, 4, 5), agents, strict=True)]

    assert [pair.switched for pair in mark_boundaries(pairs, None)] == [False, True, False, True, True]


def test_pairs_before_which_nothing_changes_stay_the_same_values() -> None:
    before = mark_boundaries(some_pairs(1, 2, 3, 4), 3)

    after = mark_boundaries(before, 4)

    assert [one is other for one, other in zip(before, after, strict=True)] == [True, True, False, False]
