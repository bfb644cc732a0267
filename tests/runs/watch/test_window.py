"""The window of a long conversation: it is never too large, and a reader can return from every place."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.domain.context.composition import Candidate
from app.domain.tokens.estimates import PairSizes
from app.runs.watch.window import MAX_PAIRS, STEP, Window, around, earlier, fit, later, newest, up_to
from app.store.conversation.pairs import WINDOW


def visible(*positions: int) -> list[Candidate]:
    return [Candidate(f"p{position}", position, PairSizes(1, 2)) for position in positions]


def shown(window: Window, pairs: Sequence[Candidate]) -> list[int]:
    return [pair.position for pair in window.cut(pairs)]


views = st.lists(st.integers(1, 2_000), unique=True, max_size=700).map(lambda found: visible(*sorted(found)))
moves = st.lists(st.sampled_from(("earlier", "later", "newest", "first", "middle")), max_size=12)


def move(window: Window, to: str, pairs: Sequence[Candidate]) -> Window:
    match to:
        case "earlier":
            return earlier(window, pairs)
        case "later":
            return later(window, pairs)
        case "newest":
            return newest(pairs)
        case "first":
            return around(0, pairs)
        case _:
            return around(1_000, pairs)


@given(views, moves)
def test_wherever_one_goes_the_window_is_a_run_of_pairs_in_view_and_never_too_large(
    pairs: list[Candidate], to: list[str]
) -> None:
    window = newest(pairs)

    for each in to:
        window = move(window, each, pairs)

    found = window.cut(pairs)
    assert len(found) <= MAX_PAIRS
    assert bool(found) is bool(pairs)
    assert window.has_earlier(pairs) is (bool(pairs) and found[0] is not pairs[0])
    assert window.has_later(pairs) is (bool(pairs) and found[-1] is not pairs[-1])


@given(views)
def test_going_earlier_again_and_again_shows_every_pair_and_ends_at_the_first(pairs: list[Candidate]) -> None:
    window = newest(pairs)
    seen = set(shown(window, pairs))

    while window.has_earlier(pairs):
        window = earlier(window, pairs)
        seen.update(shown(window, pairs))

    assert seen == {pair.position for pair in pairs}
    assert window.since == 0


@given(views)
def test_going_later_again_and_again_ends_at_the_newest_and_stays_open(pairs: list[Candidate]) -> None:
    window = around(0, pairs)
    seen = set(shown(window, pairs))

    while window.has_later(pairs):
        window = later(window, pairs)
        seen.update(shown(window, pairs))

    assert seen == {pair.position for pair in pairs}
    assert window.until is None


def test_the_newest_pairs_are_followed_by_whatever_comes() -> None:
    window = newest(visible(*range(1, 101)))

    assert len(shown(window, visible(*range(1, 101)))) == WINDOW
    assert shown(window, visible(*range(1, 103)))[-1] == 102


def test_a_short_conversation_is_shown_from_its_first_pair_whatever_comes_before_it() -> None:
    window = newest(visible(5, 6))

    assert window == Window(0, None)
    assert shown(window, visible(3, 5, 6)) == [3, 5, 6]


def test_a_step_keeps_most_of_what_was_shown() -> None:
    pairs = visible(*range(1, 1_001))
    steps = [newest(pairs)]
    for _ in range(6):
        steps.append(earlier(steps[-1], pairs))

    for before, after in pairwise(steps):
        added = set(shown(after, pairs)) - set(shown(before, pairs))
        assert len(added) == STEP
        assert max(added) < min(shown(before, pairs))


def test_a_target_pair_is_shown_with_neighbours_on_both_sides() -> None:
    pairs = visible(*range(2, 1_001, 2))

    found = shown(around(501, pairs), pairs)

    assert 502 in found
    assert found[0] < 502 - STEP // 2
    assert found[-1] > 502 + STEP // 2


def test_a_window_that_reaches_the_end_is_open_to_what_comes() -> None:
    assert fit(Window(3, 9), visible(1, 3, 5)) == Window(3, None)
    assert fit(Window(3, 4), visible(1, 3, 5)) == Window(3, 4)


def test_a_window_into_which_too_many_pairs_come_keeps_the_newest_or_those_at_its_beginning() -> None:
    pairs = visible(*range(1, 1_001))

    assert shown(fit(Window(0, None), pairs), pairs) == list(range(1_001 - MAX_PAIRS, 1_001))
    assert shown(fit(Window(11, 900), pairs), pairs) == list(range(11, 11 + MAX_PAIRS))


def test_a_page_that_is_opened_at_a_pair_ends_with_it() -> None:
    pairs = visible(*range(1, 501))

    assert up_to(100, pairs) == Window(71, 100)
    assert up_to(500, pairs) == newest(pairs)
    assert up_to(900, pairs) == newest(pairs)
    assert up_to(3, pairs) == Window(0, 3)
