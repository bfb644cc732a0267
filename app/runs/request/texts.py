"""Token counts of texts outside the pairs: the draft, the system prompt, and the counted form of tools."""

from __future__ import annotations

from collections.abc import Sequence

from app.providers.counts.token_counts import count_texts
from app.runs.runtime.memory_cache import MemoryCache

MAX_KEPT = 2_000_000
"""Maximum number of characters of the texts whose counts are cached."""

_sizes: MemoryCache[tuple[str, str], int] = MemoryCache(MAX_KEPT)


async def count_text(vocabulary: str, text: str) -> int:
    """Count the tokens of a text in a vocabulary."""
    return (await count_all(vocabulary, (text,)))[0]


async def count_all(vocabulary: str, texts: Sequence[str]) -> list[int]:
    """Count the tokens of texts in a vocabulary. Cached counts are reused."""
    known = {text: 0 if not text.strip() else _sizes.find((vocabulary, text)) for text in texts}
    missing = [text for text, size in known.items() if size is None]
    if missing:
        for text, size in zip(missing, await count_texts(vocabulary, missing), strict=True):
            known[text] = size
            _sizes.keep((vocabulary, text), size, len(text))
    return [known[text] or 0 for text in texts]
