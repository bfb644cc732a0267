from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from operator import attrgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.context import pair_index as module
from app.domain.context.budget import Limits
from app.domain.context.composition import BoundaryInputs, Candidate, compose, draw_boundary, measure
from app.domain.context.context import OutReason
from app.domain.context.pair_index import FullIndex, PairIndex, measure_at
from app.domain.tokens.estimates import Estimator, PairSizes
from app.domain.tokens.images import ImageRule

ESTIMATOR = Estimator("anthropic", permille=1_300, per_message=4, base=3, images=ImageRule.ANTHROPIC)
POSITIONS = st.integers(1, 60)

SIZES = st.builds(
    PairSizes,
    st.integers(0, 400),
    st.integers(1, 4),
    st.sampled_from([0, 0, 50]),
    st.sampled_from([None, "anthropic", "other"]),
    st.sampled_from([(), (), ((640, 480),)]),
)
STATES = st.sampled_from(["sendable", "sendable", "failed", "running"])


@pytest.fixture(autouse=True, scope="module")
def small_blocks() -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", 4)
        yield None


def pair(position: int, sizes: PairSizes, state: str, revision: int) -> Candidate:
    if state == "running":
        return Candidate(f"p{position}", position, PairSizes(0, 0), running=True, revision=revision)
    thinking_vendor = sizes.thinking_vendor if sizes.thinking else None
    failed = OutReason.FAILED if state == "failed" else None
    return Candidate(f"p{position}", position, replace(sizes, thinking_vendor=thinking_vendor), failed, False, revision)


PAIRS = st.builds(pair, POSITIONS, SIZES, STATES, st.integers(0, 9))
STEPS = st.lists(st.tuples(st.lists(PAIRS, max_size=12), st.sets(POSITIONS, max_size=4)), max_size=6)


def grow(steps: list[tuple[list[Candidate], set[int]]]) -> tuple[PairIndex, list[Candidate]]:
    """Return the index after these steps, and its expected content."""
    index, there = PairIndex(), dict[int, Candidate]()
    for changed, deleted in steps:
        deleted -= {one.position for one in changed}
        index = index.follow(changed, deleted)
        there |= {one.position: one for one in changed}
        for position in deleted:
            there.pop(position, None)
    return index, [there[position] for position in sorted(there)]


@given(STEPS, POSITIONS, POSITIONS)
def test_an_index_holds_what_it_followed(steps: list[tuple[list[Candidate], set[int]]], since: int, until: int) -> None:
    index, there = grow(steps)

    sendable = [one.position for one in there if one.sendable]
    running = [one for one in there if one.running]
    assert list(FullIndex(index, ESTIMATOR).pairs) == there
    assert len(index) == len(there)
    assert index.find(since) == next((one for one in there if one.position == since), None)
    assert index.newest(3) == (there[-3].position if len(there) > 2 else None)
    assert index.newest_sendable == (sendable[-1] if sendable else None)
    assert index.running == (running[-1].pair_id if running else None)
    assert index.count_sendable() == len(sendable)
    assert index.count_sendable(since, until) == sum(since <= position < until for position in sendable)
    assert index.count_running(until) == sum(one.position < until for one in running)


@given(STEPS, st.integers(0, 60), st.none() | POSITIONS, st.integers(0, 3_000), st.booleans(), st.booleans())
def test_all_of_a_conversation_is_measured_as_its_pairs_one_by_one(  # noqa: PLR0917 - what a boundary is of
    steps: list[tuple[list[Candidate], set[int]]],
    checkpoint: int,
    before: int | None,
    tokens: int,
    forced: bool,
    explicit: bool,
) -> None:
    index, there = grow(steps)
    terms = BoundaryInputs(ESTIMATOR, 8_192, Limits(reserve=0, tokens=tokens))
    lazy = FullIndex(index, ESTIMATOR, checkpoint)
    plain = measure_at(index, [one.position for one in there], ESTIMATOR, checkpoint)
    if before is not None:
        lazy, plain = lazy.cut(before), plain.cut(before)

    found, expected = [
        compose(base, draw_boundary(base, terms), explicit=explicit, forced=forced) for base in (lazy, plain)
    ]

    assert (found.x, found.y, found.boundary, found.estimate) == (
        expected.x,
        expected.y,
        expected.boundary,
        expected.estimate,
    )
    assert (found.sent, found.first_sent, found.out) == (expected.sent, expected.first_sent, expected.out)
    assert found.over_budget == expected.over_budget
    assert list(lazy.pairs) == list(plain.pairs)
    assert list(lazy.tokens) == list(plain.tokens)
    assert (len(lazy), lazy.running, lazy.sendable, lazy.newest) == (
        len(plain),
        plain.running,
        plain.sendable,
        plain.newest,
    )


def test_what_does_not_fit_is_not_looked_at() -> None:
    many = [pair(position, PairSizes(100, 2), "sendable", 1) for position in range(1, 401)]
    index = PairIndex().follow(many)
    terms = BoundaryInputs(ESTIMATOR, 8_192, Limits(reserve=0, tokens=1_000))

    whole = FullIndex(index, ESTIMATOR)
    composition = compose(whole, draw_boundary(whole, terms))

    assert composition.sent == measure(many, ESTIMATOR).pairs[-composition.x :]
    assert 0 < composition.x < 10
    assert sum(block.is_looked_at for block in index.blocks) <= 3


def test_a_later_index_shares_the_blocks_in_which_nothing_changed() -> None:
    index = PairIndex().follow(pair(position, PairSizes(1, 2), "sendable", 1) for position in range(1, 401))

    later = index.follow([pair(401, PairSizes(1, 2), "sendable", 2)])

    assert len(index.blocks) == 100
    assert all(one is other for one, other in zip(later.blocks[:99], index.blocks[:99], strict=True))
    assert len(later) == 401


@given(STEPS, st.integers(0, 60), st.none() | st.integers(-70, 70), st.none() | st.integers(-70, 70), st.integers(1, 3))
def test_pairs_are_cut_as_a_tuple_is(
    steps: list[tuple[list[Candidate], set[int]]], checkpoint: int, first: int | None, end: int | None, step: int
) -> None:
    index, there = grow(steps)
    pairs = FullIndex(index, ESTIMATOR, checkpoint).pairs
    plain = measure_at(index, [one.position for one in there], ESTIMATOR, checkpoint).pairs

    assert pairs[first:end:step] == plain[first:end:step]
    assert pairs[first:end] == plain[first:end]
    assert [pairs[at] for at in range(-len(pairs), len(pairs))] == [*plain, *plain]
    with pytest.raises(IndexError):
        pairs[len(pairs)]


def test_a_window_of_a_long_conversation_makes_few_of_its_pairs() -> None:
    index = PairIndex().follow(pair(position, PairSizes(1, 2), "sendable", 1) for position in range(1, 4_001))
    pairs = FullIndex(index, ESTIMATOR).pairs

    shown = pairs[-30:]
    at = bisect_left(pairs, 1_234, key=attrgetter("position"))

    assert (shown[0].position, pairs[at].position, len(pairs)) == (3_971, 1_234, 4_000)
    assert sum(block.is_looked_at for block in index.blocks) <= 25 < len(index.blocks) / 4
