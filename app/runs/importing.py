"""Importing a file in Inview's own format: checked whole, then stored in one transaction, with ids of its own.

done = await import_file(wb, LOCAL_OWNER, body)

Importing a file twice gives everything twice, but for topics and saved filters: those are found again by their names.
The ledger is left alone: it records calls that were made here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.attachments import Attachment
from app.domain.conversation import Conversation
from app.domain.errors import InputError, NotFoundError
from app.domain.export import Fresh, PairRecord, renew
from app.domain.filters.errors import FilterError
from app.domain.filters.parser import parse_filter
from app.domain.filters.saved import expand_saved
from app.domain.filters.syntax import Saved, leaves
from app.domain.saved_filters import read_savable, rename_use
from app.runs.export_attachments import list_attachments
from app.runs.ids import new_id, now
from app.runs.import_file import FaultError, read_file
from app.runs.import_records import ImportedConversation, TopicPath, read_conversations, read_topic_path
from app.runs.import_shapes import ExportShape, SavedFilterShape
from app.runs.import_tools import read_attachments
from app.runs.to_the_end import to_the_end
from app.runs.topic_commands import make_topics
from app.runs.workbench import Workbench
from app.store.archive import insert_records
from app.store.attachments import keep_attachments
from app.store.conversations import insert_conversation, load_conversation, next_revision
from app.store.filters import load_saved_filters, write_saved_filters


@dataclass(frozen=True, slots=True)
class ImportedOne:
    """A conversation that came of a file. `pair_count` counts its pairs."""

    id: str
    title: str
    pair_count: int


async def import_file(wb: Workbench, owner: str, body: bytes) -> tuple[ImportedOne, ...]:
    """Store what a file holds; its conversations as they are now.

    Raises:
        FaultError: the file cannot be imported; it names the place of the first fault. Nothing was stored.
        ConflictError: there would be too many topics or saved filters.
    """
    at = now()
    read = await asyncio.to_thread(_read, body, owner, at)
    return await _store(wb, owner, read, at)


@dataclass(frozen=True, slots=True)
class _ReadFile:
    shape: ExportShape
    conversations: tuple[ImportedConversation, ...]
    named: tuple[frozenset[str], ...]
    """By conversation, the images and files that it names."""
    attachments: Mapping[str, Attachment]


def _read(body: bytes, owner: str, at: datetime) -> _ReadFile:
    shape = read_file(body)
    conversations = read_conversations(shape, owner, at)
    named = tuple(
        frozenset(one for record in each.records for one in list_attachments(record)) for each in conversations
    )
    return _ReadFile(shape, conversations, named, read_attachments(shape.attachments, frozenset[str]().union(*named)))


@to_the_end
async def _store(wb: Workbench, owner: str, read: _ReadFile, at: datetime) -> tuple[ImportedOne, ...]:
    file, conversations = read.shape, read.conversations
    fresh = Fresh(new_id)
    for one in conversations:
        fresh(one.conversation.id)  # so that a conversation may name one that comes later as its parent
    done: list[ImportedOne] = []
    async with wb.store.write() as session:
        names = await _save_filters(session, owner, file, at)
        topics = await _make_topics(session, owner, file, conversations)
        for number, one in enumerate(conversations):
            place = f"$.conversations[{number}].filter"
            line = await _read_filter(session, owner, one.conversation.filter, names, place)
            conversation = replace(
                one.conversation,
                id=fresh(one.conversation.id),
                filter=line,
                parent_id=await _find_parent(session, owner, one.conversation.parent_id, fresh),
                fork_pair_id=_find_fork_point(one.conversation, fresh),
            )
            records = [_place(renew(record, conversation.id, fresh), record, one, topics) for record in one.records]
            trigger = conversation.trigger_message_id
            conversation = replace(conversation, trigger_message_id=fresh.known.get(trigger or "", trigger))
            await insert_conversation(session, conversation)
            revision = await next_revision(session, conversation.id, None)
            nodes = [replace(node, id=fresh(node.id)) for node in one.nodes]
            brought = [read.attachments[each] for each in sorted(read.named[number]) if each in read.attachments]
            try:
                await keep_attachments(session, owner, conversation.id, brought, at)
            except InputError as error:
                raise FaultError("$.attachments", error.reason) from error
            await insert_records(session, owner, conversation.id, records, nodes, revision, wb.process_id)
            done.append(ImportedOne(conversation.id, conversation.title, len(records)))
    wb.feeds.publish_list(owner)
    return tuple(done)


def _place(
    copy: PairRecord, record: PairRecord, one: ImportedConversation, topics: Mapping[TopicPath, str]
) -> PairRecord:
    path = one.topics.get(record.pair.id)
    return copy if path is None else replace(copy, pair=replace(copy.pair, topic=topics[path]))


async def _find_parent(session: AsyncSession, owner: str, parent_id: str | None, fresh: Fresh) -> str | None:
    """The parent that came with the file, else the one that is here; None: it is neither."""
    if parent_id is None or parent_id in fresh.known:
        return fresh.known.get(parent_id or "")
    try:
        return (await load_conversation(session, owner, parent_id)).id
    except NotFoundError:
        return None


def _find_fork_point(conversation: Conversation, fresh: Fresh) -> str | None:
    """The parent's pair up to which it was copied: by its new id, if the parent came with the file."""
    pair_id = conversation.fork_pair_id
    return fresh(pair_id) if pair_id is not None and conversation.parent_id in fresh.known else pair_id


async def _make_topics(
    session: AsyncSession, owner: str, file: ExportShape, conversations: Sequence[ImportedConversation]
) -> Mapping[TopicPath, str]:
    """The topics of a file, found by their paths or made; their ids by path."""
    listed = [
        (read_topic_path(topic.path, f"$.topics[{number}].path"), topic) for number, topic in enumerate(file.topics)
    ]
    times = {path: (topic.created_at, topic.used_at) for path, topic in listed if topic.created_at and topic.used_at}
    paths = [path for path, _ in listed] + [path for one in conversations for path in one.topics.values()]
    return await make_topics(session, owner, list(dict.fromkeys(paths)), times)


async def _save_filters(session: AsyncSession, owner: str, file: ExportShape, at: datetime) -> dict[str, str]:
    """Keep the saved filters of a file; what each is called here. Where another has its name, it gets a number."""
    known = await load_saved_filters(session, owner)
    names, lines = _name_filters(file, known)
    new = {name: line for name, line in lines.items() if known.get(name) != line}
    for number, shape in enumerate(file.filters):
        if (name := names[shape.name]) in new:
            try:
                read_savable(name, new[name], {**known, **lines})
            except InputError as error:
                raise FaultError(f"$.filters[{number}].{error.field}", error.reason) from error
    await write_saved_filters(session, owner, new, at)
    return names


def _name_filters(file: ExportShape, known: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """What each saved filter of a file is called here, and what is then to be saved under those names.

    Those that use others come after them, so that a filter that is here already is known by what it says.
    """
    names: dict[str, str] = {}
    lines: dict[str, str] = {}
    waiting = list(enumerate(file.filters))
    in_file = {shape.name for shape in file.filters}
    while waiting:
        ready = [one for one in waiting if all(used in names or used not in in_file for used in _uses(*one))]
        for number, shape in ready or waiting:
            if shape.name in names:
                raise FaultError(f"$.filters[{number}].name", f"@{shape.name} stands there twice.")
            line = _rename(shape.filter, names)
            names[shape.name] = name = _free_name(shape.name, line, {**known, **lines})
            lines[name] = line
        waiting = [one for one in waiting if one[1].name not in names]
    return names, lines


def _uses(number: int, shape: SavedFilterShape) -> frozenset[str]:
    try:
        return frozenset(leaf.name for leaf in leaves(parse_filter(shape.filter)) if isinstance(leaf, Saved))
    except FilterError as error:
        raise FaultError(f"$.filters[{number}].filter", error.message) from error


def _free_name(name: str, line: str, known: Mapping[str, str]) -> str:
    candidate, number = name, 1
    while known.get(candidate, line) != line:
        number += 1
        candidate = f"{name}-{number}"
    return candidate


def _rename(line: str, names: Mapping[str, str]) -> str:
    """The line with every saved filter under its name of here; by way of names that nobody has, for some may swap."""
    parse_filter(line)
    changed = [(old, new) for old, new in names.items() if old != new]
    for number, (old, _) in enumerate(changed):
        line = rename_use(line, old, f"_{number}_")
    for number, (_, new) in enumerate(changed):
        line = rename_use(line, f"_{number}_", new)
    return line


async def _read_filter(session: AsyncSession, owner: str, line: str, names: Mapping[str, str], place: str) -> str:
    try:
        renamed = _rename(line, names)
        expand_saved(parse_filter(renamed), await load_saved_filters(session, owner))
    except FilterError as error:
        raise FaultError(place, error.message) from error
    return renamed
