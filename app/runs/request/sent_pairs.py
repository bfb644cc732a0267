"""A cache of the pairs that sends use, with their texts. A pair is read when it is first sent, or when a page shows it.

    pairs = await ctx.sent_pairs.load(ctx.store, owner, conversation_id, composition.sent)     # None if one has changed

Each change of a pair whose run is over gives the pair a new revision, which the index of the conversation contains
(`domain/context/pair_index.py`). A cached pair is valid while the index has the same revision for it. Pairs that are
not cached are read by their ids. Each process has its own cache.

The hashes of a conversation's last request are cached with its pairs, so only new messages are hashed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from app.domain.context.composition import Candidate
from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import RUNNING
from app.domain.conversation.parts import Part, Text, Thinking, ToolCall, ToolResult
from app.domain.request.hashing import Hashed
from app.runs.memory.memory_cache import MemoryCache
from app.store.conversation.pairs import load_standing
from app.store.database.database import Store

BATCH: Final = 250
"""Number of pairs read together: decoding them blocks the event loop for some milliseconds."""
MAX_CHARACTERS: Final = 20_000_000
"""Maximum size of the cache in characters; the least recently used conversations are evicted.

The pairs of a send that fills the largest window of a model fit into the cache.
"""


@dataclass(frozen=True, slots=True)
class _Read:
    """A cached pair, with the revision of the pair."""

    revision: int
    pair: Pair
    characters: int


@dataclass(eq=False)
class _Conversation:
    """Cached pairs of a conversation by id, and the hashes of its last request."""

    read: dict[str, _Read] = field(default_factory=dict[str, _Read])
    hashed: Hashed | None = None

    @property
    def characters(self) -> int:
        return sum(one.characters for one in self.read.values())


@dataclass(eq=False)
class SentPairs:
    """The cache of pairs, by conversation."""

    kept: MemoryCache[str, _Conversation] = field(
        default_factory=lambda: MemoryCache[str, _Conversation](MAX_CHARACTERS)
    )

    async def load(
        self, store: Store, owner: str, conversation_id: str, candidates: Sequence[Candidate], *, pause: float = 0
    ) -> tuple[Pair, ...] | None:
        """Load these pairs in their order. Return None if one of them differs from its entry in the index.

        `pause`: seconds to wait between two batches, so that other work can run.
        """
        kept = self.kept.find(conversation_id) or _Conversation()
        # another task may change `kept` while this one reads, so the found pairs are in a separate mapping
        found = {one.pair_id: kept.read[one.pair_id] for one in candidates if _is_kept(kept, one)}
        missing = [one for one in candidates if one.pair_id not in found]
        if missing:
            read = await _read(store, owner, missing, pause)
            if read is None:
                return None
            found |= read
            kept.read |= found
            self._keep(conversation_id, kept, found)
        return tuple(found[one.pair_id].pair for one in candidates)

    def note(self, found: Mapping[str, tuple[int, Pair]]) -> None:
        """Cache these pairs of one conversation, which were read for a page, each with its revision.

        A pair whose reply is running is left out: it changes without a new revision.
        """
        over = {name: _describe(*one) for name, one in found.items() if one[1].lifecycle not in RUNNING}
        if over:
            conversation_id = next(iter(over.values())).pair.conversation_id
            kept = self.kept.find(conversation_id) or _Conversation()
            kept.read |= over
            self._keep(conversation_id, kept, over)

    def hashes_of(self, conversation_id: str) -> Hashed | None:
        """Return the hashes of the last request of this conversation, if they are cached."""
        kept = self.kept.find(conversation_id)
        return None if kept is None else kept.hashed

    def remember(self, conversation_id: str, hashed: Hashed) -> None:
        """Cache the hashes of a request, if pairs of its conversation are cached."""
        if (kept := self.kept.find(conversation_id)) is not None:
            kept.hashed = hashed

    def forget(self, conversation_id: str) -> None:
        """Remove the pairs of a conversation from the cache, for example after it was deleted."""
        self.kept.forget(conversation_id)

    def _keep(self, conversation_id: str, kept: _Conversation, ids: Collection[str]) -> None:
        characters = kept.characters
        if characters > MAX_CHARACTERS:  # the cache also has pairs of earlier reads, which are not needed now
            kept.read = {pair_id: one for pair_id, one in kept.read.items() if pair_id in ids}
            characters = kept.characters
        self.kept.keep(conversation_id, kept, characters)


def _is_kept(kept: _Conversation, candidate: Candidate) -> bool:
    read = kept.read.get(candidate.pair_id)
    return read is not None and read.revision == candidate.revision


async def _read(store: Store, owner: str, candidates: Sequence[Candidate], pause: float) -> dict[str, _Read] | None:
    read: dict[str, _Read] = {}
    async with store.read() as session:
        for start in range(0, len(candidates), BATCH):
            if start:
                await asyncio.sleep(pause)
            some = candidates[start : start + BATCH]
            found = await load_standing(session, owner, tuple(one.pair_id for one in some))
            for one in some:
                revision, pair = found.get(one.pair_id, (None, None))
                if pair is None or revision != one.revision:
                    return None
                read[one.pair_id] = _describe(one.revision, pair)
    return read


def _describe(revision: int, pair: Pair) -> _Read:
    messages = (message for message in (pair.request, pair.reply) if message is not None)
    return _Read(revision, pair, sum(_length(part) for message in messages for part in message.parts))


def _length(part: Part) -> int:
    match part:
        case Text() | Thinking():
            return len(part.text)
        case ToolCall():
            return len(part.input_json)
        case ToolResult():
            return sum(map(_length, part.content))
        case _:
            return 0
