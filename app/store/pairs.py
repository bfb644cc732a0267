"""Queries of pairs: a window of them, all of them for a send, and those that changed.

Nobody but `load_history` ever reads a whole conversation, and it reads only what changed since it last did.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, func, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation import Message, Pair
from app.domain.errors import NotFoundError
from app.store.mapping import decode_message, decode_pair, encode_parameters
from app.store.parts_json import encode_parts
from app.store.rows import IS_RUNNING_PAIR, MESSAGE, PAIR, RUN

WINDOW = 30
"""Pairs of a window unless told otherwise."""

_REQUEST = MESSAGE.alias("request")
_REPLY = MESSAGE.alias("reply")


def _select_pairs() -> Select[Any]:
    return (
        select(
            *(column for column in PAIR.c if column.name != "owner"),
            RUN.c.usage,
            RUN.c.stop_reason,
            RUN.c.failure,
            *(_REQUEST.c[name].label(f"request_{name}") for name in ("role", "parts", "created_at")),
            *(_REPLY.c[name].label(f"reply_{name}") for name in ("role", "parts", "created_at")),
        )
        .select_from(PAIR)
        .join(_REQUEST, _REQUEST.c.id == PAIR.c.request_id)
        .outerjoin(_REPLY, _REPLY.c.id == PAIR.c.reply_id)
        .outerjoin(RUN, RUN.c.id == PAIR.c.run_id)
    )


def _decode(row: Any) -> Pair:
    request = decode_message(row["request_id"], row["request_role"], row["request_parts"], row["request_created_at"])
    reply = None
    if row["reply_id"] is not None:
        reply = decode_message(row["reply_id"], row["reply_role"], row["reply_parts"], row["reply_created_at"])
    return decode_pair(row, request, reply)


async def load_pair(session: AsyncSession, owner: str, pair_id: str) -> Pair:
    """One pair.

    Raises:
        NotFoundError: there is none of that id, or it is another's.
    """
    query = _select_pairs().where(PAIR.c.id == pair_id, PAIR.c.owner == owner)
    row = (await session.execute(query)).mappings().one_or_none()
    if row is None:
        raise NotFoundError("pair", pair_id)
    return _decode(row)


async def load_pairs(  # noqa: PLR0913 - a window has many edges
    session: AsyncSession,
    owner: str,
    conversation_id: str,
    *,
    before_position: int | None = None,
    after_position: int | None = None,
    limit: int = WINDOW,
) -> tuple[Pair, ...]:
    """A window of a conversation's pairs, oldest first: the newest, or those next to a position on either side."""
    query = _select_pairs().where(PAIR.c.conversation_id == conversation_id, PAIR.c.owner == owner).limit(limit)
    if before_position is not None:
        query = query.where(PAIR.c.position < before_position)
    if after_position is not None:
        query = query.where(PAIR.c.position > after_position).order_by(PAIR.c.position)
        return tuple(map(_decode, (await session.execute(query)).mappings()))
    rows = (await session.execute(query.order_by(PAIR.c.position.desc()))).mappings().all()
    return tuple(map(_decode, reversed(rows)))


async def load_pairs_by_id(session: AsyncSession, owner: str, pair_ids: tuple[str, ...]) -> tuple[Pair, ...]:
    """These pairs, oldest first; ids that are not there, or another's, are left out."""
    query = _select_pairs().where(PAIR.c.id.in_(pair_ids), PAIR.c.owner == owner).order_by(PAIR.c.position)
    return tuple(map(_decode, (await session.execute(query)).mappings()))


async def load_changed_pairs(  # noqa: PLR0913 - see load_pairs
    session: AsyncSession, owner: str, conversation_id: str, *, after_revision: int, after_position: int, limit: int
) -> tuple[Pair, ...]:
    """The pairs that changed after a revision and stand after a position, oldest first."""
    query = (
        _select_pairs()
        .where(
            PAIR.c.conversation_id == conversation_id,
            PAIR.c.owner == owner,
            PAIR.c.revision > after_revision,
            PAIR.c.position > after_position,
        )
        .order_by(PAIR.c.position)
        .limit(limit)
    )
    return tuple(map(_decode, (await session.execute(query)).mappings()))


@dataclass(frozen=True, slots=True)
class Tail:
    """Where a conversation ends: the position of its newest pair (0: none), and the pair that is running."""

    position: int
    running: str | None


async def load_tail(session: AsyncSession, conversation_id: str) -> Tail:
    """What a new pair must come after, and wait for."""
    of_conversation = PAIR.c.conversation_id == conversation_id
    newest = select(func.max(PAIR.c.position)).where(of_conversation).scalar_subquery()
    # By id alone the planner would walk the whole conversation; its partial index has one entry at most.
    running = select(PAIR.c.id).where(of_conversation, text(IS_RUNNING_PAIR)).scalar_subquery()
    position, pair_id = (await session.execute(select(newest, running))).one()
    return Tail(position or 0, pair_id)


async def insert_pair(session: AsyncSession, owner: str, pair: Pair, revision: int) -> None:
    """A new pair with its messages."""
    await session.execute(
        insert(PAIR).values(
            id=pair.id,
            owner=owner,
            conversation_id=pair.conversation_id,
            position=pair.position,
            revision=revision,
            request_id=pair.request.id,
            reply_id=pair.reply.id if pair.reply else None,
            run_id=pair.run_id,
            model=pair.model,
            parameters=encode_parameters(pair.parameters),
            lifecycle=pair.lifecycle,
            agent_id=pair.agent_id,
            topic=pair.topic,
            stars=pair.stars,
            flagged=pair.flagged,
            mark=pair.mark,
            created_at=pair.created_at,
            updated_at=pair.updated_at,
        )
    )
    messages = [message for message in (pair.request, pair.reply) if message is not None]
    await session.execute(
        insert(MESSAGE), [_encode_message(owner, pair.conversation_id, pair.id, message) for message in messages]
    )


async def set_run(session: AsyncSession, pair_id: str, run_id: str) -> None:
    """Let a pair name its newest run."""
    await session.execute(update(PAIR).where(PAIR.c.id == pair_id).values(run_id=run_id))


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
