"""Queries of pairs: a range of a conversation's pairs, or pairs by id. No query reads a whole conversation at once.

A deleted pair keeps its position and texts, so that it can be restored. Only `load_pairs_between` and
`load_sent_pairs` return deleted pairs, because these may once have been sent.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from sqlalchemy import (
    JSON,
    ColumnElement,
    LargeBinary,
    Select,
    bindparam,
    cast,
    func,
    insert,
    select,
    text,
    type_coerce,
    update,
)
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.attachments.attachments import list_attachments
from app.domain.conversation.conversation import Message, Pair
from app.domain.conversation.damage import DamagedRowError
from app.domain.errors import NotFoundError
from app.store.attachments.attachments import find_lost
from app.store.conversation.conversations import not_in_trash
from app.store.conversation.rows import IS_RUNNING_PAIR, MESSAGE, PAIR, RUN
from app.store.conversation.rows_comparison import COMPARISON, IS_OPEN_COMPARISON
from app.store.database.damage import Reading, a_text
from app.store.database.mapping import Columns, decode_pair, encode_parameters
from app.store.database.parts_json import pack_parts
from app.store.database.row_names import show_id

WINDOW = 30
"""Default number of pairs that `load_pairs` returns."""
BATCH = 500
"""Maximum number of ids in one SQL statement."""

NOT_DELETED = PAIR.c.deleted_at.is_(None)

_REQUEST = MESSAGE.alias("request")
_REPLY = MESSAGE.alias("reply")


@cache
def _select_pairs() -> Select[Any]:
    return (
        select(
            *(column for column in PAIR.c if column.name != "owner"),
            RUN.c.usage,
            RUN.c.rounds,
            RUN.c.report_fault,
            RUN.c.stop_reason,
            RUN.c.failure,
            RUN.c.replay_of,
            RUN.c.redacted,
            *(_REQUEST.c[name].label(f"request_{name}") for name in ("role", "created_at", "metadata_json")),
            *(_REPLY.c[name].label(f"reply_{name}") for name in ("role", "created_at", "metadata_json")),
            _as_bytes(_REQUEST.c.parts).label("request_parts"),
            _as_bytes(_REPLY.c.parts).label("reply_parts"),
        )
        .select_from(PAIR)
        .outerjoin(_REQUEST, _REQUEST.c.id == PAIR.c.request_id)
        .outerjoin(_REPLY, _REPLY.c.id == PAIR.c.reply_id)
        .outerjoin(RUN, RUN.c.id == PAIR.c.run_id)
    )


def _as_bytes(parts: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return SQL for JSON that the driver reads in UTF-8: a `str` with one emoji takes four times as much memory."""
    return type_coerce(cast(parts, LargeBinary), JSON)


async def load_pair(session: AsyncSession, owner: str, pair_id: str) -> Pair:
    """Return one pair.

    Raises:
        NotFoundError: no pair of this owner has that id, or it is in the trash.
    """
    here = (PAIR.c.owner == owner, NOT_DELETED, not_in_trash(PAIR.c.conversation_id))
    query = _select_pairs().where(PAIR.c.id == pair_id, *here)
    row = (await session.execute(query)).mappings().one_or_none()
    if row is None:
        raise NotFoundError("pair", pair_id)
    (pair,) = await _read_pairs(session, owner, [row])
    return pair


async def load_pairs(  # noqa: PLR0913 - owner, conversation, range and limit
    session: AsyncSession,
    owner: str,
    conversation_id: str,
    *,
    before_position: int | None = None,
    after_position: int | None = None,
    limit: int = WINDOW,
) -> tuple[Pair, ...]:
    """Return the newest pairs of a conversation, at most `limit`, in the order of their positions.

    `before_position`: only pairs with a lower position. `after_position`: instead of the newest pairs, those that
    follow this position.
    """
    here = (PAIR.c.conversation_id == conversation_id, PAIR.c.owner == owner, NOT_DELETED)
    query = _select_pairs().where(*here).limit(limit)
    if before_position is not None:
        query = query.where(PAIR.c.position < before_position)
    if after_position is not None:
        query = query.where(PAIR.c.position > after_position).order_by(PAIR.c.position)
        return await _read_pairs(session, owner, (await session.execute(query)).mappings())
    rows = (await session.execute(query.order_by(PAIR.c.position.desc()))).mappings().all()
    return await _read_pairs(session, owner, reversed(rows))


async def load_pairs_between(
    session: AsyncSession, owner: str, conversation_id: str, first: int, last: int
) -> tuple[Pair, ...]:
    """Return the pairs from one position to another, oldest first, including deleted ones, which may have been sent."""
    here = (PAIR.c.conversation_id == conversation_id, PAIR.c.owner == owner)
    query = _select_pairs().where(*here, PAIR.c.position.between(first, last)).order_by(PAIR.c.position)
    return await _read_pairs(session, owner, (await session.execute(query)).mappings())


async def load_sent_pairs(
    session: AsyncSession, owner: str, conversation_id: str, sent: Sequence[tuple[int, int]]
) -> tuple[Pair, ...]:
    """Return the pairs at the position ranges that a run recorded as sent, including pairs deleted since."""
    pairs: list[Pair] = []
    for first, last in sent:
        pairs += await load_pairs_between(session, owner, conversation_id, first, last)
    return tuple(pairs)


async def load_positions(session: AsyncSession, owner: str, pair_ids: Collection[str]) -> dict[str, int]:
    """Return the positions of these pairs, by id. Missing ones are left out."""
    query = select(PAIR.c.id, PAIR.c.position).where(PAIR.c.owner == owner, PAIR.c.id.in_(pair_ids), NOT_DELETED)
    return {row.id: row.position for row in await session.execute(query)}


async def load_pairs_by_id(session: AsyncSession, owner: str, pair_ids: tuple[str, ...]) -> tuple[Pair, ...]:
    """Return these pairs, oldest first. Ids that this owner does not have are left out."""
    values = {"ids": pair_ids, "of_owner": owner}
    return await _read_pairs(session, owner, (await session.execute(_by_id(), values)).mappings())


async def load_standing(session: AsyncSession, owner: str, pair_ids: tuple[str, ...]) -> dict[str, tuple[int, Pair]]:
    """Return these pairs by id, each with the revision of its last change. Missing pairs are left out."""
    values = {"ids": pair_ids, "of_owner": owner}
    rows = (await session.execute(_by_id(), values)).mappings().all()
    pairs = await _read_pairs(session, owner, rows)
    return {row["id"]: (row["revision"], pair) for row, pair in zip(rows, pairs, strict=True)}


async def _read_pairs(session: AsyncSession, owner: str, rows: Iterable[Columns]) -> tuple[Pair, ...]:
    """Decode these rows. A lost attachment is recorded as damage of the pair whose message names it."""
    rows = tuple(rows)
    for row in rows:
        if not isinstance(row["id"], str):
            raise _refuse_id(row)
    pairs = tuple(map(decode_pair, rows))
    named = {pair.id: tuple(list_attachments(pair)) for pair in pairs}
    ids = dict.fromkeys(one for of_pair in named.values() for one in of_pair)
    if not ids or not (lost := await find_lost(session, owner, ids)):
        return pairs
    return tuple(_add_damage(pair, lost, [one for one in named[pair.id] if one in lost]) for pair in pairs)


def _refuse_id(row: Columns) -> DamagedRowError:
    """Return the error for a pair with an unreadable id: no command could name this pair."""
    reading = Reading("pair", show_id(row["id"]))
    reading.take("id", row["id"], a_text, "")
    return DamagedRowError(reading.damage[0])


def _add_damage(pair: Pair, lost: Mapping[str, str], named: Sequence[str]) -> Pair:
    if not named:
        return pair
    damage = list(pair.damage)
    for one in dict.fromkeys(named):
        reading = Reading("attachment", one)
        reading.note("data", lost[one], None)
        damage += reading.damage
    return replace(pair, damage=tuple(damage))


@cache
def _by_id() -> Select[Any]:
    """Build the query of `load_pairs_by_id` and `load_standing` once: building it takes longer than running it."""
    named = PAIR.c.id.in_(bindparam("ids", expanding=True)), PAIR.c.owner == bindparam("of_owner")
    return _select_pairs().where(*named, NOT_DELETED).order_by(PAIR.c.position)


@dataclass(frozen=True, slots=True)
class Tail:
    """The end of a conversation, which decides whether and where a new pair can be added.

    - `position`: the position of the newest pair, even if it is deleted; 0 if there is no pair.
    - `running`: the id of the pair whose reply is running, or None.
    - `comparing`: the id of the open comparison, or None.
    """

    position: int
    running: str | None
    comparing: str | None = None


async def load_tail(session: AsyncSession, conversation_id: str) -> Tail:
    """Return the end of a conversation, to add a new pair. The position of a deleted pair is not used again."""
    position, pair_id, comparison_id = (await session.execute(_tail(), {"conversation": conversation_id})).one()
    return Tail(position or 0, pair_id, comparison_id)


@cache
def _tail() -> Select[Any, Any, Any]:
    """Build the query of `load_tail` once."""
    conversation_id: ColumnElement[str] = bindparam("conversation", type_=PAIR.c.conversation_id.type)
    of_conversation = PAIR.c.conversation_id == conversation_id
    newest = select(func.max(PAIR.c.position)).where(of_conversation).scalar_subquery()
    # With `text`, the planner uses the partial index, which has at most one entry. Otherwise it would read all pairs.
    running = select(PAIR.c.id).where(of_conversation, text(IS_RUNNING_PAIR)).scalar_subquery()
    is_open = COMPARISON.c.conversation_id == conversation_id, text(IS_OPEN_COMPARISON)
    comparing = select(COMPARISON.c.id).where(*is_open).scalar_subquery()
    return select(newest, running, comparing)


def encode_pair(owner: str, pair: Pair, revision: int) -> dict[str, Any]:
    """Return the columns of the row of a pair. The messages of the pair have rows in another table."""
    return {
        "id": pair.id,
        "owner": owner,
        "conversation_id": pair.conversation_id,
        "position": pair.position,
        "revision": revision,
        "request_id": pair.request.id,
        "reply_id": pair.reply.id if pair.reply else None,
        "run_id": pair.run_id,
        "model": pair.model,
        "parameters": encode_parameters(pair.parameters),
        "lifecycle": pair.lifecycle,
        "agent_id": pair.agent_id,
        "agent": pair.agent,
        "topic": pair.topic,
        "stars": pair.stars,
        "flagged": pair.flagged,
        "mark": pair.mark,
        "created_at": pair.created_at,
        "updated_at": pair.updated_at,
    }


async def insert_pair(session: AsyncSession, owner: str, pair: Pair, revision: int) -> None:
    """Insert a pair with its messages."""
    await session.execute(insert(PAIR), encode_pair(owner, pair, revision))
    messages = [message for message in (pair.request, pair.reply) if message is not None]
    # Execute one statement for each message, because a trigger reads the request when the reply is inserted.
    for message in messages:
        await session.execute(insert(MESSAGE), encode_message(owner, pair.conversation_id, pair.id, message))


async def insert_message(
    session: AsyncSession, owner: str, conversation_id: str, pair_id: str, message: Message
) -> None:
    """Insert a message of a pair."""
    await session.execute(insert(MESSAGE), encode_message(owner, conversation_id, pair_id, message))


@dataclass(frozen=True, slots=True)
class MessagePlace:
    """The conversation that contains a message, and the agent of its pair."""

    conversation_id: str
    agent_id: str | None


async def load_conversation_of_message(session: AsyncSession, message_id: str) -> MessagePlace | None:
    """Return the conversation and agent of a message in a pair, or None if the message or its pair no longer exists."""
    query = select(PAIR.c.conversation_id, PAIR.c.agent_id).join(MESSAGE, MESSAGE.c.pair_id == PAIR.c.id)
    row = (await session.execute(query.where(MESSAGE.c.id == message_id))).one_or_none()
    return None if row is None else MessagePlace(*row)


async def load_newest_message(session: AsyncSession, conversation_id: str) -> str | None:
    """Return the id of the newest message of a conversation: the reply of its last pair, or else its request."""
    newest = select(func.coalesce(PAIR.c.reply_id, PAIR.c.request_id))
    here = PAIR.c.conversation_id == conversation_id, NOT_DELETED
    query = newest.where(*here).order_by(PAIR.c.position.desc()).limit(1)
    return (await session.execute(query)).scalar_one_or_none()


async def load_later_ids(session: AsyncSession, owner: str, pair: Pair) -> tuple[str, ...]:
    """Return the ids of the later pairs of the same conversation, oldest first."""
    return await _load_ids(session, owner, pair, PAIR.c.position > pair.position)


async def load_earlier_ids(session: AsyncSession, owner: str, pair: Pair) -> tuple[str, ...]:
    """Return the ids of the earlier pairs of the same conversation, oldest first."""
    return await _load_ids(session, owner, pair, PAIR.c.position < pair.position)


async def count_messages(session: AsyncSession, pair_ids: Sequence[str]) -> tuple[int, int]:
    """Return the number of current messages of these pairs, and the position of the oldest pair."""
    columns = (func.count(), func.count(PAIR.c.reply_id), func.min(PAIR.c.position))
    found = [
        (await session.execute(select(*columns).where(PAIR.c.id.in_(pair_ids[start : start + BATCH])))).one()
        for start in range(0, len(pair_ids), BATCH)
    ]
    return sum(requests + replies for requests, replies, _ in found), min(position for *_, position in found)


async def _load_ids(session: AsyncSession, owner: str, pair: Pair, place: ColumnElement[bool]) -> tuple[str, ...]:
    here = (PAIR.c.conversation_id == pair.conversation_id, PAIR.c.owner == owner, NOT_DELETED)
    query = select(PAIR.c.id).where(*here, place).order_by(PAIR.c.position)
    return tuple((await session.execute(query)).scalars())


async def touch_pairs(session: AsyncSession, pair_ids: Sequence[str], revision: int) -> None:
    """Set the revision of these pairs, because they changed."""
    await session.execute(update(PAIR).where(PAIR.c.id.in_(pair_ids)).values(revision=revision))


async def set_run(session: AsyncSession, pair_id: str, run_id: str) -> None:
    """Store `run_id` as the newest run of a pair."""
    await session.execute(update(PAIR).where(PAIR.c.id == pair_id).values(run_id=run_id))


def encode_message(owner: str, conversation_id: str, pair_id: str, message: Message) -> dict[str, Any]:
    """Return the columns of the row of a message."""
    return {
        "id": message.id,
        "owner": owner,
        "conversation_id": conversation_id,
        "pair_id": pair_id,
        "role": message.role,
        "parts": pack_parts(message.parts),
        "created_at": message.created_at,
        "metadata_json": message.metadata_json,
    }
