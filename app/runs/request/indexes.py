"""Indexing: brings the indexes of a conversation's pairs up to date before a query uses them.

    await ctx.indexer.index_pairs(owner, conversation_id, revision, vocabulary)

Another process counts the tokens (`providers/counts/token_counts.py`), a batch at a time. Each batch is stored, so no
process counts it again. Pages show the progress.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from weakref import WeakValueDictionary

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.attachments.attachments import list_attachments
from app.domain.context.context import has_content
from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import RUNNING
from app.domain.conversation.parts import ToolCall, has_attachment
from app.domain.errors import InviewError
from app.domain.filters.evaluation.condition import searched_text
from app.domain.tokens.estimates import measure_pair
from app.providers.counts.token_counts import count_texts
from app.providers.counts.vocabularies import split_pieces
from app.runs.runtime.event_bus import EventBus, PairsChanged, PairsCounted
from app.store.conversation.conversations import load_with_revision, next_revision
from app.store.conversation.pairs import touch_pairs
from app.store.database.database import Store
from app.store.index.batch import Batch
from app.store.index.indexes import (
    Indexed,
    PairText,
    count_unindexed,
    find_mistaken,
    forget_indexed,
    has_unindexed,
    load_unindexed,
    save_indexed,
)
from app.store.run.runs import RunPlace

log = structlog.get_logger()

BATCH = 100
"""Number of pairs read, counted and stored together.

Each of the three steps takes a few milliseconds of the event loop.
"""
MAX_KNOWN = 10_000
NEVER = -1
"""A number lower than every revision: nothing is indexed yet."""


@dataclass(eq=False)
class Indexer:
    """Indexes pairs, and remembers up to which revision each conversation is indexed.

    There is a separate index for each vocabulary (the tokenizer that counts the tokens of a text).
    """

    store: Store
    event_bus: EventBus = field(default_factory=EventBus)
    _up_to: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    tasks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]], repr=False)
    _indexing: WeakValueDictionary[str, asyncio.Lock] = field(
        default_factory=WeakValueDictionary[str, asyncio.Lock], repr=False
    )

    def up_to(self, conversation_id: str) -> Mapping[str, int]:
        """Return, for each vocabulary, the revision of a conversation up to which its pairs are indexed now.

        Call this before a database session starts. The session does not see pairs that are indexed after its start.
        """
        return dict(self._up_to.get(conversation_id, {}))

    async def index_pairs(self, owner: str, conversation_id: str, revision: int, vocabulary: str) -> None:
        """Index all pairs of a conversation that are not indexed yet, at least those up to this `revision`."""
        async with self._indexing.setdefault(conversation_id, asyncio.Lock()):
            if self.up_to(conversation_id).get(vocabulary, NEVER) < revision:
                await self._index(owner, conversation_id, revision, vocabulary)

    async def finds_all(  # noqa: PLR0913, PLR0917 - the conversation, its revision and the indexes
        self, session: AsyncSession, owner: str, conversation_id: str, revision: int, vocabulary: str, known: int
    ) -> bool:
        """Return True if this database session sees a complete index of the conversation at this revision.

        `known` is a revision up to which the index is known to be complete, so only later changes are checked.
        """
        if known < revision:
            if await has_unindexed(session, owner, conversation_id, vocabulary, after_revision=known):
                return False
            self._note(conversation_id, vocabulary, revision)
        return True

    def catch_up(self, place: RunPlace) -> None:
        """Start to index the pair of a run that is over, so that no later query waits for it. Returns at once."""
        task = asyncio.create_task(self._catch_up(place), name=f"indexing of {place.pair_id}")
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def close(self) -> None:
        """Cancel the indexing that is running. The next query indexes the rest."""
        for task in tuple(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    async def note_damage(self, owner: str, pairs: Sequence[Pair]) -> bool:
        """Update the indexes for pairs that became unreadable, or readable again. Return True if an index was wrong.

        Such a pair counts as changed, so every page and the next send leave it out or include it again. A pair becomes
        readable again when its lost attachment is attached again.
        """
        over = [pair for pair in pairs if pair.lifecycle not in RUNNING]
        damaged = [pair.id for pair in over if pair.damage]
        whole = [pair.id for pair in over if not pair.damage and any(list_attachments(pair))]
        if not damaged and not whole:
            return False
        async with self.store.read() as session:
            mistaken = await find_mistaken(session, damaged, whole)
        conversations: defaultdict[str, list[str]] = defaultdict(list)
        for pair_id, conversation_id in mistaken.items():
            conversations[conversation_id].append(pair_id)
        for conversation_id, ids in conversations.items():
            async with self.store.write() as session:
                await forget_indexed(session, ids)
                await touch_pairs(session, ids, await next_revision(session, conversation_id, None))
            self.event_bus.publish(owner, conversation_id, PairsChanged(tuple(ids)))
        return bool(conversations)

    async def _catch_up(self, place: RunPlace) -> None:
        try:
            if not (vocabularies := self.up_to(place.conversation_id)):
                return
            async with self.store.read() as session:
                _, revision = await load_with_revision(session, place.owner, place.conversation_id)
            for vocabulary in vocabularies:
                await self.index_pairs(place.owner, place.conversation_id, revision, vocabulary)
        except InviewError as error:  # the next query raises this error to its caller
            log.debug("a reply was not indexed", pair_id=place.pair_id, fault=str(error))

    async def _index(self, owner: str, conversation_id: str, revision: int, vocabulary: str) -> None:
        after = self.up_to(conversation_id).get(vocabulary, NEVER)
        position, done, total = -1, 0, 0
        try:
            while True:
                async with self.store.read() as session:
                    batch = Batch(after, position, BATCH)
                    pairs = await load_unindexed(session, owner, conversation_id, vocabulary, batch)
                    if len(pairs) == BATCH and not total:  # more pairs follow, and a page may show the progress
                        total = await count_unindexed(session, owner, conversation_id, vocabulary, after_revision=after)
                if pairs:
                    indexed = await describe_pairs(pairs, vocabulary)
                    async with self.store.write() as session:
                        await save_indexed(session, vocabulary, indexed)
                    position = pairs[-1].position
                    done += len(pairs)
                if len(pairs) < BATCH:
                    break
                self.event_bus.publish(owner, conversation_id, PairsCounted(done, total))
        finally:
            if total:
                self.event_bus.publish(owner, conversation_id, PairsCounted(total, total))
        self._note(conversation_id, vocabulary, revision)

    def _note(self, conversation_id: str, vocabulary: str, revision: int) -> None:
        if len(self._up_to) >= MAX_KNOWN:
            self._up_to.clear()
        known = self._up_to.setdefault(conversation_id, {})
        known[vocabulary] = max(revision, known.get(vocabulary, NEVER))


async def describe_pairs(pairs: Sequence[Pair], vocabulary: str) -> list[Indexed]:
    """Return the index entries of these pairs, with their token counts."""
    texts = await asyncio.to_thread(_list_texts, pairs)
    of_pieces = iter(await count_texts(vocabulary, [piece for text in texts for piece in text]))
    counts = [sum(islice(of_pieces, len(text))) for text in texts]
    del texts  # free their memory: preparing a long text for the search takes several times its size
    return await asyncio.to_thread(_describe, pairs, iter(counts))


def _describe(pairs: Sequence[Pair], counts: Iterator[int]) -> list[Indexed]:
    return [Indexed(pair, _describe_text(pair), measure_pair(pair, lambda _: next(counts))) for pair in pairs]


def _list_texts(pairs: Sequence[Pair]) -> list[list[str]]:
    """List the texts of these pairs. The order is that of the token counts that `measure_pair` needs.

    Each text is a list of pieces, to save memory: a string with an emoji takes four bytes for each character, so only
    the piece with the emoji takes that much.
    """
    texts = list[list[str]]()

    def note(text: str) -> int:
        texts.append(list(split_pieces(text)))
        return 0

    for pair in pairs:
        measure_pair(pair, note)
    return texts


def _describe_text(pair: Pair) -> PairText:
    reply = () if pair.reply is None else pair.reply.parts
    tools = tuple(dict.fromkeys(part.name for part in reply if isinstance(part, ToolCall)))
    attachment = has_attachment(pair.request.parts) or has_attachment(reply)
    return PairText(searched_text(pair), attachment, not has_content(reply), tools, bool(pair.damage))
