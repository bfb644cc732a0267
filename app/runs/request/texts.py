"""Token counts of texts outside the pairs: the draft, the system prompt, and the counted form of tools."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from hashlib import sha256

from app.providers.counts.token_counts import count_texts
from app.runs.memory.memory_cache import MemoryCache

MAX_KEPT = 2_000_000
"""Maximum total number of characters of the texts in the cache."""
MAX_TEXT = 4_096
"""Maximum number of characters of a text in the cache. A longer text is represented by its SHA-256."""

MAX_AT_ONCE = 65_536
"""Maximum number of characters of a text whose SHA-256 is computed on the event loop. A longer one needs a thread."""

_sizes: MemoryCache[tuple[str, str | bytes], int] = MemoryCache(MAX_KEPT)


async def count_text(vocabulary: str, text: str) -> int:
    """Count the tokens of a text in a tokenizer's vocabulary."""
    return (await count_all(vocabulary, (text,)))[0]


async def count_all(vocabulary: str, texts: Sequence[str]) -> list[int]:
    """Count the tokens of each text in a tokenizer's vocabulary. Cached counts are reused."""
    is_long = any(len(text) > MAX_AT_ONCE for text in texts)
    keys = await asyncio.to_thread(_list_keys, vocabulary, texts) if is_long else _list_keys(vocabulary, texts)
    known = {text: _sizes.find(key) if text.strip() else 0 for text, key in keys.items()}
    missing = [text for text, size in known.items() if size is None]
    if missing:
        for text, size in zip(missing, await count_texts(vocabulary, missing), strict=True):
            known[text] = size
            _sizes.keep(keys[text], size, min(len(text), MAX_TEXT))
    return [known[text] or 0 for text in texts]


def _list_keys(vocabulary: str, texts: Sequence[str]) -> dict[str, tuple[str, str | bytes]]:
    return {text: (vocabulary, _shorten(text)) for text in texts}


def _shorten(text: str) -> str | bytes:
    return text if len(text) <= MAX_TEXT else sha256(text.encode(errors="surrogatepass")).digest()
