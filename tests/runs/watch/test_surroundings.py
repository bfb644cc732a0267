"""What stands around the pairs of a window: where sending begins, where another agent answers, which nodes follow."""

from __future__ import annotations

from dataclasses import replace

from app.runs.watch.surroundings import surround
from app.views.screen.node import ScreenNodeView
from app.views.screen.pair import ScreenPairView, show_pair
from tests.builders import a_pair

NODES = tuple(ScreenNodeView(f"n{after}", "title", after) for after in (0, 2, 2, 9))


def some_pairs(*positions: int) -> list[ScreenPairView]:
    return [show_pair(a_pair(position=position)) for position in positions]


def test_sending_begins_at_the_first_pair_that_the_boundary_keeps() -> None:
    found = surround(some_pairs(1, 2, 4, 5), 3, ())

    assert [pair.begins for pair in found.pairs] == [False, False, True, False]


def test_nothing_begins_where_all_is_sent_or_the_boundary_is_not_in_the_window() -> None:
    for boundary in (None, 1, 4, 9):
        assert not any(pair.begins for pair in surround(some_pairs(4, 5, 6), boundary, ()).pairs)


def test_an_answer_of_another_agent_is_told_from_the_one_before_it() -> None:
    agents = (None, "a1", "a1", "a2", None)
    pairs = [replace(pair, agent_id=agent) for pair, agent in zip(some_pairs(1, 2, 3, 4, 5), agents, strict=True)]

    assert [pair.switched for pair in surround(pairs, None, ()).pairs] == [False, True, False, True, True]


def test_nodes_stand_after_the_last_pair_before_them_and_the_others_lead() -> None:
    found = surround(some_pairs(1, 2, 5), None, NODES)

    assert found.leading == NODES[:1]
    assert [pair.nodes for pair in found.pairs] == [(), NODES[1:3], NODES[3:]]


def test_pairs_around_which_nothing_changes_stay_the_same_values() -> None:
    before = surround(some_pairs(1, 2, 3, 4), 3, NODES).pairs

    after = surround(before, 4, NODES).pairs

    assert [one is other for one, other in zip(before, after, strict=True)] == [True, True, False, False]
