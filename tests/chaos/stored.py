"""The data of a conversation that another process would find in the database file, in the terms of `person.py`.

    found = read_talk(database, conversation_id)

It uses its own SQL, and none of the code under test.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from dataclasses import dataclass

import orjson

from app.domain.conversation.accounting import RemovalReason
from app.domain.errors import ErrorClass
from app.domain.run.queue import HoldReason
from tests.chaos.person import RUNNING, Attempt, Node, Said, Spent

_WORDS = "(SELECT group_concat(json_extract(value, '$.text'), '') FROM json_each({}.parts))"
_PAIRS = f"""
SELECT pair.id, pair.position, pair.version, pair.versions, pair.deleted_at, pair.lifecycle, pair.run_id,
    {_WORDS.format("asked")}, {_WORDS.format("reply")}, json_extract(run.failure, '$.error_class')
FROM pair JOIN message asked ON asked.id = pair.request_id LEFT JOIN message reply ON reply.id = pair.reply_id
    LEFT JOIN run ON run.id = pair.run_id
WHERE pair.conversation_id = ? ORDER BY pair.position
"""
_VERSIONS = f"""
SELECT version.pair_id, version.number, version.lifecycle,
    {_WORDS.format("asked")}, {_WORDS.format("reply")}, json_extract(run.failure, '$.error_class')
FROM version JOIN pair ON pair.id = version.pair_id JOIN message asked ON asked.id = version.request_id
    LEFT JOIN message reply ON reply.id = version.reply_id LEFT JOIN run ON run.id = version.run_id
WHERE pair.conversation_id = ? ORDER BY version.pair_id, version.number
"""
_LEDGER = "SELECT run_id, attempt, input_tokens, output_tokens FROM ledger WHERE conversation_id = ?"
_NODES = """
SELECT after_position, data FROM node WHERE conversation_id = ? AND role = 'accounting' ORDER BY created_at, id
"""
_SNAPSHOTS = """
SELECT snapshot.run_id, snapshot.body FROM snapshot JOIN pair ON pair.id = snapshot.pair_id
WHERE pair.conversation_id = ?
"""
_WAITING = "SELECT text FROM queued WHERE conversation_id = ? ORDER BY place, id"
_HELD = "SELECT reason FROM queue_hold WHERE conversation_id = ?"


@dataclass(frozen=True)
class Stored:
    """A conversation as stored in the file. `lifecycles` are the stored lifecycles of the pairs."""

    pairs: list[Said]
    lifecycles: dict[str, str]
    run_ids: dict[str, str]
    calls: list[tuple[str, int]]
    spent: Spent
    nodes: list[Node]
    snapshots: dict[str, bytes]
    waiting: list[str]
    held: HoldReason | None


def read_talk(connection: sqlite3.Connection, conversation_id: str) -> Stored:
    """Read everything that is stored of a conversation in one transaction."""
    place = (conversation_id,)
    connection.execute("BEGIN")
    pair_rows = connection.execute(_PAIRS, place).fetchall()
    version_rows = connection.execute(_VERSIONS, place).fetchall()
    calls = connection.execute(_LEDGER, place).fetchall()
    nodes = connection.execute(_NODES, place).fetchall()
    snapshots = connection.execute(_SNAPSHOTS, place).fetchall()
    waiting = [row[0] for row in connection.execute(_WAITING, place)]
    held = [HoldReason(row[0]) for row in connection.execute(_HELD, place)]
    connection.execute("COMMIT")
    versions: defaultdict[str, dict[int, Attempt]] = defaultdict(dict)
    for pair_id, number, lifecycle, asked, replied, error in version_rows:
        versions[pair_id][number] = _attempt(asked, replied, lifecycle or "", error)
    pairs: list[Said] = []
    for pair_id, position, version, count, deleted_at, lifecycle, _, asked, replied, error in pair_rows:
        of_pair = versions[pair_id]
        if of_pair:
            assert of_pair[version].stands == "", f"version {version} of pair {pair_id} stands, and has an end"
            assert of_pair[version].asked == asked
            assert of_pair[version].replied == (replied or "")
        of_pair[version] = _attempt(asked, replied, lifecycle, error)
        assert sorted(of_pair) == list(range(1, count + 1)), f"pair {pair_id} lacks one of its {count} versions"
        pairs.append(
            Said(pair_id, position, [of_pair[number] for number in sorted(of_pair)], version, deleted_at is not None)
        )
    return Stored(
        pairs,
        {row[0]: row[5] for row in pair_rows},
        {row[0]: row[6] for row in pair_rows},
        [(run_id, attempt) for run_id, attempt, *_ in calls],
        Spent(sum(row[2] or 0 for row in calls), sum(row[3] or 0 for row in calls)),
        [_node(position, data) for position, data in nodes],
        dict(snapshots),
        waiting,
        held[0] if held and waiting else None,
    )


def _attempt(asked: str, replied: str | None, lifecycle: str, error: str | None) -> Attempt:
    stands = RUNNING if lifecycle in {"sending", "awaiting"} else lifecycle
    return Attempt(asked, replied or "", stands, None if error is None else ErrorClass(error))


def _node(after_position: int, data: str) -> Node:
    told = orjson.loads(data)
    spent = Spent(told["usage"]["input_tokens"], told["usage"]["output_tokens"])
    return Node(RemovalReason(told["reason"]), after_position, spent)
