"""Import of a file in Inview's own format: checked as a whole, then stored in slices, with new ids.

    done = await import_file(ctx, LOCAL_OWNER, body)

If a file is imported twice, its conversations are stored twice. Topics and saved filters are not: existing ones are
found by their names. The ledger does not change, because it records only calls that this installation made.

Other commands can write between two slices. Until the last slice is stored, the conversations of a large file are in
the trash, and their titles begin with `UNFINISHED`
(docs/decisions/0064-an-import-is-checked-and-stored-in-slices.md).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, TypeVar

import structlog
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.attachments.attachments import Attachment
from app.domain.audit import AuditAction
from app.domain.conversation.conversation import Conversation
from app.domain.conversation.damage import SETTINGS
from app.domain.conversation.lifecycle import RUNNING
from app.domain.conversation.text_size import MAX_TEXT_BYTES
from app.domain.errors import ConflictError, InputError, NotFoundError, StoreError
from app.domain.topics.topic_rules import TopicNames
from app.domain.transfer.records import NewIds, NodeRecord
from app.providers.counts.vocabularies import vocabulary_of
from app.runs.app_context import AppContext, is_open
from app.runs.audit.audit import audit
from app.runs.request.indexes import describe_pairs
from app.runs.runtime.catalogue import DEFAULT_MODEL
from app.runs.runtime.ids import new_id, now
from app.runs.runtime.shielded import shielded
from app.runs.topics.topic_commands import make_topics
from app.runs.transfer.import_check import CheckedFile, ReadPair, check_file
from app.runs.transfer.import_file import read_file
from app.runs.transfer.import_filters import read_filter, save_filters
from app.runs.transfer.import_records import read_topic_path
from app.runs.transfer.import_scan import EndedError, FaultError, Rest
from app.runs.transfer.import_shapes import ExportShape
from app.store.attachments.attachments import keep_attachments
from app.store.conversation.conversations import (
    insert_conversation,
    load_conversation,
    next_revision,
    update_conversation,
)
from app.store.filters.filters import load_saved_filters
from app.store.index.indexes import Indexed, save_indexed
from app.store.transfer.pair_records import RecordTarget, insert_unsearched, insert_words, list_words

SLICE_PAIRS: Final = 50
SLICE_CONVERSATIONS: Final = 20
SLICE_BYTES: Final = 500_000
"""Size in bytes, as in the file, above which a slice of pairs ends. So a slice is larger by at most one pair."""
UNFINISHED: Final = "Unfinished import: "
"""The beginning of a conversation's title until the whole conversation is stored."""
TELL_SECONDS: Final = 5.0
"""Minimum seconds between two log lines about a running import."""

LOOK_SECONDS: Final = 0.1
"""Seconds between two checks whether Inview is shutting down."""

_FIRST_REVISION: Final = 1
"""The revision of a new conversation that has not changed since."""

log = structlog.get_logger()

Given = TypeVar("Given")


@dataclass(frozen=True, slots=True)
class ImportedOne:
    """A conversation that was imported, in the result of an import.

    `damaged` names each setting that could not be read when the file was written, with the reason. The imported setting
    has its default value.
    """

    id: str
    title: str
    pair_count: int
    damaged: tuple[str, ...] = ()


class UnfinishedImportError(ConflictError):
    """Error: an import ended before everything was stored. The stored part is in the trash."""


async def import_file(ctx: AppContext, owner: str, body: bytes | bytearray) -> tuple[ImportedOne, ...]:
    """Check and store an import file; return the conversations that were stored.

    Raises:
        FaultError: the file cannot be imported. The error has the place of the first fault. Nothing was stored.
        ConflictError: there would be too many topics or saved filters, or Inview is shutting down. Nothing was stored.
        UnfinishedImportError: only a part could be stored.
    """
    at, rest = now(), Rest()
    most_text = max(MAX_TEXT_BYTES, ctx.engine.max_bytes)
    try:
        checked = await _in_thread(ctx, rest, lambda: check_file(read_file(body, rest, most_text), owner, at))
    except EndedError:
        raise ConflictError(
            "Inview is stopping, so nothing was imported. Import the file again after the next start."
        ) from None
    return await _Importer(ctx, owner, at, checked, rest).store()


async def _in_thread(ctx: AppContext, rest: Rest, work: Callable[[], Given]) -> Given:
    """Run `work` in a thread. The work ends early when the caller is cancelled or Inview shuts down."""
    working = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        while not (await asyncio.wait({working}, timeout=LOOK_SECONDS))[0]:
            rest.ended = not is_open(ctx)
        return working.result()
    finally:
        rest.ended = rest.ended or not working.done()
        working.add_done_callback(_take_end)


def _take_end(working: asyncio.Future[Any]) -> None:
    """Read the error of cancelled work, because asyncio would log an error that is never read."""
    if not working.cancelled():
        working.exception()


@dataclass(frozen=True, slots=True)
class _Slice:
    """The part of a conversation that one transaction stores: some pairs, some nodes, or one image or file."""

    number: int
    pairs: Sequence[int] = ()
    nodes: Sequence[int] = ()
    attachment: str | None = None


@dataclass(frozen=True, slots=True)
class _ReadSlice:
    number: int
    pairs: Sequence[ReadPair] = ()
    nodes: Sequence[NodeRecord] = ()
    attachment: Attachment | None = None
    indexed: Sequence[Indexed] = ()


@dataclass(eq=False)
class _Importer:
    """Stores one file. `done` are the conversations stored so far, `stored` is the number of stored pairs."""

    ctx: AppContext
    owner: str
    at: datetime
    checked: CheckedFile
    rest: Rest
    fresh: NewIds = field(default_factory=lambda: NewIds(new_id))
    topics: Mapping[TopicNames, str] = field(default_factory=dict[TopicNames, str])
    done: list[ImportedOne] = field(default_factory=list[ImportedOne])
    stored: int = 0
    reported_at: float = field(default_factory=time.monotonic)

    @shielded
    async def store(self) -> tuple[ImportedOne, ...]:
        """Store a small file in one transaction, a larger one in many. Return the stored conversations."""
        for one in self.checked.conversations:
            # a conversation may name a later one as its parent, so all ids are made first
            self.fresh(one.conversation.id)
        is_small = self.checked.pair_count <= SLICE_PAIRS and len(self.checked.file.scan.body) <= SLICE_BYTES
        first = [await self._read(one) for one in self._cut()] if is_small else []
        async with self.ctx.store.write() as session:
            conversations = await self._begin(session)
            if is_small:
                await self._insert_conversations(session, conversations)
                while first:
                    await self._insert(session, first)
        if not is_small:
            await self._store_slices(conversations)
        self.ctx.event_bus.publish_list(self.owner)
        return tuple(self.done)

    async def _begin(self, session: AsyncSession) -> list[Conversation]:
        """Store the filters and topics of the file. Return the conversations to store."""
        shape = self.checked.file.shape
        names = await save_filters(session, self.owner, shape, self.at)
        self.topics = await _make_topics(session, self.owner, shape, self.checked.topics)
        saved = await load_saved_filters(session, self.owner)
        in_file = {one.conversation.id for one in self.checked.conversations}
        conversations: list[Conversation] = []
        for number, one in enumerate(self.checked.conversations):
            line = read_filter(one.conversation.filter, names, saved, f"$.conversations[{number}].filter")
            conversations.append(await self._renew(session, replace(one.conversation, filter=line), in_file))
            await asyncio.sleep(0)  # let other tasks run: there may be a thousand conversations
        return conversations

    async def _insert_conversations(self, session: AsyncSession, conversations: Sequence[Conversation]) -> None:
        for one in conversations:
            await insert_conversation(session, one)
            await audit(session, self.owner, one.id, AuditAction.CREATED, what="import")
            await next_revision(session, one.id, None)
            number = len(self.done)
            damaged = self.checked.file.shape.conversations[number].damaged
            losses = tuple(f"{SETTINGS.get(lost.column, lost.column)}: {lost.reason}" for lost in damaged)
            pair_count = len(self.checked.conversations[number].positions)
            self.done.append(ImportedOne(one.id, one.title, pair_count, losses))

    async def _renew(self, session: AsyncSession, old: Conversation, in_file: set[str]) -> Conversation:
        trigger, fork = old.trigger_message_id, old.fork_pair_id
        return replace(
            old,
            id=self.fresh(old.id),
            parent_id=self.fresh(old.parent_id)
            if old.parent_id in in_file
            else await _find_parent(session, self.owner, old.parent_id),
            # The last pair of the parent that the fork copied. If the file contains the parent, this pair has a new id.
            fork_pair_id=self.fresh(fork) if fork is not None and old.parent_id in in_file else fork,
            trigger_message_id=self.fresh(trigger) if trigger is not None and trigger in self.checked.ids else trigger,
        )

    async def _store_slices(self, conversations: Sequence[Conversation]) -> None:
        """Store the file in many transactions. Until the last one, the conversations are in the trash."""
        try:
            for start in range(0, len(conversations), SLICE_CONVERSATIONS):
                some = conversations[start : start + SLICE_CONVERSATIONS]
                async with self.ctx.store.write() as session:
                    await self._insert_conversations(session, some)
                    for made in some:
                        hidden = {"deleted_at": self.at, "title": f"{UNFINISHED}{made.title}"}
                        await update_conversation(session, self.owner, made.id, hidden)
            for one in self._cut():
                read = [await self._read(one)]
                async with self.ctx.store.write() as session:
                    await self._insert(session, read)
                self._report()
            async with self.ctx.store.write() as session:
                for made in self.done:
                    changes = {"deleted_at": None, "title": made.title}
                    await update_conversation(session, self.owner, made.id, changes)
        except (EndedError, StoreError, IntegrityError, NotFoundError, InputError) as error:
            count = f"{self.stored:,} of {self.checked.pair_count:,} pairs"
            log.warning("an import ended before all of it was stored", stored=count, fault=_describe(error))
            raise UnfinishedImportError(
                f"The import stopped after {count}: {_describe(error)} The imported pairs are in the trash, "
                f'under "{UNFINISHED}…". Delete them there, then import the file again.'
            ) from error

    def _cut(self) -> Iterator[_Slice]:
        """Yield the slices of the file.

        A slice with an attachment comes before the slices with the pairs that name it.
        """
        for number, one in enumerate(self.checked.conversations):
            for name in one.named:
                yield _Slice(number, attachment=name)
            some, size = list[int](), 0
            for index in one.order:
                if some and (len(some) == SLICE_PAIRS or size > SLICE_BYTES):
                    yield _Slice(number, pairs=some)
                    some, size = [], 0
                some.append(index)
                size += self.checked.file.size("pairs", number, index)
            if some:
                yield _Slice(number, pairs=some)
            for start in range(0, one.node_count, SLICE_PAIRS):
                yield _Slice(number, nodes=range(start, min(start + SLICE_PAIRS, one.node_count)))

    async def _read(self, one: _Slice) -> _ReadSlice:
        """Read a slice of the file a second time, to store it.

        Raises:
            EndedError: Inview is shutting down.
        """
        conversation_id = self.fresh(self.checked.conversations[one.number].conversation.id)

        def read() -> _ReadSlice:
            return _ReadSlice(
                one.number,
                self.checked.read_pairs(one.number, one.pairs, conversation_id, self.fresh),
                self.checked.read_nodes(one.number, one.nodes, self.fresh),
                None if one.attachment is None else self.checked.read_attachment(one.attachment),
            )

        slice_ = await _in_thread(self.ctx, self.rest, read)
        pairs = [each.record.pair for each in slice_.pairs if each.record.pair.lifecycle not in RUNNING]
        return replace(slice_, indexed=await describe_pairs(pairs, self._vocabulary(one.number)))

    def _vocabulary(self, number: int) -> str:
        """Return the vocabulary (tokenizer) of the conversation's current model."""
        return vocabulary_of(self.checked.conversations[number].conversation.model or DEFAULT_MODEL)

    async def _insert(self, session: AsyncSession, slices: list[_ReadSlice]) -> None:
        """Insert the first of these slices, and remove it from the list so that its memory can be freed."""
        one = slices.pop(0)
        conversation_id = self.done[one.number].id
        if one.attachment is not None:
            try:
                await keep_attachments(session, self.owner, conversation_id, [one.attachment], self.at)
            except InputError as error:
                raise FaultError("$.attachments", error.reason) from error
        records = [
            each.record
            if each.topic is None
            else replace(each.record, pair=replace(each.record.pair, topic=self.topics[each.topic]))
            for each in one.pairs
        ]
        target = RecordTarget(self.owner, conversation_id, _FIRST_REVISION, self.ctx.process_id)
        await insert_unsearched(session, target, records, one.nodes)
        await save_indexed(session, self._vocabulary(one.number), one.indexed)
        words = list_words(self.owner, records)
        count = len(records)
        del one, records
        await insert_words(session, words)
        self.stored += count

    def _report(self) -> None:
        if time.monotonic() - self.reported_at > TELL_SECONDS:
            self.reported_at = time.monotonic()
            log.info("an import is running", stored=self.stored, pairs=self.checked.pair_count)


def _describe(error: Exception) -> str:
    match error:
        case EndedError():
            return "Inview was stopped."
        case IntegrityError() | NotFoundError():
            return "its conversation was deleted in the meantime."
        case _:
            return str(error)


async def _find_parent(session: AsyncSession, owner: str, parent_id: str | None) -> str | None:
    """Return the id of the parent conversation if it exists in this installation, else None."""
    if parent_id is None:
        return None
    try:
        return (await load_conversation(session, owner, parent_id)).id
    except NotFoundError:
        return None


async def _make_topics(
    session: AsyncSession, owner: str, file: ExportShape, named: Sequence[TopicNames]
) -> Mapping[TopicNames, str]:
    """Find or create the topics of a file; return their ids by path."""
    listed = [
        (read_topic_path(topic.path, f"$.topics[{number}].path"), topic) for number, topic in enumerate(file.topics)
    ]
    times = {path: (topic.created_at, topic.used_at) for path, topic in listed if topic.created_at and topic.used_at}
    paths = [*(path for path, _ in listed), *named]
    return await make_topics(session, owner, list(dict.fromkeys(paths)), times)
