"""Loads and inserts pairs with all rows that belong to them: for export, import and copies.

Both happen in batches, so that a long conversation neither exceeds the limits of a statement nor blocks the event loop.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from sqlalchemy import LargeBinary, func, insert, select, text
from sqlalchemy import cast as sql_cast
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import Message, Pair, Role
from app.domain.conversation.damage import Damage
from app.domain.conversation.lifecycle import RUNNING, Lifecycle
from app.domain.conversation.parts import Text
from app.domain.errors import ErrorClass, Failure, StoreError, failure
from app.domain.tools.tool_records import ToolCallRecord
from app.domain.transfer.records import NodeRecord, PairRecord, RunRecord, SnapshotRecord, VersionRecord
from app.store.attachments.attachments import use_attachments
from app.store.conversation.pairs import encode_message, encode_pair, load_pairs_by_id
from app.store.conversation.rows import MESSAGE, NODE, PAIR, RUN, SNAPSHOT, VERSION
from app.store.database.damage import Reading
from app.store.database.mapping import (
    MESSAGE_COLUMNS,
    decode_failure,
    decode_parameters,
    decode_replaced,
    decode_retry,
    decode_round,
    decode_stop_reason,
    decode_usage,
    decode_word,
    encode_failure,
    encode_parameters,
    encode_replaced,
    encode_retry,
    encode_round,
    encode_usage,
    read_message,
)
from app.store.database.row import Json
from app.store.index.rows_search import SEARCH_TEXT, divide_words
from app.store.run.runs import STATUS_RUNNING
from app.store.tools.rows_tools import TOOL_CALL
from app.store.tools.tool_calls import encode_tool_call, load_tool_calls

BATCH = 250
STATEMENT_CHARACTERS = 1_000_000
"""Number of characters of messages after which a new statement starts."""
PLACES = 2_000
"""Number of `PairPlace` values read at once. All 50,000 of a long conversation would block the event loop for 0.1 s."""


@dataclass(frozen=True, slots=True)
class PairPlace:
    """The position of a pair in its conversation, and its topic."""

    pair_id: str
    position: int
    topic: str | None


@dataclass(frozen=True, slots=True)
class RecordTarget:
    """The conversation into which records are inserted, with the revision that its pairs get.

    `process_id` is the id of this process, for the rows of runs.
    """

    owner: str
    conversation_id: str
    revision: int
    process_id: str


async def load_places(session: AsyncSession, owner: str, conversation_id: str) -> tuple[PairPlace, ...]:
    """Return the positions and topics of all pairs of a conversation, oldest first, without deleted pairs."""
    query = (
        select(PAIR.c.id, PAIR.c.position, PAIR.c.topic)
        .where(PAIR.c.conversation_id == conversation_id, PAIR.c.owner == owner, PAIR.c.deleted_at.is_(None))
        .order_by(PAIR.c.position)
        .limit(PLACES)
    )
    places = [PairPlace(*row) for row in await session.execute(query)]
    read = len(places)
    while read == PLACES:
        more = [PairPlace(*row) for row in await session.execute(query.where(PAIR.c.position > places[-1].position))]
        read = len(more)
        places += more
    return tuple(places)


async def load_record_bytes(session: AsyncSession, owner: str, pair_ids: Sequence[str]) -> dict[str, int]:
    """Return, for each of these pairs by id, the size of its stored messages and tool results in bytes."""
    parts, *results = (
        func.coalesce(func.length(sql_cast(column, LargeBinary)), 0)
        for column in (MESSAGE.c.parts, TOOL_CALL.c.structured_json, TOOL_CALL.c.content)
    )
    of_messages = select(MESSAGE.c.pair_id, parts).where(MESSAGE.c.owner == owner, MESSAGE.c.pair_id.in_(pair_ids))
    of_calls = (
        select(RUN.c.pair_id, results[0] + results[1])
        .join(TOOL_CALL, TOOL_CALL.c.run_id == RUN.c.id)
        .where(RUN.c.owner == owner, RUN.c.pair_id.in_(pair_ids))
    )
    found: defaultdict[str, int] = defaultdict(int)
    # There are two queries, because for a combined one SQLite may copy the texts to sort them.
    for query in (of_messages, of_calls):
        for pair_id, size in await session.execute(query):
            found[pair_id] += size
    return found


async def load_records(session: AsyncSession, owner: str, pair_ids: Sequence[str]) -> tuple[PairRecord, ...]:
    """Return the records of these pairs, in this order. Pass at most `BATCH` ids. Missing pairs are left out."""
    pairs = {pair.id: pair for pair in await load_pairs_by_id(session, owner, tuple(pair_ids))}
    messages: defaultdict[str, list[Message]] = defaultdict(list)
    standing = {m.id for pair in pairs.values() for m in (pair.request, pair.reply) if m is not None}
    columns = (MESSAGE.c.pair_id, MESSAGE.c.id, *(MESSAGE.c[name] for name in MESSAGE_COLUMNS))
    others = select(*columns).where(MESSAGE.c.pair_id.in_(pairs), MESSAGE.c.id.not_in(standing))
    damage: defaultdict[str, list[Damage]] = defaultdict(list)
    for pair_id, *message in await session.execute(others.order_by(MESSAGE.c.created_at, MESSAGE.c.id)):
        kept, damaged = read_message(*message, expected=Role.USER)
        messages[pair_id].append(kept)
        damage[pair_id] += damaged
    versions: defaultdict[str, list[VersionRecord]] = defaultdict(list)
    stood = select(VERSION).where(VERSION.c.pair_id.in_(pairs)).order_by(VERSION.c.number)
    for row in (await session.execute(stood)).mappings():
        reading = Reading("version", f"{row['pair_id']} {row['number']}")
        versions[row["pair_id"]] += reading.take_row(VERSION, row, lambda one: [_decode_version(one)], [])
        damage[row["pair_id"]] += reading.damage
    runs: defaultdict[str, list[RunRecord]] = defaultdict(list)
    attempts = select(RUN).where(RUN.c.pair_id.in_(pairs)).order_by(RUN.c.started_at, RUN.c.id)
    made = (await session.execute(attempts)).mappings().all()
    called = await load_tool_calls(session, [row["id"] for row in made if row["rounds"]])
    for row in made:
        reading, calls = Reading("run", row["id"]), called.get(row["id"], ())
        runs[row["pair_id"]] += reading.take_row(RUN, row, lambda one, calls=calls: [_decode_run(one, calls)], [])
        damage[row["pair_id"]] += reading.damage
    snapshots: dict[str, SnapshotRecord | None] = {}
    for row in (await session.execute(select(SNAPSHOT).where(SNAPSHOT.c.pair_id.in_(pairs)))).mappings():
        reading = Reading("snapshot", row["pair_id"])
        snapshots[row["pair_id"]] = reading.take_row(SNAPSHOT, row, _decode_snapshot, None)
        damage[row["pair_id"]] += reading.damage
    for pair in pairs.values():
        runs[pair.id] = [_fail_run(run, pair) for run in runs[pair.id]]
    pairs = {pair_id: _fail(pair, damage[pair_id]) for pair_id, pair in pairs.items()}
    found = (pairs[pair_id] for pair_id in pair_ids if pair_id in pairs)
    return tuple(
        PairRecord(
            pair, tuple(messages[pair.id]), tuple(versions[pair.id]), tuple(runs[pair.id]), snapshots.get(pair.id)
        )
        for pair in found
    )


async def load_nodes(session: AsyncSession, owner: str, conversation_id: str) -> tuple[NodeRecord, ...]:
    """Return the nodes of a conversation, ordered by position. Nodes that cannot be read are left out."""
    query = select(NODE).where(NODE.c.conversation_id == conversation_id, NODE.c.owner == owner)
    rows = (await session.execute(query.order_by(NODE.c.after_position, NODE.c.created_at, NODE.c.id))).mappings()
    nodes = (Reading("node", row["id"]).take_row(NODE, row, _decode_node, None) for row in rows)
    return tuple(node for node in nodes if node is not None)


async def insert_records(
    session: AsyncSession, target: RecordTarget, records: Sequence[PairRecord], nodes: Sequence[NodeRecord] = ()
) -> None:
    """Insert pairs and nodes into a conversation unchanged."""
    await insert_unsearched(session, target, records, nodes)
    await insert_words(session, list_words(target.owner, records))


async def insert_unsearched(
    session: AsyncSession, target: RecordTarget, records: Sequence[PairRecord], nodes: Sequence[NodeRecord]
) -> None:
    """Insert pairs and nodes like `insert_records`, without their words for the search: see `insert_words`."""
    owner, conversation_id = target.owner, target.conversation_id
    for start in range(0, len(records), BATCH):
        batch = records[start : start + BATCH]
        # Insert messages before their pairs: otherwise a trigger would read their texts again while they are in memory
        # too.
        await session.execute(text("PRAGMA defer_foreign_keys = ON"))
        await _insert_large(session, MESSAGE, (row for record in batch for row in _encode_messages(owner, record)))
        await _insert(session, PAIR, [_encode_pair(owner, record, target.revision) for record in batch])
        await session.execute(text("PRAGMA defer_foreign_keys = OFF"))
        await _insert(session, VERSION, [_encode_version(owner, one, old) for one in batch for old in one.versions])
        runs = [_encode_run(owner, one, run, target.process_id) for one in batch for run in one.runs]
        await _insert(session, RUN, runs)
        called = [(run.id, call) for one in batch for run in one.runs for call in run.tool_calls]
        await _insert_large(
            session, TOOL_CALL, ({"run_id": run_id, **encode_tool_call(call)} for run_id, call in called)
        )
        await _insert(session, SNAPSHOT, [_encode_snapshot(owner, one) for one in batch if one.snapshot is not None])
        named = [message for one in batch for message in (one.pair.request, one.pair.reply, *one.messages)]
        await use_attachments(session, owner, conversation_id, named)
    await _insert(session, NODE, [_encode_node(owner, conversation_id, node) for node in nodes])


def list_words(owner: str, records: Sequence[PairRecord]) -> list[dict[str, Any]]:
    """Return the rows with the searchable words of these pairs, as `enter_words` makes them."""
    return [row for record in records for row in _encode_words(owner, record.pair)]


async def insert_words(session: AsyncSession, words: Sequence[dict[str, Any]]) -> None:
    """Insert the words of pairs that `insert_unsearched` inserted.

    A caller with large records releases them before this call, because the full-text index takes memory as well.
    """
    await _insert_large(session, SEARCH_TEXT, words)


async def _insert(session: AsyncSession, table: Any, rows: list[dict[str, Any]]) -> None:
    if rows:
        await session.execute(insert(table), rows)


async def _insert_large(session: AsyncSession, table: Any, rows: Iterable[dict[str, Any]]) -> None:
    """Insert rows that may have long texts, a few per statement: its rows are in memory a second time, as JSON."""
    some, size = list[dict[str, Any]](), 0
    for row in rows:
        if some and size > STATEMENT_CHARACTERS:
            await _insert(session, table, some)
            some, size = [], 0
        some.append(row)
        size += sum(map(_count_characters, row.values()))
    await _insert(session, table, some)


def _count_characters(value: Any) -> int:
    match value:
        case str() | bytes():
            return len(value)
        case list():
            return sum(map(_count_characters, cast("list[Any]", value)))
        case dict():
            return sum(map(_count_characters, cast("dict[str, Any]", value).values()))
        case _:
            return 0


def _fail(pair: Pair, others: Sequence[Damage]) -> Pair:
    """Return the pair as a failed pair if it has damage: a copy must not be sent as if it were complete."""
    if pair.damage:
        pair = replace(pair, lifecycle=Lifecycle.ERROR, failure=_describe_loss(pair))
    return replace(pair, damage=(*pair.damage, *others))


def _fail_run(run: RunRecord, pair: Pair) -> RunRecord:
    if not pair.damage or run.id != pair.run_id:
        return run
    return replace(run, outcome=Lifecycle.ERROR, failure=_describe_loss(pair))


def _describe_loss(pair: Pair) -> Failure:
    return failure(ErrorClass.UNKNOWN, f"This is a copy of a pair that could only be read in part: {pair.damage[0]}.")


def _decode_run(row: Any, tool_calls: tuple[ToolCallRecord, ...]) -> RunRecord:
    return RunRecord(
        id=row["id"],
        reply_id=row["reply_id"],
        model=row["model"],
        request_hash=row["request_hash"],
        outcome=None if row["status"] == STATUS_RUNNING else decode_word(Lifecycle, row["status"]),
        attempt=row["attempt"],
        attempt_started_at=row["attempt_started_at"],
        started_at=row["started_at"],
        ended_at=row["ended_at"],
        retries=tuple(map(decode_retry, row["retries"])),
        usage=decode_usage(row["usage"]),
        report_fault=row["report_fault"],
        stop_reason=decode_stop_reason(row["stop_reason"]),
        failure=decode_failure(row["failure"]),
        sent=None if row["sent"] is None else tuple((first, last) for first, last in row["sent"]),
        replay_of=row["replay_of"],
        rounds=tuple(map(decode_round, row["rounds"])),
        tool_calls=tool_calls,
        prelude=row["prelude"],
        redacted=decode_replaced(row["redacted"]),
    )


def _decode_node(row: Any) -> NodeRecord:
    data = row["data"]
    if not isinstance(data, dict):
        raise StoreError("its data is not an object")
    at = row["after_position"]
    return NodeRecord(row["id"], at, decode_word(Role, row["role"]), cast("Json", data), row["created_at"])


def _decode_version(row: Any) -> VersionRecord:
    return VersionRecord(
        number=row["number"],
        request_id=row["request_id"],
        reply_id=row["reply_id"],
        run_id=row["run_id"],
        model=row["model"],
        parameters=decode_parameters(row["parameters"]),
        agent_id=row["agent_id"],
        agent=row["agent"],
        lifecycle=None if row["lifecycle"] is None else decode_word(Lifecycle, row["lifecycle"]),
        created_at=row["created_at"],
    )


def _decode_snapshot(row: Any) -> SnapshotRecord:
    return SnapshotRecord(
        run_id=row["run_id"],
        model=row["model"],
        content_hash=row["content_hash"],
        url=row["url"],
        headers=tuple((name, value) for name, value in row["headers"]),
        body=row["body"],
        created_at=row["created_at"],
    )


def _encode_pair(owner: str, record: PairRecord, revision: int) -> dict[str, Any]:
    pair = record.pair
    return {
        **encode_pair(owner, pair, revision),
        "deleted_at": None,
        "version": pair.version,
        "versions": pair.versions,
    }


def _encode_messages(owner: str, record: PairRecord) -> list[dict[str, Any]]:
    pair = record.pair
    messages = [message for message in (pair.request, pair.reply, *record.messages) if message is not None]
    return [encode_message(owner, pair.conversation_id, pair.id, message) for message in messages]


def _encode_words(owner: str, pair: Pair) -> list[dict[str, Any]]:
    reply = pair.reply if pair.reply is not None and pair.lifecycle not in RUNNING else None
    pieces = divide_words("\n".join(map(_list_words, (pair.request, reply))))
    of_pair = {"owner": owner, "conversation_id": pair.conversation_id, "pair_id": pair.id}
    return [{**of_pair, "piece": number, "words": words} for number, words in enumerate(pieces)]


def _list_words(message: Message | None) -> str:
    return "" if message is None else "\n".join(part.text for part in message.parts if isinstance(part, Text))


def _encode_version(owner: str, record: PairRecord, version: VersionRecord) -> dict[str, Any]:
    return {
        "pair_id": record.pair.id,
        "number": version.number,
        "owner": owner,
        "request_id": version.request_id,
        "reply_id": version.reply_id,
        "run_id": version.run_id,
        "model": version.model,
        "parameters": encode_parameters(version.parameters),
        "agent_id": version.agent_id,
        "agent": version.agent,
        "lifecycle": version.lifecycle,
        "created_at": version.created_at,
    }


def _encode_node(owner: str, conversation_id: str, node: NodeRecord) -> dict[str, Any]:
    return {
        "id": node.id,
        "owner": owner,
        "conversation_id": conversation_id,
        "after_position": node.after_position,
        "role": node.role,
        "data": dict(node.data),
        "created_at": node.created_at,
    }


def _encode_run(owner: str, record: PairRecord, run: RunRecord, process_id: str) -> dict[str, Any]:
    return {
        "id": run.id,
        "owner": owner,
        "conversation_id": record.pair.conversation_id,
        "pair_id": record.pair.id,
        "reply_id": run.reply_id,
        "model": run.model,
        "request_hash": run.request_hash,
        "process_id": process_id,
        "status": STATUS_RUNNING if run.outcome is None else run.outcome,
        "attempt": run.attempt,
        "attempt_started_at": run.attempt_started_at,
        "retries": [encode_retry(retry) for retry in run.retries],
        "usage": encode_usage(run.usage),
        "report_fault": run.report_fault,
        "stop_reason": run.stop_reason,
        "failure": None if run.failure is None else encode_failure(run.failure),
        "started_at": run.started_at,
        "heartbeat_at": run.ended_at or run.started_at,
        "ended_at": run.ended_at,
        "sent": None if run.sent is None else [list(span) for span in run.sent],
        "replay_of": run.replay_of,
        "rounds": [encode_round(ended) for ended in run.rounds],
        "purpose": "reply",
        "prelude": run.prelude,
        "redacted": encode_replaced(run.redacted),
    }


def _encode_snapshot(owner: str, record: PairRecord) -> dict[str, Any]:
    kept = record.snapshot
    if kept is None:
        raise ValueError(f"pair {record.pair.id} has no snapshot")
    return {
        "pair_id": record.pair.id,
        "owner": owner,
        "run_id": kept.run_id,
        "model": kept.model,
        "content_hash": kept.content_hash,
        "url": kept.url,
        "headers": [list(header) for header in kept.headers],
        "body": kept.body,
        "created_at": kept.created_at,
    }
