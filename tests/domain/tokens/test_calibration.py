"""Calibration by simulation: models that count in other ways, wrong reports, and the resulting estimates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil
from random import Random
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.models.model_profile import ModelProfile
from app.domain.tokens.calibration import MAX_RATIO, RATIO_STEP, Observation, estimate_send, estimator_of, is_plausible
from app.domain.tokens.estimates import Estimator, PairSizes
from app.domain.tokens.families import family_of
from app.domain.tokens.images import ImageRule
from app.domain.tokens.kinds import TextKind

CLAUDE = ModelProfile("anthropic:claude-sonnet-4-5", "Claude")
UNKNOWN = ModelProfile("lab:nobody-knows-me", "Unknown")
WARM = 20


@dataclass(frozen=True)
class Model:
    """The true token counts of a model. `content` is the spread of the ratio between conversations."""

    profile: ModelProfile
    base: int
    ratio: float
    per_message: float
    noise: float = 0.01
    content: float = 0.03
    odd: float = 0.0


MODELS = {
    "as its family": Model(CLAUDE, 3, 1.18, 4),
    "a fifth more than its family": Model(CLAUDE, 8, 1.4, 6),
    "a hidden system prompt": Model(CLAUDE, 300, 1.25, 4),
    "a long hidden system prompt": Model(UNKNOWN, 2_000, 1.1, 4),
    "a small vocabulary": Model(UNKNOWN, 30, 1.6, 8),
    "a large vocabulary, no overhead": Model(UNKNOWN, 0, 0.7, 0),
    "every tenth report is nonsense": Model(CLAUDE, 8, 1.25, 4, odd=0.1),
}


def play(model: Model, seed: int, sends: int = 40) -> list[tuple[float, bool]]:
    """Simulate the sends of a person. Return the error of each estimate, and whether its band covers the error."""
    random = Random(seed)
    told: list[Observation] = []
    seen: list[tuple[float, bool]] = []
    text, messages, ratio = 0, 0, model.ratio
    for place in range(sends):
        if place == 0 or random.random() < 0.12:  # a new conversation
            text = random.randrange(300)
            messages = 1 if text else 0
            ratio = model.ratio * random.uniform(1 - model.content, 1 + model.content)
        text += int(random.lognormvariate(4, 1.2)) + 3
        messages += 1
        tokens = max(
            1, round((model.base + ratio * text + model.per_message * messages) * random.gauss(1, model.noise))
        )
        estimator = estimator_of(model.profile, told)
        off = abs(estimate_send(estimator, Observation(text, messages, tokens)) - tokens) / tokens
        seen.append((off, off <= estimator.band))
        nonsense = random.choice((tokens * 10, tokens // 10 + 1, 5, tokens + 5_000))
        told.insert(0, Observation(text, messages, nonsense if random.random() < model.odd else tokens))
        text += int(random.lognormvariate(5.3, 0.9))
        messages += 1
    return seen


@pytest.mark.parametrize("name", MODELS)
def test_estimates_are_within_five_percent_after_twenty_sends_whatever_the_model(name: str) -> None:
    played = [play(MODELS[name], seed) for seed in range(12)]

    before = sorted(one[0][0] for one in played)
    after = sorted(off for one in played for off, _ in one[WARM:])
    p95 = after[ceil(0.95 * len(after)) - 1]
    covered = [within for one in played for _, within in one[WARM:]]

    print(f"\n{name}: before median {median(before):.1%}; after median {median(after):.1%}, p95 {p95:.1%}")
    assert p95 <= 0.05
    assert sum(covered) / len(covered) >= 0.85


observations = st.lists(
    st.builds(Observation, st.integers(0, 2_000_000), st.integers(0, 5_000), st.integers(-5, 10**9)), max_size=60
)


@given(observations, st.sampled_from([CLAUDE, UNKNOWN, ModelProfile("openai:gpt-4o", "GPT-4o", images=True)]))
def test_no_report_leads_a_figure_out_of_its_bounds(told: list[Observation], profile: ModelProfile) -> None:
    family = family_of(profile.model)

    estimator = estimator_of(profile, told)

    assert family.permille / MAX_RATIO - 1 <= estimator.permille <= family.permille * MAX_RATIO + 1
    assert 0 <= estimator.base <= 20_000
    assert 0 <= estimator.per_message <= 100
    assert 0 <= estimator.band <= 1


@pytest.mark.parametrize("tokens", [500, 2_900])
def test_one_odd_report_moves_an_estimate_little_and_widens_its_band(tokens: int) -> None:
    send = Observation(1_000, 3, 1_200)
    before, after = estimator_of(CLAUDE), estimator_of(CLAUDE, [Observation(1_000, 3, tokens)])

    assert abs(estimate_send(after, send) - estimate_send(before, send)) < 0.5 * estimate_send(before, send)
    assert after.band > 2 * before.band


@pytest.mark.parametrize("tokens", [-7, 0, 1, 10, 333, 3_100, 13_200, 1_000_000])
def test_a_report_outside_a_third_to_three_times_of_the_counted_text_changes_nothing(tokens: int) -> None:
    honest = [Observation(1_000, 3, 1_250), Observation(1_500, 5, 1_870)]
    lie = Observation(1_000, 3, tokens, here=True)

    assert estimator_of(CLAUDE, [lie] * 60) == estimator_of(CLAUDE)
    assert estimator_of(CLAUDE, [lie, honest[0], *[lie] * 60, honest[1]]) == estimator_of(CLAUDE, honest)


@pytest.mark.parametrize(
    ("text", "tokens", "plausible"),
    [
        ("汉字" * 5_000, 78, False),  # a token of more than 128 characters
        ("汉字" * 5_000, 79, True),
        ("x" * 3_000, 5_200, False),  # more tokens than bytes, with all that a server may add to them
        ("x" * 3_000, 5_000, True),
    ],
)
def test_no_vocabulary_is_needed_to_know_what_a_text_cannot_come_to(text: str, tokens: int, *, plausible: bool) -> None:
    size = len(text.encode())

    for counted in (tokens, tokens * 2):  # whatever was counted of it
        one = Observation(counted, 1, tokens, characters=len(text), size=size)
        assert is_plausible(one) is plausible


def test_no_report_moves_a_figure_by_more_than_a_step() -> None:
    lies = [Observation(10_000, 3, 3_400, here=True)] * 8
    ratios = [estimator_of(UNKNOWN, lies[:count]).permille for count in range(9)]

    assert all(later >= earlier / RATIO_STEP - 1 for earlier, later in pairwise(ratios))
    assert min(ratios) >= family_of(UNKNOWN.model).permille / MAX_RATIO - 1


def test_the_latest_report_counts_most() -> None:
    old, new = Observation(2_000, 3, 2_400), Observation(2_000, 3, 2_600)

    later, earlier = [*[new] * 15, *[old] * 15], [*[old] * 15, *[new] * 15]

    assert estimate_send(estimator_of(UNKNOWN, later), new) > estimate_send(estimator_of(UNKNOWN, earlier), new)


def test_a_conversation_counts_as_its_newest_send_did() -> None:
    elsewhere = [Observation(2_000, 5, 2_300)] * 20
    here = Observation(2_000, 5, 2_600, here=True)
    next_send = Observation(2_200, 7, 2_860)

    newest = estimator_of(UNKNOWN, [here, *elsewhere])
    a_while_ago = estimator_of(UNKNOWN, [*elsewhere[:5], here, *elsewhere])

    assert abs(estimate_send(newest, next_send) - 2_860) < 40
    assert abs(estimate_send(a_while_ago, next_send) - 2_860) < 40


def test_a_senseless_report_of_a_conversation_is_no_measure_for_it() -> None:
    elsewhere = [Observation(2_000, 5, 2_300)] * 20

    estimator = estimator_of(UNKNOWN, [Observation(2_000, 5, 90_000, here=True), *elsewhere])

    assert abs(estimate_send(estimator, elsewhere[0]) - 2_300) < 100


def test_without_reports_the_family_applies() -> None:
    untaught = estimator_of(CLAUDE)

    assert replace(untaught, new=(), slack=0.0) == Estimator("anthropic", 1_180, 4, 3, 0.15)
    assert untaught.range_of(TextKind.PLAIN) == (1_003, 1_357)
    assert untaught.range_of(TextKind.FOREIGN) == family_of(CLAUDE.model).kinds.foreign


def test_images_count_only_for_models_that_take_them() -> None:
    sizes = PairSizes(text=0, messages=0, images=((1_000, 1_000),))

    assert estimator_of(CLAUDE).of_pair(sizes) == 0
    assert estimator_of(ModelProfile(CLAUDE.model, "Claude", images=True)).of_pair(sizes) == 1_296


@pytest.mark.parametrize(
    ("model", "permille", "images"),
    [
        ("anthropic:claude-3-5-sonnet-20241022", 1_180, ImageRule.ANTHROPIC),
        ("anthropic:claude-opus-4-20250514", 1_180, ImageRule.ANTHROPIC),
        ("anthropic:claude-haiku-4-5-20251001", 1_180, ImageRule.ANTHROPIC),
        ("anthropic:claude-sonnet-4-6", 1_180, ImageRule.ANTHROPIC),
        ("openrouter:anthropic/claude-3.7-sonnet", 1_180, ImageRule.ANTHROPIC),
        ("anthropic:claude-opus-4-7", 1_530, ImageRule.ANTHROPIC_LARGE),
        ("anthropic:claude-opus-4-10", 1_530, ImageRule.ANTHROPIC_LARGE),
        ("anthropic:claude-sonnet-5", 1_530, ImageRule.ANTHROPIC_LARGE),
        ("openai:gpt-4o", 1_000, ImageRule.OPENAI_85_170),
        ("openai:gpt-4o-mini", 1_000, ImageRule.OPENAI_2833_5667),
        ("openai:gpt-4.1-mini", 1_000, ImageRule.OPENAI_PATCHES_162),
        ("openai:gpt-5", 1_000, ImageRule.OPENAI_70_140),
        ("openai:gpt-5-nano", 1_000, ImageRule.OPENAI_PATCHES_246),
        ("openai:o4-mini", 1_000, ImageRule.OPENAI_PATCHES_172),
        ("openai:o3", 1_000, ImageRule.OPENAI_75_150),
        ("google:gemini-2.5-flash", 1_080, ImageRule.GEMINI_TILES),
        ("google:gemini-3-pro-preview", 1_080, ImageRule.GEMINI_FIXED),
        ("groq:llama-3.3-70b-versatile", 1_010, ImageRule.OPENAI_85_170),
    ],
)
def test_families_by_name(model: str, permille: int, images: ImageRule) -> None:
    family = family_of(model)

    assert (family.permille, family.images) == (permille, images)


def test_senseless_report_of_the_conversation_itself_leaves_no_bound() -> None:
    """A report of fourteen tokens for nine thousand words: a boundary from this report would let everything through."""
    profile = ModelProfile("peer:any", "Any")

    told = estimator_of(profile, [Observation(text=9_012, messages=1, tokens=14, here=True)])

    assert told.permille >= estimator_of(profile).permille / 3
