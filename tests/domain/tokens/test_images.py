"""Images against the examples that the vendors publish."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.tokens.images import ImageRule, count_image, count_openai_tiles


@pytest.mark.parametrize(
    ("rule", "width", "height", "tokens"),
    [
        # platform.claude.com/docs/en/build-with-claude/vision: one token per 28 by 28 pixels, and the limits
        (ImageRule.ANTHROPIC, 200, 200, 64),
        (ImageRule.ANTHROPIC, 1_000, 1_000, 1_296),
        (ImageRule.ANTHROPIC, 1_092, 1_092, 1_521),
        (ImageRule.ANTHROPIC_LARGE, 1_000, 1_000, 1_296),
        # OpenAI's guide to images, "Calculating costs"
        (ImageRule.OPENAI_85_170, 1_024, 1_024, 765),
        (ImageRule.OPENAI_85_170, 2_048, 4_096, 1_105),
        (ImageRule.OPENAI_PATCHES, 1_024, 1_024, 1_024),
        (ImageRule.OPENAI_PATCHES, 1_800, 2_400, 1_452),
        # ai.google.dev/gemini-api/docs/image-understanding: 258 per tile; 960 by 540 makes 3 by 2 tiles
        (ImageRule.GEMINI_TILES, 384, 384, 258),
        (ImageRule.GEMINI_TILES, 960, 540, 6 * 258),
        # docs.x.ai: 256 per tile and one more, at most six tiles
        (ImageRule.GROK, 448, 448, 512),
        (ImageRule.GROK, 10_000, 10_000, 1_792),
        (ImageRule.NONE, 1_024, 1_024, 0),
    ],
)
def test_published_examples(rule: ImageRule, width: int, height: int, tokens: int) -> None:
    assert count_image(rule, width, height) == tokens


def test_low_detail_costs_the_base_alone() -> None:
    assert count_openai_tiles(4_096, 8_192, base=85, tile=170, low=True) == 85


@pytest.mark.parametrize(("rule", "most"), [(ImageRule.ANTHROPIC, 1_568), (ImageRule.ANTHROPIC_LARGE, 4_784)])
def test_claude_scales_down_to_its_limit_and_not_far_below(rule: ImageRule, most: int) -> None:
    assert 0.95 * most < count_image(rule, 4_000, 3_000) <= most


@given(st.sampled_from(list(ImageRule)), st.integers(1, 20_000), st.integers(1, 20_000))
def test_every_image_has_a_count_that_is_bounded_for_all_rules_but_that_of_endless_tiles(
    rule: ImageRule, width: int, height: int
) -> None:
    tokens = count_image(rule, width, height)

    assert 0 <= tokens <= (258 * 28 * 28 if rule is ImageRule.GEMINI_TILES else 60_000)
    assert (tokens == 0) == (rule is ImageRule.NONE)


@pytest.mark.parametrize("rule", [rule for rule in ImageRule if rule is not ImageRule.NONE])
def test_an_unknown_size_counts_as_a_large_image(rule: ImageRule) -> None:
    assert count_image(rule, 0, 0) >= count_image(rule, 512, 512) > 0
