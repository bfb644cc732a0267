"""Export of a conversation, or of the pairs that a filter selects: in Inview's format, as Markdown or HTML.

    exported = await export_conversation(ctx, LOCAL_OWNER, conversation_id, Export(ExportFormat.JSON))

Inview first writes the whole file, to the disk if it is large, and then returns it. So the export shows the
conversation at one point in time, and a slow reader does not keep the read transaction open.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from tempfile import SpooledTemporaryFile
from types import MappingProxyType

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.audit import AuditAction
from app.domain.conversation.conversation import Conversation
from app.domain.conversation.page_bytes import count_fitting
from app.domain.filters.language.commands import Export, ExportFormat, ExportOrder
from app.domain.filters.language.errors import FilterError
from app.domain.filters.language.parser import parse_filter
from app.domain.filters.saved import expand_saved
from app.domain.filters.saved_rules import list_used
from app.domain.topics.topic_rules import FiledTopic
from app.domain.topics.topics import TopicTree, build_topic_tree
from app.domain.transfer.records import PairRecord, forget_sent, list_attachments
from app.runs.app_context import AppContext
from app.runs.audit.access_log import Access
from app.runs.runtime.ids import now
from app.runs.send.composition import compose_view
from app.runs.send.context_selection import ViewOptions
from app.runs.transfer.export_attachments import pack
from app.runs.transfer.export_json import FORMAT, VERSION, write_conversation, write_node, write_pair, write_topic
from app.runs.transfer.import_file import MAX_BYTES
from app.store.compare.comparisons import load_open
from app.store.conversation.conversations import load_conversation
from app.store.conversation.lists import describe_listed
from app.store.filters.filters import load_saved_filters
from app.store.run.queues import load_queue
from app.store.topics.topics import load_filed_topics
from app.store.transfer.pair_records import (
    BATCH,
    PairPlace,
    load_nodes,
    load_places,
    load_record_bytes,
    load_records,
)
from app.store.transfer.raw_rows import load_raw_conversation
from app.views.conversation.conversation import cut_opening
from app.views.encode import to_json
from app.views.export.transcript_html import html_foot, html_head, html_pair
from app.views.export.transcript_markdown import markdown_head, markdown_pair

IN_MEMORY = 8 * 1024 * 1024
"""Size in bytes up to which a file is kept in memory instead of on the disk."""
CHUNK = 256 * 1024
FOR_THE_REST = 2 * 1024 * 1024
"""Bytes reserved in a file for everything except pairs, images and files."""
MAX_NAME = 100


@dataclass(frozen=True, slots=True)
class Exported:
    """An exported file: its name, its size in bytes, and its content, which can be read once."""

    filename: str
    size: int
    chunks: AsyncIterator[bytes]


async def export_conversation(
    ctx: AppContext, owner: str, conversation_id: str, export: Export, options: ViewOptions | None = None
) -> Exported:
    """Export the pairs in view under the filter in `options`. Without options or a filter: the whole conversation.

    Raises:
        NotFoundError: this owner has no such conversation.
        FilterError: the filter cannot be used. The error has the place of the fault.
        InputError: the model or the time zone cannot be used.
        DamagedRowError: the order of its pairs cannot be read.
    """
    selected: frozenset[str] | None = None
    if options is not None and options.filter:
        composed = await compose_view(ctx, owner, conversation_id, options)
        selected = frozenset(pair.pair_id for pair in composed.composition.visible.pairs)
    file = SpooledTemporaryFile[bytes](max_size=IN_MEMORY)
    try:
        async with ctx.store.read() as session:
            # This raises an error if the order of the pairs cannot be read.
            await load_conversation(session, owner, conversation_id)
            listed = await describe_listed(session, owner, conversation_id)
            places = await load_places(session, owner, conversation_id)
            chosen = places if selected is None else tuple(place for place in places if place.pair_id in selected)
            filed = await load_filed_topics(session, owner)
            tree = build_topic_tree(one.topic for one in filed)
            source = _Source(session, owner, listed.conversation, _arrange(chosen, tree, export.order), tree)
            source.whole = len(chosen) == len(places)
            await _WRITERS[export.format](source, file)
    except BaseException:
        file.close()
        raise
    size = file.tell()
    ctx.accesses.note(owner, Access(AuditAction.EXPORTED, conversation_id, conversation_id, export.format.value))
    name = export.filename or listed.conversation.title or cut_opening(listed.opening) or "conversation"
    return Exported(_name_file(name, export.format), size, _read(file))


@dataclass(slots=True)
class _Source:
    """The data of an export. `whole`: the export has every pair of the conversation.

    `damage` describes values that cannot be read.
    """

    session: AsyncSession
    owner: str
    conversation: Conversation
    places: Sequence[PairPlace]
    topics: TopicTree
    whole: bool = True
    damage: list[str] = field(default_factory=list[str])

    async def batches(self) -> AsyncIterator[tuple[PairRecord, ...]]:
        """Yield the pairs in the order of the file, in batches with a limited number of pairs and of bytes."""
        for start in range(0, len(self.places), BATCH):
            pair_ids = [place.pair_id for place in self.places[start : start + BATCH]]
            sizes = await load_record_bytes(self.session, self.owner, pair_ids)
            while pair_ids:
                count = count_fitting(sizes.get(pair_id, 0) for pair_id in pair_ids)
                records = await load_records(self.session, self.owner, pair_ids[:count])
                pair_ids = pair_ids[count:]
                self.damage += [f"Pair {one.pair.position}: {damage}" for one in records for damage in one.pair.damage]
                yield records

    def path_of(self, topic: str | None) -> str | None:
        return None if topic is None else self.topics.path_text(topic)


_File = SpooledTemporaryFile[bytes]


def _arrange(places: Sequence[PairPlace], tree: TopicTree, order: ExportOrder) -> Sequence[PairPlace]:
    """Sort by time, or by topic in the order of the tree and then by time. Pairs without a topic are last."""
    if order is ExportOrder.TIME:
        return places
    rank = {topic_id: number for number, (topic_id, _) in enumerate(sorted(tree.paths.items(), key=lambda one: one[1]))}
    return sorted(places, key=lambda place: (rank.get(place.topic or "", len(rank)), place.position))


# --- the three formats ---


async def _list_left_out(source: _Source) -> list[str]:
    """Describe the parts of the conversation that the export omits: queued texts and an open comparison."""
    queue = await load_queue(source.session, source.owner, source.conversation.id)
    comparing = await load_open(source.session, source.owner, source.conversation.id)
    waiting = len(queue.items)
    return [
        *([f"{waiting} queued text{'s' if waiting > 1 else ''}"] if waiting else ()),
        *([] if comparing is None else ["an open comparison"]),
    ]


async def _list_damaged(source: _Source) -> list[dict[str, object]]:
    """List the columns of the conversation that cannot be read. The file has their default values."""
    damage = source.conversation.damage
    if not damage:
        return []
    (row,) = (await load_raw_conversation(source.session, source.owner, source.conversation.id))["conversation"]
    return [{"column": one.column, "reason": one.sentence, "raw": row[one.column]} for one in damage]


def _find_fault(line: str, saved: Mapping[str, str]) -> str | None:
    """Return why an import would refuse this filter: a saved filter in it is damaged or missing. None: it would not."""
    try:
        expand_saved(parse_filter(line), saved)
    except FilterError as error:
        return error.message
    return None


async def _write_json(source: _Source, file: _File) -> None:
    filed = {one.topic.id: one for one in await load_filed_topics(source.session, source.owner)}
    there = {place.topic for place in source.places if place.topic is not None} & filed.keys()
    ways = {topic_id: _way_to(topic_id, filed) for topic_id in there}
    used = {one.topic.id: one for way in ways.values() for one in way}
    in_order = sorted(used.values(), key=lambda one: [above.place for above in _way_to(one.topic.id, filed)])
    paths = {topic_id: source.topics.path_text(topic_id) for topic_id in used}
    topics = [write_topic(one, paths[one.topic.id]) for one in in_order]
    saved = await load_saved_filters(source.session, source.owner)
    line, damaged = source.conversation.filter, await _list_damaged(source)
    if (fault := _find_fault(line, saved)) is not None:
        damaged.append({"column": "filter", "reason": fault, "raw": line})
        line = ""
    filters = [{"name": name, "filter": saved[name]} for name in list_used(line, saved)]
    nodes = await load_nodes(source.session, source.owner, source.conversation.id) if source.whole else ()
    conversation = {**write_conversation(replace(source.conversation, filter=line)), "damaged": damaged}
    head = to_json({"format": FORMAT, "version": VERSION, "exported_at": now()})
    file.write(head[:-1] + b',"conversations":[' + to_json(conversation)[:-1] + b',"pairs":[')
    between, named = b"", list[str]()
    async for records in source.batches():
        kept = records if source.whole else [*map(forget_sent, records)]
        # a pair can have a sent request of many megabytes
        await asyncio.to_thread(_write_pairs, file, kept, paths, between)
        named += [name for record in kept for name in list_attachments(record)]
        between = b","
    luggage = await pack(source.session, source.owner, named, room=MAX_BYTES - file.tell() - FOR_THE_REST)
    left_out = to_json([*await _list_left_out(source), *filter(None, [luggage.left_out]), *source.damage])
    file.write(b'],"nodes":' + to_json([write_node(node) for node in nodes]) + b',"left_out":' + left_out + b"}]")
    file.write(b',"topics":' + to_json(topics) + b',"filters":' + to_json(filters) + b',"agents":[],"attachments":[')
    between = b""
    async for written in luggage.write(source.session):
        file.write(between + written)
        between = b","
    file.write(b"]}")


def _write_pairs(file: _File, records: Sequence[PairRecord], paths: Mapping[str, str], between: bytes) -> None:
    """Write pairs as JSON. `between`: written before the first pair."""
    for record in records:
        file.write(between + to_json(write_pair(record, paths)))
        between = b","


def _way_to(topic_id: str, filed: Mapping[str, FiledTopic]) -> list[FiledTopic]:
    """Return the topics on the path from the root to this topic."""
    way = [filed[topic_id]]
    while (parent := way[-1].topic.parent_id) is not None:
        way.append(filed[parent])
    return way[::-1]


async def _write_markdown(source: _Source, file: _File) -> None:
    file.write(markdown_head(source.conversation).encode())
    async for records in source.batches():
        for record in records:
            file.write(markdown_pair(record.pair, source.path_of(record.pair.topic)).encode())


async def _write_html(source: _Source, file: _File) -> None:
    file.write(html_head(source.conversation).encode())
    async for records in source.batches():
        file.write(await asyncio.to_thread(_draw_html, records, source))
    file.write(html_foot().encode())


def _draw_html(records: Sequence[PairRecord], source: _Source) -> bytes:
    return "".join(html_pair(one.pair, source.path_of(one.pair.topic)) for one in records).encode()


_WRITERS: Mapping[ExportFormat, Callable[[_Source, _File], Awaitable[None]]] = MappingProxyType(
    {ExportFormat.JSON: _write_json, ExportFormat.MARKDOWN: _write_markdown, ExportFormat.HTML: _write_html}
)


async def _read(file: _File) -> AsyncIterator[bytes]:
    with file:
        file.seek(0)
        while chunk := file.read(CHUNK):
            yield chunk
            await asyncio.sleep(0)


def _name_file(name: str, format_: ExportFormat) -> str:
    """Return a file name that every file system accepts."""
    kept = "".join(sign if sign.isprintable() and sign not in '/\\:*?"<>|' else "-" for sign in name)
    ending = f".{format_.value}"
    stem = kept.removesuffix(ending).strip(" .")[:MAX_NAME].strip(" .") or "conversation"
    return f"{stem}{ending}"
