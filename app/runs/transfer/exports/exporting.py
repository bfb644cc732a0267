"""Exporting a conversation, or what a filter selects of it: as Inview's own format, as Markdown, or as a page.

export = await export_conversation(wb, LOCAL_OWNER, conversation_id, ExportFormat.JSON)

The file is written whole before it is handed out, to the disk once it is large: what is exported is the conversation as
of one moment, and no reader can hold that moment up.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from types import MappingProxyType
from typing import Protocol

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import Conversation, Pair
from app.domain.conversation.parts import Image, Part, ToolResult
from app.domain.export import PairRecord, forget_sent
from app.domain.filters.language.commands import ExportFormat, ExportOrder
from app.domain.filters.saved.saved_rules import list_used
from app.domain.topics.topic_rules import FiledTopic
from app.domain.topics.topics import TopicTree, build_topic_tree
from app.runs.process.ids import now
from app.runs.send.context_selection import ViewOptions, compose_view
from app.runs.transfer.exports.attachments import Luggage, list_attachments, pack, write_attachments
from app.runs.transfer.exports.own_json import (
    FORMAT,
    MAX_FILE_BYTES,
    VERSION,
    write_conversation,
    write_node,
    write_pair,
    write_topic,
)
from app.runs.workbench import Workbench
from app.store.archive import BATCH, Place, load_nodes, load_places, load_records
from app.store.conversation.attachments import load_attachments
from app.store.conversation.conversations import describe_listed
from app.store.organise.filters import load_saved_filters
from app.store.organise.topics import load_filed_topics
from app.store.run.comparisons import load_open
from app.store.run.queues import load_queue
from app.views.conversation import cut_snippet
from app.views.encode import to_json
from app.views.transcript_html import Pictures, html_foot, html_head, html_pair
from app.views.transcript_markdown import markdown_head, markdown_pair

IN_MEMORY = 8 * 1024 * 1024
"""Bytes of a file that are kept in memory before it goes to the disk."""
CHUNK = 256 * 1024
FOR_THE_REST = 2 * 1024 * 1024
"""Bytes of a file that are left for what is neither a pair nor an image or a file."""
HTML_PAIRS = 10
"""Pairs that are drawn at once as HTML, with their images."""
MAX_NAME = 100


class File(Protocol):
    """What is written to. `tell` gives the bytes so far."""

    def write(self, data: bytes, /) -> object:
        """Add these bytes."""
        ...

    def tell(self) -> int:
        """Count the bytes so far."""
        ...


@dataclass(frozen=True, slots=True)
class Exported:
    """A file: its name, its size in bytes, and what is in it, to be read once."""

    filename: str
    size: int
    chunks: AsyncIterator[bytes]


async def export_conversation(  # noqa: PLR0913 - whose, which, and how it is to be written
    wb: Workbench,
    owner: str,
    conversation_id: str,
    format_: ExportFormat,
    view_options: ViewOptions | None = None,
    *,
    order: ExportOrder = ExportOrder.TIME,
    filename: str | None = None,
    printed: bool = False,
) -> Exported:
    """A file of what is in view for who looks like this; None: of the whole conversation.

    `printed`: as HTML it prints itself when it is opened.

    Raises:
        NotFoundError: no such conversation of this owner.
        FilterError: the filter cannot be used; it says where.
        InputError: the model or the time zone cannot be used.
    """
    selected: frozenset[str] | None = None
    if view_options is not None and view_options.filter:
        composed = await compose_view(wb, owner, conversation_id, view_options)
        selected = frozenset(pair.pair_id for pair in composed.composition.visible.pairs)
    file = SpooledTemporaryFile[bytes](max_size=IN_MEMORY)
    try:
        async with wb.store.read() as session:
            source = await open_source(session, owner, conversation_id, selected)
            source.places, source.printed = _arrange(source.places, source.topics, order), printed
            await WRITERS[format_](source, file)
    except BaseException:
        file.close()
        raise
    size = file.tell()
    return Exported(name_file(filename or source.name, format_), size, _read(file))


async def open_source(
    session: AsyncSession, owner: str, conversation_id: str, selected: frozenset[str] | None = None
) -> Source:
    """Find what is to be written of a conversation: all of it, or the selected pairs.

    Raises:
        NotFoundError: no such conversation of this owner.
    """
    listed = await describe_listed(session, owner, conversation_id)
    places = await load_places(session, owner, conversation_id)
    chosen = places if selected is None else tuple(place for place in places if place.pair_id in selected)
    tree = build_topic_tree(one.topic for one in await load_filed_topics(session, owner))
    name = listed.conversation.title or cut_snippet(listed.opening) or "conversation"
    return Source(session, owner, listed.conversation, chosen, tree, name, whole=len(chosen) == len(places))


@dataclass(slots=True)
class Source:
    """Where a file comes from. `name`: what the conversation is called, or its first words.

    `whole`: every pair of the conversation is in it. `printed`: it prints itself.
    """

    session: AsyncSession
    owner: str
    conversation: Conversation
    places: Sequence[Place]
    topics: TopicTree
    name: str
    whole: bool = True
    printed: bool = False

    async def batches(self) -> AsyncIterator[tuple[PairRecord, ...]]:
        """The pairs in their order, some at a time."""
        for start in range(0, len(self.places), BATCH):
            pair_ids = [place.pair_id for place in self.places[start : start + BATCH]]
            yield await load_records(self.session, self.owner, pair_ids)

    def path_of(self, topic: str | None) -> str | None:
        return None if topic is None or topic not in self.topics.paths else self.topics.path_text(topic)


def _arrange(places: Sequence[Place], tree: TopicTree, order: ExportOrder) -> Sequence[Place]:
    """By time, or by topic as the tree has them and by time within each; pairs without a topic come last."""
    if order is ExportOrder.TIME:
        return places
    rank = {topic_id: number for number, (topic_id, _) in enumerate(sorted(tree.paths.items(), key=lambda one: one[1]))}
    return sorted(places, key=lambda place: (rank.get(place.topic or "", len(rank)), place.position))


# --- the three formats ---


async def _list_left_out(source: Source) -> list[str]:
    """What is under way in the conversation, and so is no part of its history yet."""
    queue = await load_queue(source.session, source.owner, source.conversation.id)
    comparing = await load_open(source.session, source.owner, source.conversation.id)
    waiting = len(queue.items)
    return [
        *([f"{waiting} queued text{'s' if waiting > 1 else ''}"] if waiting else ()),
        *([] if comparing is None else ["an open comparison"]),
    ]


def _describe_damaged(count: int) -> list[str]:
    return [f"what cannot be read of {count} damaged pair{'s' if count > 1 else ''}"] if count else []


async def _write_json(source: Source, file: File) -> None:
    written = JsonFile(file)
    await written.add(source)
    await written.close(source.session, source.owner)


class JsonFile:
    """A file of Inview's own format, written a conversation at a time; all that they share is written at the end.

    `left_out`: it had no room for some images and files, which it says.
    """

    def __init__(self, file: File) -> None:
        self.left_out = False
        self._file = file
        self._between = b""
        self._topics: dict[str, bytes] = {}
        self._filters: dict[str, str] = {}
        self._attachments: dict[str, None] = {}
        self._room = MAX_FILE_BYTES - FOR_THE_REST
        file.write(to_json({"format": FORMAT, "version": VERSION, "exported_at": now()})[:-1] + b',"conversations":[')

    @property
    def is_too_large(self) -> bool:
        """Whether what is written could not be imported."""
        return self._file.tell() > self._room

    async def add(self, source: Source) -> None:
        """Write a conversation."""
        paths = await self._note_topics(source)
        saved = await load_saved_filters(source.session, source.owner)
        self._filters |= {name: saved[name] for name in list_used(source.conversation.filter, saved)}
        nodes = await load_nodes(source.session, source.owner, source.conversation.id) if source.whole else ()
        self._file.write(self._between + to_json(write_conversation(source.conversation))[:-1] + b',"pairs":[')
        between, named, damaged = b"", list[str](), 0
        async for records in source.batches():
            kept = records if source.whole else map(forget_sent, records)
            for record in kept:
                self._file.write(between + to_json(write_pair(record, paths)))
                named += list_attachments(record)
                damaged += any(one.table != "attachment" for one in record.pair.damage)
                between = b","
        luggage = await self._pack(source, [one for one in named if one not in self._attachments])
        left_out = [*await _list_left_out(source), *_describe_damaged(damaged), *filter(None, [luggage.left_out])]
        written = b'],"nodes":' + to_json([write_node(node) for node in nodes])
        self._file.write(written + b',"left_out":' + to_json(left_out) + b"}")
        self._between = b","

    async def _note_topics(self, source: Source) -> dict[str, str]:
        """Note the topics of a conversation and those above them. The paths of its own, by their ids."""
        filed = {one.topic.id: one for one in await load_filed_topics(source.session, source.owner)}
        ways = [_way_to(one, filed) for one in filed.keys() & {place.topic for place in source.places}]
        used = {one.topic.id: one for way in ways for one in way}
        in_order = sorted(used.values(), key=lambda one: [above.place for above in _way_to(one.topic.id, filed)])
        paths = {topic_id: source.topics.path_text(topic_id) for topic_id in used}
        for one in in_order:
            self._topics.setdefault(one.topic.id, to_json(write_topic(one, paths[one.topic.id])))
        return paths

    async def _pack(self, source: Source, named: Sequence[str]) -> Luggage:
        luggage = await pack(source.session, source.owner, named, room=self._room - self._file.tell())
        self._attachments |= dict.fromkeys(luggage.ids)
        self._room -= luggage.size
        self.left_out = self.left_out or bool(luggage.left_out)
        return luggage

    async def close(self, session: AsyncSession, owner: str) -> None:
        """Write what the conversations share, and the end of the file."""
        filters = [{"name": name, "filter": line} for name, line in self._filters.items()]
        self._file.write(b'],"topics":[' + b",".join(self._topics.values()) + b'],"filters":' + to_json(filters))
        self._file.write(b',"agents":[],"attachments":[')
        between = b""
        async for written in write_attachments(session, owner, tuple(self._attachments)):
            self._file.write(between + written)
            between = b","
        self._file.write(b"]}")


def _way_to(topic_id: str, filed: Mapping[str, FiledTopic]) -> list[FiledTopic]:
    """The topics from the root down to this one."""
    way = [filed[topic_id]]
    while (parent := way[-1].topic.parent_id) is not None:
        way.append(filed[parent])
    return way[::-1]


async def _write_markdown(source: Source, file: File) -> None:
    file.write(markdown_head(source.conversation).encode())
    async for records in source.batches():
        for record in records:
            file.write(markdown_pair(record.pair, source.path_of(record.pair.topic)).encode())


async def _write_html(source: Source, file: File) -> None:
    file.write(html_head(source.conversation, printed=source.printed).encode())
    async for records in source.batches():
        for start in range(0, len(records), HTML_PAIRS):
            pairs = [record.pair for record in records[start : start + HTML_PAIRS]]
            pictures = await load_attachments(source.session, source.owner, list_pictures(pairs))
            file.write(await asyncio.to_thread(_draw_html, pairs, source, pictures))
    file.write(html_foot().encode())


def list_pictures(pairs: Sequence[Pair]) -> list[str]:
    """The attachments that the images of these pairs show, each once."""
    messages = [message for pair in pairs for message in (pair.request, pair.reply) if message is not None]
    return list(dict.fromkeys(part.attachment_id for one in messages for part in _images(one.parts)))


def _images(parts: Iterable[Part]) -> Iterator[Image]:
    for part in parts:
        if isinstance(part, Image):
            yield part
        elif isinstance(part, ToolResult):
            yield from _images(part.content)


def _draw_html(pairs: Sequence[Pair], source: Source, pictures: Pictures) -> bytes:
    return "".join(html_pair(pair, source.path_of(pair.topic), pictures) for pair in pairs).encode()


WRITERS: Mapping[ExportFormat, Callable[[Source, File], Awaitable[None]]] = MappingProxyType(
    {ExportFormat.JSON: _write_json, ExportFormat.MARKDOWN: _write_markdown, ExportFormat.HTML: _write_html}
)


async def _read(file: SpooledTemporaryFile[bytes]) -> AsyncIterator[bytes]:
    with file:
        file.seek(0)
        while chunk := file.read(CHUNK):
            yield chunk
            await asyncio.sleep(0)


def name_file(name: str, format_: ExportFormat) -> str:
    """A name that every file system takes."""
    kept = "".join(sign if sign.isprintable() and sign not in '/\\:*?"<>|' else "-" for sign in name)
    ending = f".{format_.value}"
    stem = kept.removesuffix(ending).strip(" .")[:MAX_NAME].strip(" .") or "conversation"
    return f"{stem}{ending}"
