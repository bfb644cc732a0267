"""Tokens of images, by each vendor's published formula. Sizes are in pixels, results are whole tokens.

    >>> count_image(ImageRule.OPENAI_85_170, 2048, 4096)
    1105

An image of unknown size (0 by 0) counts as the largest possible image, so that the estimate is rather too high than too
low. Not here: PDF pages and video, because the published formulas do not cover them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from fractions import Fraction
from math import isqrt
from types import MappingProxyType

UNKNOWN_SIDE = 4_096
"""Assumed side of an image of unknown size, in pixels. Every vendor scales such an image down to its own limit."""


class ImageRule(StrEnum):
    """The published formula for a model's images.

    Two numbers in a name are the tokens of an image and of each of its tiles.
    """

    NONE = "none"
    ANTHROPIC = "anthropic"
    ANTHROPIC_LARGE = "anthropic_large"
    OPENAI_85_170 = "openai_85_170"
    OPENAI_75_150 = "openai_75_150"
    OPENAI_70_140 = "openai_70_140"
    OPENAI_2833_5667 = "openai_2833_5667"
    OPENAI_PATCHES = "openai_patches"
    OPENAI_PATCHES_LARGE = "openai_patches_large"
    OPENAI_PATCHES_162 = "openai_patches_162"
    OPENAI_PATCHES_172 = "openai_patches_172"
    OPENAI_PATCHES_246 = "openai_patches_246"
    GEMINI_TILES = "gemini_tiles"
    GEMINI_FIXED = "gemini_fixed"
    GEMMA = "gemma"
    GROK = "grok"
    PIXTRAL = "pixtral"
    QWEN = "qwen"


def count_image(rule: ImageRule, width: int, height: int) -> int:
    """Return the tokens of an image of this width and height in pixels."""
    if width <= 0 or height <= 0:
        width = height = UNKNOWN_SIDE
    return _COUNTS[rule](width, height)


def count_anthropic(width: int, height: int, *, longest: int, most: int) -> int:
    """Count the tokens of an image for Claude: one for each patch of 28 by 28 pixels, ⌈w/28⌉·⌈h/28⌉.

    (Anthropic documented w·h/750 earlier.) If the longer side or the number of tokens exceeds its limit (1,568 for
    both; from Opus 4.7 on 2,576 and 4,784), the image is first scaled down to the largest size that fits. Source:
    https://platform.claude.com/docs/en/build-with-claude/vision.
    """
    columns, rows = -(-width // 28), -(-height // 28)
    if max(width, height) <= longest and columns * rows <= most:
        return columns * rows
    # Find the largest size with this aspect ratio by a binary search over the longer side.
    low, high = 1, longest
    longer, shorter = max(width, height), min(width, height)
    while low < high:
        side = (low + high + 1) // 2
        if -(-side // 28) * -(-max(1, side * shorter // longer) // 28) <= most:
            low = side
        else:
            high = side - 1
    return -(-low // 28) * -(-max(1, low * shorter // longer) // 28)


def count_openai_tiles(width: int, height: int, *, base: int, tile: int, low: bool = False) -> int:
    """Count the tokens of an image for OpenAI: `base` for the image, and `tile` for each tile of 512 pixels.

    The image is first scaled down to fit 2,048 by 2,048, and then to a shorter side of 768. `low` detail costs only the
    base. Inview sends "auto", which means high detail for all but tiny images. Source:
    https://developers.openai.com/api/docs/guides/images-vision, "Calculating costs".
    """
    if low:
        return base
    scale = min(Fraction(1), Fraction(2_048, max(width, height)))
    scale = min(scale, Fraction(768, min(width, height)))
    return base + tile * _tiles(width * scale, 512) * _tiles(height * scale, 512)


def count_openai_patches(
    width: int, height: int, *, permille: int = 1_000, most: int = 1_536, longest: int = 2_048
) -> int:
    """Count the tokens of an image for OpenAI: one for each patch of 32 pixels, times a factor of the model.

    `permille` is that factor times a thousand. An image with more than `most` patches is scaled down until they fit,
    and then to a whole number of patches. Source: https://developers.openai.com/api/docs/guides/images-vision,
    "Calculating costs".
    """
    return -(-_patches(width, height, most, longest) * permille // 1_000)


def _patches(width: int, height: int, most: int, longest: int) -> int:
    longer = max(width, height)
    w, h = Fraction(width), Fraction(height)
    if longer > longest:
        w, h = w * longest / longer, h * longest / longer
    if _tiles(w, 32) * _tiles(h, 32) <= most:
        return _tiles(w, 32) * _tiles(h, 32)
    # The factor is r = √(32²·most / (w·h)), then r times the smaller of ⌊side·r/32⌋ / (side·r/32) for the two sides.
    area = w * h
    precision = 10**6
    r = Fraction(isqrt(int(32 * 32 * most * precision**2 / area)), precision)
    across, down = w * r / 32, h * r / 32
    r *= min(max(1, across // 1) / across, max(1, down // 1) / down)
    return min(most, max(1, round(w * r / 32)) * max(1, _tiles(h * r, 32)))


def count_gemini_tiles(width: int, height: int) -> int:
    """Count the tokens of an image for Gemini: 258 if no side is longer than 384 pixels, otherwise 258 for each tile.

    Tiles are squares of ⌊shorter side / 1.5⌋ pixels, at least 256 and at most 768. Source:
    https://ai.google.dev/gemini-api/docs/image-understanding, "Token calculation" (Gemini 2).
    """
    if max(width, height) <= 384:
        return 258
    side = min(768, max(256, min(width, height) * 2 // 3))
    return 258 * -(-width // side) * -(-height // side)


def count_grok(width: int, height: int) -> int:
    """Count the tokens of an image for Grok: 256 for each tile of 448 pixels (six tiles at most), plus 256.

    Source: https://docs.x.ai/docs/guides/image-understanding.
    """
    return 256 * (1 + min(6, -(-width // 448) * -(-height // 448)))


def count_pixtral(width: int, height: int) -> int:
    """Count the tokens of an image for Pixtral: one for each patch of 16 pixels, plus one at the end of each row.

    The image is first scaled down to fit 1,024 by 1,024. Source: https://huggingface.co/mistralai/Pixtral-12B-2409 and
    the `mistral-common` package.
    """
    scale = min(Fraction(1), Fraction(1_024, max(width, height)))
    return (_tiles(width * scale, 16) + 1) * _tiles(height * scale, 16)


def count_qwen(width: int, height: int) -> int:
    """Count the tokens of an image for Qwen: one for each 28 by 28 pixels, plus two marker tokens.

    Sides are rounded to multiples of 28. Usually at most 1,280 such squares are counted. Source:
    https://github.com/QwenLM/Qwen2.5-VL, "Image resolution".
    """
    across, down = max(1, round(width / 28)), max(1, round(height / 28))
    return min(1_280, across * down) + 2


def _tiles(length: Fraction | int, side: int) -> int:
    return -int(-length // side)


_COUNTS: Mapping[ImageRule, Callable[[int, int], int]] = MappingProxyType(
    {
        ImageRule.NONE: lambda _width, _height: 0,
        ImageRule.ANTHROPIC: lambda width, height: count_anthropic(width, height, longest=1_568, most=1_568),
        ImageRule.ANTHROPIC_LARGE: lambda width, height: count_anthropic(width, height, longest=2_576, most=4_784),
        ImageRule.OPENAI_85_170: lambda width, height: count_openai_tiles(width, height, base=85, tile=170),
        ImageRule.OPENAI_75_150: lambda width, height: count_openai_tiles(width, height, base=75, tile=150),
        ImageRule.OPENAI_70_140: lambda width, height: count_openai_tiles(width, height, base=70, tile=140),
        ImageRule.OPENAI_2833_5667: lambda width, height: count_openai_tiles(width, height, base=2_833, tile=5_667),
        ImageRule.OPENAI_PATCHES: count_openai_patches,
        ImageRule.OPENAI_PATCHES_LARGE: lambda width, height: count_openai_patches(width, height, most=2_500),
        ImageRule.OPENAI_PATCHES_162: lambda width, height: count_openai_patches(width, height, permille=1_620),
        ImageRule.OPENAI_PATCHES_172: lambda width, height: count_openai_patches(width, height, permille=1_720),
        ImageRule.OPENAI_PATCHES_246: lambda width, height: count_openai_patches(width, height, permille=2_460),
        ImageRule.GEMINI_TILES: count_gemini_tiles,
        ImageRule.GEMINI_FIXED: lambda _width, _height: 1_120,
        ImageRule.GEMMA: lambda _width, _height: 256,
        ImageRule.GROK: count_grok,
        ImageRule.PIXTRAL: count_pixtral,
        ImageRule.QWEN: count_qwen,
    }
)
