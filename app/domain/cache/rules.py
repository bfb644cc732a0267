"""The vendors' public rules for their prompt caches, one row per family of models.

Sources, read in November 2026:
- Anthropic: https://platform.claude.com/docs/en/build-with-claude/prompt-caching: a cache entry is the whole prefix
  (tools, system, messages) up to a block with `cache_control`. A request has four such blocks at most; from each, the
  20 positions before it are searched for an entry. The minimum length depends on the model. A lifetime is 5 minutes or
  1 hour, counted from the start of the request that writes or reads the entry. Entries with the longer lifetime must
  come first in a request. A write costs 1.25 or 2 times the input price.
- OpenAI: https://developers.openai.com/api/docs/guides/prompt-caching and the official SDK's notes on
  `prompt_cache_options` and `prompt_cache_retention`: automatic from 1,024 tokens. Until GPT-5.5 a request reads the
  beginning of any recent request, in steps of 128 tokens, for 5 to 10 minutes, or up to 24 hours with extended
  retention. From GPT-5.6 on, one breakpoint is set at the newest message; entries must match exactly there and are
  cached for 30 minutes.
- Alibaba Cloud Model Studio, "Context Cache" (11 October 2026, and an earlier copy of the whole page): a cache block is
  everything from the start of the messages to a content part with `cache_control`, and the tools, which cannot be
  marked. It has at least 1,024 tokens. A request has four such parts at most; from each, 20 content parts are searched
  backwards. The only lifetime is 5 minutes, and a hit restarts it. Creation costs 1.25 times the input price, a hit 0.1
  times. Only the listed models have this explicit cache; snapshots are not listed. The implicit cache of the others is
  not predicted, because hits are not guaranteed.

    >>> find_rules("anthropic:claude-haiku-4-5").minimum
    4096
    >>> find_rules("openai:gpt-4o").style
    <CacheStyle.STEPPED: 'stepped'>
    >>> find_rules("offline:demo") is None
    True

Not here: prices (`prices` of a model profile).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from app.domain.models.model_profile import ModelProfile, vendor_and_name

FIVE_MINUTES = 300
HALF_AN_HOUR = 1_800
HOUR = 3_600
DAY = 86_400


class CacheStyle(StrEnum):
    """The style of a cache: the prefixes that the vendor caches.

    - `marked`: the prefix up to each breakpoint that Inview sets is cached.
    - `stepped`: every prefix is cached automatically, in steps of a fixed number of tokens.
    - `newest`: the prefix up to the newest message is cached automatically.
    """

    MARKED = "marked"
    STEPPED = "stepped"
    NEWEST = "newest"


class CacheLifetime(StrEnum):
    """The cache lifetime that a person chose: automatic, always five minutes, always an hour, or no breakpoints."""

    AUTO = "auto"
    SHORT = "5m"
    LONG = "1h"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class CacheRules:
    """The rules of a model's cache. Sizes are in tokens, lifetimes in seconds (the shortest first).

    - `marks`: the maximum number of breakpoints in a request.
    - `lookback`: the number of positions (blocks of messages) that the vendor searches for a cached entry, backwards
      from each breakpoint and including it; None: all positions.
    - `minimum`, `step`: reads of a `STEPPED` cache are rounded down to `minimum` plus a multiple of `step`.
    - `closing`: the number of tokens at the end of every prompt that belong to no message.
    - `chat`: breakpoints are parts of a message's content in Chat Completions (see `can_be_marked_in_chat`), and the
      lookback counts these parts.
    """

    style: CacheStyle
    minimum: int
    lifetimes: tuple[int, ...]
    marks: int = 0
    lookback: int | None = None
    step: int = 1
    closing: int = 0
    chat: bool = False


def _claude(minimum: int) -> CacheRules:
    return CacheRules(CacheStyle.MARKED, minimum, (FIVE_MINUTES, HOUR), marks=4, lookback=20)


def _stepped(lifetime: int) -> CacheRules:
    return CacheRules(CacheStyle.STEPPED, 1_024, (lifetime,), step=128, closing=3)


_NEWEST = CacheRules(CacheStyle.NEWEST, 1_024, (HALF_AN_HOUR,), closing=3)
_EXPLICIT = CacheRules(CacheStyle.MARKED, 1_024, (FIVE_MINUTES,), marks=4, lookback=20, chat=True)

# The rules of each vendor, by patterns of its model names. The first pattern that matches applies. A Claude model that
# is not listed gets the longest minimum, so that cache reads are predicted too rarely rather than too often.
_RULES: dict[str, tuple[tuple[str, CacheRules], ...]] = {
    "anthropic": (
        (r"claude-(fable|mythos)-5|claude-(opus|sonnet)-5-5|claude-opus-5(?!\d)", _claude(512)),
        (r"claude-mythos|claude-opus-4-7", _claude(2_048)),
        (r"claude-opus-4-[56]|claude-haiku-4-5", _claude(4_096)),
        (r"claude-sonnet|claude-opus-4|claude-4|claude-3-[57]-sonnet|claude-3-opus", _claude(1_024)),
        (r"claude-3-5-haiku|claude-haiku-3|claude-3-haiku", _claude(2_048)),
        (r"claude", _claude(4_096)),
    ),
    "openai": (
        (r"gpt-5\.([6-9]|\d\d)|gpt-([6-9]|\d\d)", _NEWEST),
        (r"gpt-4\.1(-20|$)|gpt-5", _stepped(DAY)),
        (r"gpt-4o|gpt-4\.1|gpt-4\.5|\bo[134]|codex|chatgpt", _stepped(FIVE_MINUTES)),
    ),
    # Decision 0097 names a source for each of these names.
    "alibaba": (
        (r"^qwen3-max$|^qwen3\.6-max-preview$|^qwen3\.[78]-max$", _EXPLICIT),
        (r"^qwen-(plus|flash)$|^qwen3\.[56]-(plus|flash)$|^qwen3\.8-flash$", _EXPLICIT),
        (r"^qwen3-(coder|vl)-(plus|flash)$|^deepseek-v3\.2$|^kimi-k2\.5$", _EXPLICIT),
    ),
}
_PATTERNS = {vendor: tuple((re.compile(pattern), rules) for pattern, rules in rows) for vendor, rows in _RULES.items()}


def supports_caching(profile: ModelProfile) -> bool:
    """Return true if a model's prompts are cached: the provider's public rules say so, or cache reads have a price."""
    return find_rules(profile.model) is not None or (
        profile.prices is not None and profile.prices.cache_read is not None
    )


def find_rules(model: str) -> CacheRules | None:
    """Return the cache rules of a model ("provider:model"), or None if none are known."""
    vendor, name = vendor_and_name(model)
    rows = _PATTERNS.get(vendor, ())
    return next((rules for pattern, rules in rows if pattern.search(name.lower())), None)
