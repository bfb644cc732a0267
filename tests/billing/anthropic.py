"""A bill as Anthropic computes it, from the bytes of requests alone, by its public rules.

Source: https://platform.claude.com/docs/en/build-with-claude/prompt-caching, read in November 2026:
- Prefixes consist of tools, then system, then messages. "Cache writes happen only at your breakpoint": marking a block
  writes exactly one entry, of the whole prefix that ends there. Four breakpoints at most.
- Reads look backward: "at most 20 positions per breakpoint, counting the breakpoint itself as the first", and "resumes
  from the next explicit breakpoint, if any". Consecutive tool calls are one position, and so are tool results.
- A prefix shorter than the model's minimum is processed without caching, and no error is returned.
- 5 minutes, or 1 hour with `ttl`, "measured from the start of the request that writes or reads the cache entry".
  Entries with a longer lifetime must come before shorter ones.
- Bill, with A the highest hit, B the last one-hour breakpoint after A, C the last breakpoint: A is read, B - A is
  written for an hour, C - B for five minutes, and the rest is input. Prices relative to input: 0.1, 2, 1.25 and 1.
- "Thinking parameters" and the model are part of what must be equal; `max_tokens` and sampling are not.

Where the page leaves a question open, the more expensive reading applies: reading an entry prolongs that entry alone.

The tokenizer is not Anthropic's, which is not public: a block has one token per three and a half bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

READ, PLAIN, SHORT, LONG = 0.1, 1.0, 1.25, 2.0
"""Prices of a token relative to a token of input."""


class RefusedError(Exception):
    """A request that the API would answer with 400."""


@dataclass(frozen=True)
class Block:
    """A block of a prompt.

    `key` identifies the prefix that ends with it. `tokens` are its own, `total` those of the prefix. `position` is its
    position for the lookback, `lifetime` the lifetime of its breakpoint in seconds.
    """

    key: str
    tokens: int
    total: int
    position: int
    lifetime: int | None


@dataclass
class Kept:
    lifetime: int
    expires_at: datetime


@dataclass
class AnthropicCache:
    """The cache of one workspace. `minimum` is the model's."""

    minimum: int = 1_024
    entries: dict[str, Kept] = field(default_factory=dict[str, Kept])

    def bill(self, body: dict[str, Any], at: datetime) -> dict[str, Any]:
        """Return the `usage` of this request's prompt. Entries are written at once, as the answer starts at once."""
        blocks = list_blocks(body)
        return self.bill_blocks(blocks, {n: block.lifetime for n, block in enumerate(blocks) if block.lifetime}, at)

    def bill_blocks(self, blocks: Sequence[Block], marks: Mapping[int, int], at: datetime) -> dict[str, Any]:
        """Return the same for blocks, with the breakpoints by the number of their block."""
        marked = sorted(marks)
        _require_usable([marks[number] for number in marked])
        hit = self._find(blocks, marked, at)
        read = 0
        if hit is not None:
            kept = self.entries[blocks[hit].key]
            kept.expires_at = at + timedelta(seconds=kept.lifetime)
            read = blocks[hit].total
        hour, last = read, read
        for number in marked:
            if blocks[number].total < self.minimum or (hit is not None and number <= hit):
                continue
            self.entries[blocks[number].key] = Kept(marks[number], at + timedelta(seconds=marks[number]))
            last = blocks[number].total
            hour = last if marks[number] > 300 else hour
        return {
            "input_tokens": blocks[-1].total - last,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": last - read,
            "cache_creation": {"ephemeral_5m_input_tokens": last - hour, "ephemeral_1h_input_tokens": hour - read},
        }

    def _find(self, blocks: Sequence[Block], marked: Sequence[int], at: datetime) -> int | None:
        for mark in reversed(marked):
            for number in range(mark, -1, -1):
                if blocks[mark].position - blocks[number].position >= 20:
                    break
                kept = self.entries.get(blocks[number].key)
                if kept is not None and kept.expires_at > at:
                    return number
        return None


def price(usage: dict[str, Any]) -> float:
    """Return the cost of a prompt in prices of a token of input."""
    written = usage["cache_creation"]
    return (
        usage["input_tokens"] * PLAIN
        + usage["cache_read_input_tokens"] * READ
        + written["ephemeral_5m_input_tokens"] * SHORT
        + written["ephemeral_1h_input_tokens"] * LONG
    )


def list_blocks(body: dict[str, Any]) -> list[Block]:
    """Return the blocks of a request in the order of prefixes."""
    digest, position, kind = sha256(body["model"].encode()).hexdigest(), -1, ""
    blocks: list[Block] = []
    for said, level, control in _walk(body):
        digest = sha256(f"{digest}{level}{json.dumps(said, sort_keys=True)}".encode()).hexdigest()
        same = said.get("type") == kind and kind in {"tool_use", "tool_result"}
        kind = said.get("type", "")
        position += 0 if same else 1
        tokens = max(1, round(len(json.dumps(said, ensure_ascii=False).encode()) / 3.5))
        total = tokens + (blocks[-1].total if blocks else 0)
        blocks.append(Block(digest, tokens, total, position, control))
    return blocks


def strip(body: dict[str, Any]) -> dict[str, Any]:
    """Return the request without breakpoints."""
    return json.loads(
        json.dumps(body), object_hook=lambda said: {k: v for k, v in said.items() if k != "cache_control"}
    )


def mark_newest(body: dict[str, Any]) -> dict[str, Any]:
    """Return the request with one breakpoint, at the end of its newest message."""
    bare = strip(body)
    newest = bare["messages"][-1]
    content = newest["content"]
    blocks: list[dict[str, Any]] = [{"type": "text", "text": content}] if isinstance(content, str) else content
    blocks[-1]["cache_control"] = {"type": "ephemeral"}
    newest["content"] = blocks
    return bare


def _walk(body: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str, int | None]]:
    for tool in body.get("tools", ()):
        yield _without_mark(tool), "tool", _lifetime(tool)
    system = body.get("system", ())
    for block in [{"type": "text", "text": system}] if isinstance(system, str) else system:
        yield _without_mark(block), "system", _lifetime(block)
    thinking = json.dumps([body.get("thinking"), body.get("output_config")])
    for message in body["messages"]:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if block["type"] in {"thinking", "redacted_thinking"} and "cache_control" in block:
                raise RefusedError("thinking cannot be marked")
            yield _without_mark(block), f"{message['role']}{thinking}", _lifetime(block)


def _without_mark(block: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in block.items() if name != "cache_control"}


def _lifetime(block: dict[str, Any]) -> int | None:
    control = block.get("cache_control")
    if control is None:
        return None
    if control["type"] != "ephemeral" or control.get("ttl", "5m") not in {"5m", "1h"}:
        raise RefusedError(f"cache_control {control}")
    return 3_600 if control.get("ttl") == "1h" else 300


def _require_usable(lifetimes: list[int]) -> None:
    if len(lifetimes) > 4:
        raise RefusedError("A maximum of 4 blocks with cache_control may be provided.")
    if lifetimes != sorted(lifetimes, reverse=True):
        raise RefusedError("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block")
