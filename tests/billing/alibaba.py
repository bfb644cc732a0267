"""A bill as Alibaba Cloud Model Studio (DashScope) computes it, from the bytes of requests alone, by its public rules.

Source: Alibaba Cloud Model Studio, "Context Cache" (11 October 2026, and an earlier copy of the whole page), read
2026-11-30:
- "Add cache_control to the messages": a mark is on a part of the content of a system, user, assistant or tool message.
  It creates a cache block "from the messages array start to the cache_control marker". The tools are cached with it.
- "System searches backward up to 20 content blocks from each marker". "If the number of cache markers is greater than
  four, only the last four take effect." "A cache block must contain at least 1024 tokens."
- "5 minutes (resets on hit)". The only type is `ephemeral`.
- Creation costs 1.25 times the input price: "only the increment is billed" if a cached block is its prefix. A hit costs
  0.1 times. "The system appends a small number of internal tokens", billed at the input price.
- Explicit and implicit cache exclude each other. Hits of the implicit cache are not guaranteed: here there are none.

Where the page leaves a question open, the more expensive reading applies: a mark counts as the first of its 20 blocks,
a hit prolongs that block alone, and `enable_thinking` and `thinking_budget` are part of what must be equal.

The tokenizer is not Alibaba's: a text has one token per three and a half bytes, and each message four more.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

HIT, PLAIN, CREATION = 0.1, 1.0, 1.25
"""Prices of a token relative to a token of input."""
MINIMUM, LOOKBACK, MARKS, INTERNAL, FRAME = 1_024, 20, 4, 12, 4
LIFETIME = timedelta(minutes=5)


class RefusedError(Exception):
    """A request that the documentation does not allow."""


@dataclass(frozen=True)
class Block:
    """A part of a prompt. `key` identifies the prefix that ends with it, `total` are the tokens of that prefix."""

    key: str
    total: int
    marked: bool


@dataclass
class AlibabaCache:
    """The cache of one account: the expiry of each cache block."""

    entries: dict[str, datetime] = field(default_factory=dict[str, datetime])

    def bill(self, body: dict[str, Any], at: datetime) -> dict[str, Any]:
        """Return the `usage` of this request's prompt. Blocks are created at once, as the answer ends at once."""
        blocks = list_blocks(body)
        marks = [number for number, block in enumerate(blocks) if block.marked][-MARKS:]
        found = (number for mark in reversed(marks) for number in range(mark, max(-1, mark - LOOKBACK), -1))
        hits = [number for number in found if self.entries.get(blocks[number].key, at) > at]
        hit = max(hits, default=None)
        read = created = 0
        if hit is not None:
            self.entries[blocks[hit].key] = at + LIFETIME
            read = created = blocks[hit].total
        for number in marks:
            if blocks[number].total >= MINIMUM and (hit is None or number > hit):
                self.entries[blocks[number].key] = at + LIFETIME
                created = blocks[number].total
        details: dict[str, Any] = {"cached_tokens": read}
        if marks:
            details |= {
                "cache_type": "ephemeral",
                "cache_creation_input_tokens": created - read,
                "cache_creation": {"ephemeral_5m_input_tokens": created - read},
            }
        return {"prompt_tokens": blocks[-1].total + INTERNAL, "prompt_tokens_details": details}


def price(usage: dict[str, Any]) -> float:
    """Return the cost of a prompt in prices of a token of input."""
    details = usage["prompt_tokens_details"]
    read, created = details["cached_tokens"], details.get("cache_creation_input_tokens", 0)
    return (usage["prompt_tokens"] - read - created) * PLAIN + read * HIT + created * CREATION


def list_blocks(body: dict[str, Any]) -> list[Block]:
    """Return the parts of a prompt in order. The tools belong to the first one."""
    if "cache_control" in json.dumps([body.get("tools"), [message.get("tool_calls") for message in body["messages"]]]):
        raise RefusedError("only the content of a message can be marked")
    model = {name: body.get(name) for name in ("model", "enable_thinking", "thinking_budget")}
    digest, total = sha256(json.dumps(model).encode()).hexdigest(), _weigh(body.get("tools") or "")
    digest = sha256(f"{digest}{json.dumps(body.get('tools'))}".encode()).hexdigest()
    blocks: list[Block] = []
    for frame, part, mark in _walk(body["messages"]):
        if mark not in (None, {"type": "ephemeral"}):
            raise RefusedError(f"cache_control {mark}")
        if mark and not (part.get("text") or part["type"] != "text"):
            raise RefusedError("an empty text is marked")
        digest = sha256(f"{digest}{frame}{json.dumps(part, sort_keys=True)}".encode()).hexdigest()
        total += _weigh(part.get("text", "")) + _weigh(json.loads(frame).get("tool_calls") or "") + FRAME
        blocks.append(Block(digest, total, mark is not None))
    return blocks


def _walk(messages: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any], dict[str, str] | None]]:
    """Yield each content part: the rest of its message, the part, and its mark. A text is one part."""
    for message in messages:
        frame = json.dumps({name: value for name, value in message.items() if name != "content"}, sort_keys=True)
        content = message["content"] or ""
        parts: list[dict[str, Any]] = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for part in parts:
            bare = {name: value for name, value in part.items() if name != "cache_control"}
            yield frame, bare, part.get("cache_control")


def _weigh(said: object) -> int:
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    return round(len(text.encode()) / 3.5)
