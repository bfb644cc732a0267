"""Nodes that show all their lines."""

from __future__ import annotations

from typing import Any

import pytest

from app.state.unfolded import MAX_UNFOLDED, UnfoldedState
from tests.state.conftest import Tab


async def test_a_node_is_unfolded_and_folded_again(tab: Tab) -> None:
    await tab.send(UnfoldedState.toggle, node_id="a")
    await tab.send(UnfoldedState.toggle, node_id="b")
    assert tab.shows(UnfoldedState, "nodes") == ("a", "b")

    await tab.send(UnfoldedState.toggle, node_id="a")
    assert tab.shows(UnfoldedState, "nodes") == ("b",)


@pytest.mark.parametrize("wrong", ["", "x" * 65, 5, None, ["a"]])
async def test_what_is_no_id_unfolds_nothing(tab: Tab, wrong: Any) -> None:
    await tab.send(UnfoldedState.toggle, node_id=wrong)

    assert not tab.shows(UnfoldedState, "nodes")


async def test_the_first_of_too_many_folds_again(tab: Tab) -> None:
    for number in range(MAX_UNFOLDED + 1):
        await tab.send(UnfoldedState.toggle, node_id=str(number))

    nodes = tab.shows(UnfoldedState, "nodes")
    assert (len(nodes), nodes[0], nodes[-1]) == (MAX_UNFOLDED, "1", str(MAX_UNFOLDED))
