from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from app.domain.context.budget import Limits
from app.domain.context.composition import BoundaryInputs, Candidate, compose, draw_boundary, measure, price_tokens
from app.domain.context.context import OutReason
from app.domain.tokens.estimates import Estimator, PairSizes

ESTIMATOR = Estimator("any", permille=1_300, per_message=4, base=3)

STATES = st.sampled_from(["sendable", "sendable", "failed", "running"])


def number(drawn: list[tuple[int, str]]) -> list[Candidate]:
    """Build pairs with these sizes and states, oldest first, with gaps between their positions."""
    return [
        Candidate(
            f"p{place}",
            place * 2,
            PairSizes(text, 2),
            OutReason.FAILED if state == "failed" else None,
            state == "running",
        )
        for place, (text, state) in enumerate(drawn, 1)
    ]


def limit(tokens: int, system: int) -> BoundaryInputs:
    return BoundaryInputs(ESTIMATOR, 8_192, Limits(reserve=50, tokens=tokens), system=system)


CANDIDATES = st.lists(st.tuples(st.integers(0, 400), STATES), max_size=25).map(number)
TERMS = st.builds(limit, st.integers(0, 4_000), st.integers(0, 300))


@given(CANDIDATES, TERMS, st.integers(0, 500))
def test_what_fits_is_the_longest_run_of_newest_pairs_and_never_more_than_the_budget(
    pairs: list[Candidate], terms: BoundaryInputs, draft: int
) -> None:
    base = measure(pairs, ESTIMATOR)
    composition = compose(base, draw_boundary(base, terms, draft))

    sendable = [pair for pair in pairs if pair.sendable]
    sent, estimate = composition.sent, composition.estimate
    assert list(sent) == sendable[len(sendable) - len(sent) :]
    assert estimate.pairs == sum(ESTIMATOR.of_pair(pair.sizes) for pair in sent)
    assert estimate.pairs <= estimate.available
    assert not sent or estimate.tokens + estimate.reserve <= estimate.limit
    if len(sent) < len(sendable):
        one_more = ESTIMATOR.of_pair(sendable[-len(sent) - 1].sizes)
        assert estimate.pairs + one_more > estimate.available
    alone = estimate.tokens - estimate.pairs + estimate.reserve
    assert composition.too_large_alone is (alone > estimate.limit)
    assert composition.over_budget is (len(sent) < len(sendable) or composition.too_large_alone)


@given(CANDIDATES, TERMS)
def test_every_pair_in_view_is_sent_or_out_or_running_and_x_and_y_count_them(
    pairs: list[Candidate], terms: BoundaryInputs
) -> None:
    base = measure(pairs, ESTIMATOR)
    composition = compose(base, draw_boundary(base, terms))

    running = [pair for pair in pairs if pair.running]
    assert composition.x == len(composition.sent)
    assert composition.y == len(pairs) - len(running)
    assert composition.x + len(composition.out) + len(running) == len(pairs)


@given(CANDIDATES, TERMS)
def test_forced_sends_all_that_can_be_sent_and_a_filter_of_the_boundary_never_does(
    pairs: list[Candidate], terms: BoundaryInputs
) -> None:
    base = measure(pairs, ESTIMATOR)
    drawn = draw_boundary(base, terms)

    assert [pair for pair in pairs if pair.sendable] == list(compose(base, drawn, forced=True).sent)
    explicit = compose(base, drawn, explicit=True, forced=True)
    assert explicit.sent == compose(base, drawn).sent
    assert explicit.over_budget is explicit.too_large_alone
    assert set(explicit.out.values()) <= {OutReason.FILTERED, OutReason.FAILED}


def test_a_prompt_past_a_step_is_priced_at_the_price_past_it() -> None:
    terms = replace(limit(10, 0), input_price=Decimal(3), input_steps=((200_000, Decimal(6)), (500_000, Decimal(9))))

    assert price_tokens(terms, 200_000) == Decimal("0.6")
    assert price_tokens(terms, 200_001) == Decimal("1.200006")
    assert price_tokens(terms, 1_000_000) == Decimal(9)
    assert price_tokens(replace(terms, free=True), 1_000_000) == 0
