"""A bill as Alibaba's DashScope writes it for requests with cache markers, from their bytes alone, by its public rules.

Source: https://www.alibabacloud.com/help/en/model-studio/context-cache, "Explicit cache", read in November 2026:
- A marker (`cache_control`) stands on a block of a message's content; four at most. The block of cache it makes reaches
  from the beginning of `messages` to the marker, has 1,024 tokens at least and lives for 5 minutes.
- From each marker up to 20 blocks are looked back at. The longest prefix that is kept is read, which makes it live for
  another 5 minutes.
- Creation is billed at 1.25 times the price of input for what goes beyond the prefix read, a hit at 0.1.
- `usage.prompt_tokens` counts everything; `prompt_tokens_details` says what was read (`cached_tokens`) and what was
  written (`cache_creation_input_tokens`).

That is Anthropic's bill with one lifetime and without tools, so it is made by it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from typing import Any

from tests.billing.anthropic import AnthropicCache, Block, RefusedError

MINIMUM = 1_024
LIFETIME = 300


class DashScopeCache:
    """One account's cache."""

    def __init__(self) -> None:
        self._cache = AnthropicCache(MINIMUM)

    def bill(self, body: dict[str, Any], at: datetime) -> dict[str, Any]:
        """What `usage` says of this request's prompt."""
        blocks = list(_list_blocks(body))
        marks = {number: LIFETIME for number, block in enumerate(blocks) if block.lifetime}
        if marks:
            billed = self._cache.bill_blocks(blocks, marks, at)
            read, written = billed["cache_read_input_tokens"], billed["cache_creation_input_tokens"]
        else:
            read, written = 0, 0
        details = {
            "cached_tokens": read,
            "cache_creation_input_tokens": written,
            "cache_creation": {"ephemeral_5m_input_tokens": written},
            "cache_type": "ephemeral",
        }
        return {"prompt_tokens": blocks[-1].total, "prompt_tokens_details": details}


def play_dashscope(words: str, usage: dict[str, Any]) -> bytes:
    """A reply of the compatible mode: Chat Completions."""
    said = {"index": 0, "delta": {"content": words}, "finish_reason": None}
    stopped: dict[str, Any] = {"index": 0, "delta": {}, "finish_reason": "stop"}
    counted = usage | {"completion_tokens": len(words) // 4}
    events: list[dict[str, Any]] = [{"choices": [said]}, {"choices": [stopped]}, {"choices": [], "usage": counted}]
    return b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events) + b"data: [DONE]\n\n"


def _list_blocks(body: dict[str, Any]) -> Iterator[Block]:
    digest, total = sha256(json.dumps([body["model"], body.get("tools")]).encode()).hexdigest(), 0
    for position, (said, marked) in enumerate(_walk(body)):
        digest = sha256(f"{digest}{json.dumps(said, sort_keys=True)}".encode()).hexdigest()
        tokens = max(1, round(len(json.dumps(said, ensure_ascii=False).encode()) / 3.5))
        total += tokens
        yield Block(digest, tokens, total, position, LIFETIME if marked else None)


def _walk(body: dict[str, Any]) -> Iterator[tuple[dict[str, Any], bool]]:
    for message in body["messages"]:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str | None) else content:
            control = block.get("cache_control")
            if control not in (None, {"type": "ephemeral"}):
                raise RefusedError(f"cache_control is {control}")
            bare = {name: value for name, value in block.items() if name != "cache_control"}
            yield {"role": message["role"], "block": bare, "calls": message.get("tool_calls")}, control is not None
