"""Reads pairs with all that belongs to them from the database and writes them to it: for export, import and copies.

Both ways go in batches, so that a long conversation neither fills a statement nor holds the event loop.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import Message, Role
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.export import NodeRecord, PairRecord, RunRecord, SnapshotRecord, VersionRecord
from app.domain.tools.tool_records import ToolCallRecord
from app.store.conversation.attachments import use_attachments
from app.store.conversation.pairs import encode_pair, load_pairs_by_id
from app.store.conversation.rows import MESSAGE, NODE, PAIR, RUN, SNAPSHOT, VERSION
from app.store.database.damage import decode_each
from app.store.database.mapping import (
    decode_failure,
    decode_message,
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
)
from app.store.database.parts_json import encode_parts
from app.store.run.runs import STATUS_RUNNING
from app.store.tools.rows_tools import TOOL_CALL
from app.store.tools.tool_calls import encode_tool_call, load_tool_calls

BATCH = 250
PLACES = 2_000
"""Places read at once: all 50,000 of a long conversation would hold the event loop for a tenth of a second."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a pair stands and under which topic."""

    pair_id: str
    position: int
    topic: str | None


async def load_places(session: AsyncSession, owner: str, conversation_id: str) -> tuple[Place, ...]:
    """The pairs of a conversation, oldest first."""
    query = (
        select(PAIR.c.id, PAIR.c.position, PAIR.c.topic)
        .where(PAIR.c.conversation_id == conversation_id, PAIR.c.owner == owner, PAIR.c.deleted_at.is_(None))
        .order_by(PAIR.c.position)
        .limit(PLACES)
    )
    places = [Place(*row) for row in await session.execute(query)]
    read = len(places)
    while read == PLACES:
        more = [Place(*row) for row in await session.execute(query.where(PAIR.c.position > places[-1].position))]
        read = len(more)
        places += more
    return tuple(places)


async def load_records(session: AsyncSession, owner: str, pair_ids: Sequence[str]) -> tuple[PairRecord, ...]:
    """These pairs, a batch of them at most, in this order; those that are not there are left out."""
    pairs = {pair.id: pair for pair in await load_pairs_by_id(session, owner, tuple(pair_ids))}
    messages: defaultdict[str, list[Message]] = defaultdict(list)
    standing = {m.id for pair in pairs.values() for m in (pair.request, pair.reply) if m is not None}
    columns = (MESSAGE.c.pair_id, MESSAGE.c.id, MESSAGE.c.role, MESSAGE.c.parts, MESSAGE.c.created_at)
    others = select(*columns).where(MESSAGE.c.pair_id.in_(pairs), MESSAGE.c.id.not_in(standing))
    rows = (await session.execute(others.order_by(MESSAGE.c.created_at, MESSAGE.c.id))).mappings()
    for pair_id, message in decode_each("message", rows, _decode_message):
        messages[pair_id].append(message)
    versions: defaultdict[str, list[VersionRecord]] = defaultdict(list)
    stood = select(VERSION).where(VERSION.c.pair_id.in_(pairs)).order_by(VERSION.c.number)
    rows = (await session.execute(stood)).mappings()
    for pair_id, version in decode_each("version", rows, lambda row: (row["pair_id"], _decode_version(row))):
        versions[pair_id].append(version)
    runs: defaultdict[str, list[RunRecord]] = defaultdict(list)
    attempts = select(RUN).where(RUN.c.pair_id.in_(pairs)).order_by(RUN.c.started_at, RUN.c.id)
    made = (await session.execute(attempts)).mappings().all()
    called = await load_tool_calls(session, [row["id"] for row in made if row["rounds"]])
    read = decode_each("run", made, lambda row: (row["pair_id"], _decode_run(row, called.get(row["id"], ()))))
    for pair_id, run in read:
        runs[pair_id].append(run)
    kept = (await session.execute(select(SNAPSHOT).where(SNAPSHOT.c.pair_id.in_(pairs)))).mappings()
    snapshots = dict(decode_each("snapshot", kept, lambda row: (row["pair_id"], _decode_snapshot(row))))
    found = (pairs[pair_id] for pair_id in pair_ids if pair_id in pairs)
    return tuple(
        PairRecord(
            pair, tuple(messages[pair.id]), tuple(versions[pair.id]), tuple(runs[pair.id]), snapshots.get(pair.id)
        )
        for pair in found
    )


async def load_nodes(session: AsyncSession, owner: str, conversation_id: str) -> tuple[NodeRecord, ...]:
    """The nodes of a conversation, in the order they stand."""
    query = select(NODE).where(NODE.c.conversation_id == conversation_id, NODE.c.owner == owner)
    rows = (await session.execute(query.order_by(NODE.c.after_position, NODE.c.created_at, NODE.c.id))).mappings()
    return tuple(decode_each("node", rows, _decode_node))


async def insert_records(  # noqa: PLR0913, PLR0917 - whose, where, what, and as what
    session: AsyncSession,
    owner: str,
    conversation_id: str,
    records: Sequence[PairRecord],
    nodes: Sequence[NodeRecord],
    revision: int,
    process_id: str,
) -> None:
    """New pairs of a conversation, as they are. `process_id` is the process that does so."""
    for start in range(0, len(records), BATCH):
        batch = records[start : start + BATCH]
        await _insert(session, PAIR, [_encode_pair(owner, record, revision) for record in batch])
        await _insert(session, MESSAGE, [row for record in batch for row in _encode_messages(owner, record)])
        await _insert(session, VERSION, [_encode_version(owner, one, old) for one in batch for old in one.versions])
        await _insert(session, RUN, [_encode_run(owner, one, run, process_id) for one in batch for run in one.runs])
        called = [(run.id, call) for one in batch for run in one.runs for call in run.tool_calls]
        await _insert(session, TOOL_CALL, [{"run_id": run_id, **encode_tool_call(call)} for run_id, call in called])
        await _insert(session, SNAPSHOT, [_encode_snapshot(owner, one) for one in batch if one.snapshot is not None])
        named = [message for one in batch for message in (one.pair.request, one.pair.reply, *one.messages)]
        await use_attachments(session, owner, conversation_id, named)
    await _insert(session, NODE, [_encode_node(owner, conversation_id, node) for node in nodes])


async def _insert(session: AsyncSession, table: Any, rows: list[dict[str, Any]]) -> None:
    if rows:
        await session.execute(insert(table), rows)


def _decode_message(row: Any) -> tuple[str, Message]:
    return row["pair_id"], decode_message(row["id"], row["role"], row["parts"], row["created_at"])


def _decode_node(row: Any) -> NodeRecord:
    if not isinstance(row["data"], dict):
        raise TypeError("its data is no object")
    return NodeRecord(row["id"], row["after_position"], decode_word(Role, row["role"]), row["data"], row["created_at"])


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
        stop_reason=decode_stop_reason(row["stop_reason"]),
        failure=decode_failure(row["failure"]),
        sent=None if row["sent"] is None else tuple((first, last) for first, last in row["sent"]),
        replay_of=row["replay_of"],
        rounds=tuple(map(decode_round, row["rounds"])),
        tool_calls=tool_calls,
        prelude=row["prelude"],
        redacted=decode_replaced(row["redacted"]),
    )


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
    return [_encode_message(owner, pair.conversation_id, pair.id, message) for message in messages]


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


def _encode_message(owner: str, conversation_id: str, pair_id: str, message: Message) -> dict[str, Any]:
    return {
        "id": message.id,
        "owner": owner,
        "conversation_id": conversation_id,
        "pair_id": pair_id,
        "role": message.role,
        "parts": encode_parts(message.parts),
        "created_at": message.created_at,
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
