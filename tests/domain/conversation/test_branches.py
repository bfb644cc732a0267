"""Branches: the names of forks, and the tree they make."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation.branches import MAX_TITLE, Branch, ForkPoint, name_fork, order_branches
from tests.builders import EPOCH


def a_branch(name: str, parent: str | None = None, *, at: int = 0, minute: int = 0) -> Branch:
    """Return a branch that leaves its parent after the pair at that position."""
    fork = None if parent is None else ForkPoint(f"{parent}-{at}", at, "Why?")
    made = EPOCH + timedelta(minutes=minute)
    return Branch(name, parent, name, "", "", 1, running=False, fork=fork, created_at=made, updated_at=made)


def drawn(*branches: Branch) -> str:
    return " ".join(f"{one.branch.id}{one.depth}" for one in order_branches(branches))


def test_forks_are_listed_below_their_parent_in_the_order_of_their_fork_points() -> None:
    late = a_branch("late", "root", at=5, minute=1)
    early = a_branch("early", "root", at=2, minute=2)
    second = a_branch("second", "root", at=2, minute=3)

    assert drawn(second, late, a_branch("deep", "early", at=9), early, a_branch("root")) == (
        "root0 early1 deep2 second1 late1"
    )


def test_forks_of_a_parent_that_is_gone_begin_the_tree() -> None:
    assert drawn(a_branch("a", "gone", at=1), a_branch("b", "gone", at=3), a_branch("c", "a", at=1)) == "a0 c1 b0"


@given(st.lists(st.sampled_from("abcdefg"), max_size=7))
def test_every_branch_has_one_place_whatever_is_whose_parent(parents: list[str]) -> None:
    names = "abcdefg"[: len(parents)]
    branches = [a_branch(name, parent) for name, parent in zip(names, parents, strict=True)]

    placed = order_branches(branches)

    assert sorted(one.branch.id for one in placed) == list(names)
    for before, one in pairwise(placed):
        assert one.depth <= before.depth + 1


def test_fork_has_a_name_that_no_relative_has() -> None:
    assert name_fork("Plans", ["Plans"]) == "Fork of Plans"
    assert name_fork("Plans", ["Fork of Plans", "Fork 2 of Plans"]) == "Fork 3 of Plans"
    assert name_fork("Fork 3 of Plans", ["Fork 3 of Plans"]) == "Fork of Plans"
    assert name_fork("", []) == "Fork"
    assert name_fork("", ["Fork"]) == "Fork 2"
    assert len(name_fork("x" * MAX_TITLE, [])) == MAX_TITLE
