"""Counting texts that are not part of a pair, off the event loop: the draft and the system prompt."""

from __future__ import annotations

import asyncio
from functools import lru_cache

from app.providers.vocabularies import counter

LONG_TEXT = 4_000
"""Characters from which on counting is done in a thread: less than a millisecond before that."""

_read: set[str] = set()


async def count_text(vocabulary: str, text: str) -> int:
    """The size of a text in a vocabulary."""
    if not text.strip():
        return 0
    if len(text) >= LONG_TEXT:
        return await asyncio.to_thread(lambda: counter(vocabulary)(text))
    if vocabulary in _read:
        return _count(vocabulary, text)
    size = await asyncio.to_thread(_count, vocabulary, text)
    _read.add(vocabulary)
    return size


@lru_cache(maxsize=500)
def _count(vocabulary: str, text: str) -> int:
    return counter(vocabulary)(text)
