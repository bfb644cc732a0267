"""Indexing: brings the indexes of a conversation's pairs up to its messages before anybody asks them.

    await wb.indexer.index_pairs(owner, conversation_id, revision, vocabulary)

Counting is done in a thread, a batch at a time; what was counted once is not counted again, by any process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.context import has_content
from app.domain.conversation import Pair
from app.domain.errors import InviewError
from app.domain.estimates import measure_pair
from app.domain.filters.condition import searched_text
from app.domain.parts import ToolCall, has_attachment
from app.providers.vocabularies import counter
from app.store.conversations import load_with_revision
from app.store.database import Store
from app.store.indexing import Indexed, PairText, has_unindexed, load_unindexed, save_indexed
from app.store.runs import RunPlace

log = structlog.get_logger()

BATCH = 200
"""Pairs counted at once: some ten milliseconds of a thread."""
MOST_KNOWN = 10_000
NEVER = -1
"""Before the first revision."""


@dataclass(eq=False)
class Indexer:
    """Remembers up to which revision each conversation is indexed, in each vocabulary."""

    store: Store
    _up_to: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    _tasks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]], repr=False)
    _indexing: WeakValueDictionary[str, asyncio.Lock] = field(
        default_factory=WeakValueDictionary[str, asyncio.Lock], repr=False
    )

    def up_to(self, conversation_id: str) -> Mapping[str, int]:
        """Up to which revision a conversation is indexed now, by vocabulary.

        Ask before a session begins: what is indexed after that, the session does not see.
        """
        return dict(self._up_to.get(conversation_id, {}))

    async def index_pairs(self, owner: str, conversation_id: str, revision: int, vocabulary: str) -> None:
        """Index what is not indexed yet of a conversation that is at this revision, or at a later one."""
        async with self._indexing.setdefault(conversation_id, asyncio.Lock()):
            if self.up_to(conversation_id).get(vocabulary, NEVER) < revision:
                await self._index(owner, conversation_id, revision, vocabulary)

    async def finds_all(  # noqa: PLR0913, PLR0917 - whose, where, how counted, and what is known of it
        self, session: AsyncSession, owner: str, conversation_id: str, revision: int, vocabulary: str, known: int
    ) -> bool:
        """Whether the session, which sees this revision, finds all in the indexes that is to be there.

        `known`: up to which revision it surely does.
        """
        if known < revision:
            if await has_unindexed(session, owner, conversation_id, vocabulary, after_revision=known):
                return False
            self._note(conversation_id, vocabulary, revision)
        return True

    def catch_up(self, place: RunPlace) -> None:
        """A reply is over: have it indexed, so that nobody waits for that. Returns at once."""
        task = asyncio.create_task(self._catch_up(place), name=f"indexing of {place.pair_id}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Leave what is not indexed to whoever asks for it next."""
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _catch_up(self, place: RunPlace) -> None:
        try:
            if not (vocabularies := self.up_to(place.conversation_id)):
                return
            async with self.store.read() as session:
                _, revision = await load_with_revision(session, place.owner, place.conversation_id)
            for vocabulary in vocabularies:
                await self.index_pairs(place.owner, place.conversation_id, revision, vocabulary)
        except InviewError as error:  # whoever asks for it next will be told
            log.debug("a reply was not indexed", pair_id=place.pair_id, fault=str(error))

    async def _index(self, owner: str, conversation_id: str, revision: int, vocabulary: str) -> None:
        after = self.up_to(conversation_id).get(vocabulary, NEVER)
        while True:
            async with self.store.read() as session:
                pairs = await load_unindexed(
                    session, owner, conversation_id, vocabulary, after_revision=after, limit=BATCH
                )
            if pairs:
                indexed = await asyncio.to_thread(_index, pairs, vocabulary)
                async with self.store.write() as session:
                    await save_indexed(session, vocabulary, indexed)
            if len(pairs) < BATCH:
                break
        self._note(conversation_id, vocabulary, revision)

    def _note(self, conversation_id: str, vocabulary: str, revision: int) -> None:
        if len(self._up_to) >= MOST_KNOWN:
            self._up_to.clear()
        known = self._up_to.setdefault(conversation_id, {})
        known[vocabulary] = max(revision, known.get(vocabulary, NEVER))


def _index(pairs: Sequence[Pair], vocabulary: str) -> list[Indexed]:
    count = counter(vocabulary)
    return [Indexed(pair, _describe_text(pair), measure_pair(pair, count)) for pair in pairs]


def _describe_text(pair: Pair) -> PairText:
    reply = () if pair.reply is None else pair.reply.parts
    tools = tuple(dict.fromkeys(part.name for part in reply if isinstance(part, ToolCall)))
    attachment = has_attachment(pair.request.parts) or has_attachment(reply)
    return PairText(searched_text(pair), attachment, not has_content(reply), tools)
