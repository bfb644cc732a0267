"""A cache of the indexes of conversations.

An index has all data that decides whether a pair is sent, without its texts.

An index is valid while the conversation's revision is the same. Otherwise only the pairs that changed since then are
read. With an index, a filter reads only a list of positions from the database, and a send reads only the pairs to send.

Not here: counting (`indexes.py`), the index itself (`domain/context/pair_index.py`) and the texts (`sent_pairs.py`).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.context.pair_index import PairIndex
from app.runs.memory.memory_cache import MemoryCache
from app.store.index.batch import Batch
from app.store.index.sizes import load_changed_sizes

BATCH = 1_000
"""Number of pairs read together: decoding them blocks the event loop for some milliseconds."""
MAX_PAIRS = 1_000_000
"""Maximum number of pairs in the cache. A pair takes about fifty bytes.

The least recently used conversations are evicted.
"""
NEVER = -1
"""A number lower than every revision: no pair was read yet."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """The index of a conversation's pairs at a revision, with the token counts of one vocabulary (tokenizer)."""

    revision: int = NEVER
    index: PairIndex = field(default_factory=PairIndex)


@dataclass(eq=False)
class Sizes:
    """The cache of `Sheet` values, by conversation and vocabulary."""

    kept: MemoryCache[tuple[str, str], Sheet] = field(
        default_factory=lambda: MemoryCache[tuple[str, str], Sheet](MAX_PAIRS)
    )
    _loading: WeakValueDictionary[tuple[str, str], asyncio.Lock] = field(
        default_factory=WeakValueDictionary[tuple[str, str], asyncio.Lock], repr=False
    )

    async def load(
        self, session: AsyncSession, owner: str, conversation_id: str, revision: int, vocabulary: str
    ) -> Sheet:
        """Return the index of a conversation at this revision, from the cache or from the database.

        The caller has checked that the session sees this revision and a complete index.
        """
        place = (conversation_id, vocabulary)
        async with self._loading.setdefault(place, asyncio.Lock()):
            sheet = self.kept.find(place) or Sheet()
            if sheet.revision < revision:
                sheet = await _bring_up_to(session, owner, conversation_id, revision, vocabulary, sheet)
                self.kept.keep(place, sheet, len(sheet.index))
            elif sheet.revision > revision:  # this session sees an older revision than the cache
                sheet = await _bring_up_to(session, owner, conversation_id, revision, vocabulary, Sheet())
            return sheet

    def forget(self, conversation_id: str) -> None:
        """Remove the indexes of a conversation from the cache, for example after it was deleted."""
        self.kept.forget_where(lambda place: place[0] == conversation_id)


async def _bring_up_to(  # noqa: PLR0913, PLR0917 - the session, the conversation, the revision and the vocabulary
    session: AsyncSession, owner: str, conversation_id: str, revision: int, vocabulary: str, sheet: Sheet
) -> Sheet:
    index, position = sheet.index, 0
    while True:
        batch = Batch(sheet.revision, position, BATCH)
        found = await load_changed_sizes(session, owner, conversation_id, vocabulary, batch)
        index = index.follow(found.candidates, found.deleted)
        if found.complete:
            return Sheet(revision, index)
        position = found.last_position
        await asyncio.sleep(0)
