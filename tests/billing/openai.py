"""A bill as OpenAI computes it, from the bytes of requests alone, by its public rules.

Source: https://developers.openai.com/api/docs/guides/prompt-caching, read in November 2026. Caching is automatic for
prompts of 1,024 tokens and more, "exact prefix matches" only. Until GPT-5.5: the part that a prompt shares with a
recently processed one is read, 1,024 tokens and then in steps of 128; requests with another `prompt_cache_key` go to
other machines; writing costs nothing; "5 to 10 minutes of inactivity" (five here, the less favourable case). From
GPT-5.6 on: one breakpoint at the newest message, entries match exactly there, 30 minutes, writing at 1.25 times the
input price.

Tokens are counted with the vendor's own vocabulary; each message has four more, and every prompt three at its end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from os.path import commonprefix
from typing import Any

from app.providers.counts.vocabularies import counter, vocabulary_of

MINIMUM, STEP, CLOSING, FRAME = 1_024, 128, 3, 4


@dataclass(frozen=True)
class Said:
    """A message of a prompt, with its tokens."""

    role: str
    words: str
    tokens: int


@dataclass
class Processed:
    """A prompt that a machine has processed, with its expiry."""

    said: list[Said]
    until: datetime

    @property
    def tokens(self) -> int:
        return sum(message.tokens for message in self.said)


@dataclass
class OpenAiCache:
    """The caches of the machines. `newest`: the rules from GPT-5.6 on. `machines` by prompt_cache_key."""

    newest: bool = False
    machines: dict[str, list[Processed]] = field(default_factory=dict[str, list[Processed]])

    def bill(self, body: dict[str, Any], at: datetime) -> dict[str, Any]:
        """Return the `usage` of this request's input."""
        said, count = list_said(body), _counter(body)
        tokens = sum(message.tokens for message in said)
        seen = [one for one in self.machines.get(body.get("prompt_cache_key", ""), []) if one.until > at]
        if self.newest:
            read = max((one.tokens for one in seen if one.said == said[: len(one.said)]), default=0)
        else:
            longest = max((_common(one.said, said, count) for one in seen), default=0)
            read = 0 if longest < MINIMUM else MINIMUM + (longest - MINIMUM) // STEP * STEP
        kept = tokens >= MINIMUM
        if kept:
            until = at + timedelta(minutes=30 if self.newest else 5)
            self.machines[body.get("prompt_cache_key", "")] = [*seen, Processed(said, until)]
        written = tokens - read if self.newest and kept else 0
        details = {"cached_tokens": read, "cache_write_tokens": written}
        return {"input_tokens": tokens + CLOSING, "input_tokens_details": details, "total_tokens": tokens + CLOSING}


def list_said(body: dict[str, Any]) -> list[Said]:
    """Return the messages of a prompt in order, the instructions first."""
    count = _counter(body)
    said = [("system", body["instructions"])] if body.get("instructions") else []
    said += [(item["role"], item["content"]) for item in body["input"]]
    return [Said(role, words, count(words) + FRAME) for role, words in said]


def _counter(body: dict[str, Any]) -> Callable[[str], int]:
    return counter(vocabulary_of(f"openai:{body['model']}"))


def _common(one: list[Said], other: list[Said], count: Callable[[str], int]) -> int:
    """Return the number of tokens at the start that two prompts share, also within the first message that differs."""
    same = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            words = commonprefix([a.words, b.words])  # noqa: RUF071 - character by character is what is meant
            return same + (FRAME - 1 + count(words) if a.role == b.role else 0)
        same += a.tokens
    return same
