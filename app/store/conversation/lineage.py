"""Queries of lineage: the origin of a conversation, and the conversations that were derived from it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

from sqlalchemy import and_, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import Conversation, ConversationKind, ConversationStatus, Role
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import plain_text
from app.store.conversation.conversations import IN_VIEW
from app.store.conversation.lists import has_id, select_words
from app.store.conversation.rows import CONVERSATION, MESSAGE, PAIR, RUN
from app.store.database.damage import Reading, a_number, a_text_or_none, a_time
from app.store.database.mapping import decode_conversation, decode_word
from app.store.database.parts_json import read_parts

Word = TypeVar("Word", bound=StrEnum)

MOST = 200
"""Maximum number of derived conversations that a query returns: the newest ones."""


@dataclass(frozen=True, slots=True)
class Descendant:
    """A conversation that was derived from another: a fork, a title, a summary or a delegated task.

    - `trigger_position`: the position of the pair that caused it; None if it is unknown.
    - `role`, `lifecycle`, `model`, `run_id`, `heard_at` (the last heartbeat), `ended_at`: values of the first pair and
      its run; None if there is no pair.
    - `characters`: the current length of the first reply; 0 for a fork.
    - `purpose`, `chunk_count`, `last_chunk_at`: values of the run; the last two are None until the run ends.
    """

    id: str
    title: str
    kind: ConversationKind
    status: ConversationStatus
    agent_id: str | None
    created_at: datetime
    trigger_position: int | None
    role: Role | None
    lifecycle: Lifecycle | None
    model: str | None
    run_id: str | None
    heard_at: datetime | None
    ended_at: datetime | None
    characters: int
    purpose: str | None = None
    chunk_count: int | None = None
    last_chunk_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Ancestor:
    """The conversation from which another was derived, for example by a fork, a title or a delegated task.

    - `opening`: the beginning of its first request.
    - `trigger_position`: the position of its pair that caused the derivation; None if it is unknown.

    If an agent delegates a part of its task to a second agent, the ancestor of the second agent's conversation is the
    conversation of the first agent. The cost is charged to the user's conversation.
    """

    id: str
    title: str
    opening: str
    trigger_position: int | None


async def load_ancestor(session: AsyncSession, owner: str, conversation: Conversation) -> Ancestor | None:
    """Return the conversation that this conversation was derived from, or None if there is none, or it was deleted."""
    origin, position = conversation.parent_id, None
    if conversation.fork_pair_id is not None:
        forked = select(PAIR.c.position).where(PAIR.c.id == conversation.fork_pair_id)
        position = (await session.execute(forked)).scalar_one_or_none()
    elif conversation.trigger_message_id is not None:
        replies = select(PAIR.c.conversation_id, PAIR.c.position).join(MESSAGE, MESSAGE.c.pair_id == PAIR.c.id)
        found = (await session.execute(replies.where(MESSAGE.c.id == conversation.trigger_message_id))).one_or_none()
        origin, position = (origin, None) if found is None else (found.conversation_id, found.position)
    opening = select_words(origin or "", PAIR.c.position).scalar_subquery()
    query = select(CONVERSATION.c.id, CONVERSATION.c.title, opening.label("opening"))
    here = (CONVERSATION.c.id == origin, CONVERSATION.c.owner == owner, IN_VIEW)
    row = (await session.execute(query.where(*here))).one_or_none()
    if row is None:
        return None
    title, opening = (one if isinstance(one, str) else "" for one in (row.title, row.opening))
    return Ancestor(row.id, title, opening, position if isinstance(position, int) else None)


async def load_descendants(session: AsyncSession, owner: str, conversation_id: str) -> tuple[Descendant, ...]:
    """Return the conversations derived from a conversation, newest first: forks, titles, summaries, delegated tasks."""
    request, replied = MESSAGE.alias("asked"), MESSAGE.alias("replied")
    forked = PAIR.alias("forked")
    query = (
        select(
            CONVERSATION,
            PAIR.c.lifecycle,
            PAIR.c.model.label("answered_by"),
            PAIR.c.run_id,
            request.c.role,
            replied.c.parts,
            RUN.c.heartbeat_at,
            RUN.c.ended_at,
            RUN.c.purpose,
            RUN.c.chunk_count,
            RUN.c.last_chunk_at,
            func.coalesce(_select_trigger(CONVERSATION.c.trigger_message_id), forked.c.position).label("place"),
        )
        .select_from(CONVERSATION)
        .outerjoin(PAIR, and_(PAIR.c.conversation_id == CONVERSATION.c.id, PAIR.c.position == 1))
        .outerjoin(request, request.c.id == PAIR.c.request_id)
        .outerjoin(replied, and_(replied.c.id == PAIR.c.reply_id, CONVERSATION.c.kind == ConversationKind.TOOL))
        .outerjoin(RUN, RUN.c.id == PAIR.c.run_id)
        .outerjoin(forked, forked.c.id == CONVERSATION.c.fork_pair_id)
        .where(CONVERSATION.c.parent_id == conversation_id, CONVERSATION.c.owner == owner, IN_VIEW)
        .order_by(CONVERSATION.c.created_at.desc(), CONVERSATION.c.id.desc())
        .limit(MOST)
    )
    rows = (await session.execute(query)).mappings()
    return tuple(_decode(row) for row in rows if has_id(CONVERSATION, row))


def _select_trigger(message_id: Any) -> Any:
    """Select the position of the pair that contains a message, null if it is not in the parent conversation."""
    position = select(PAIR.c.position).join(MESSAGE, MESSAGE.c.pair_id == PAIR.c.id)
    position = position.where(PAIR.c.conversation_id == CONVERSATION.c.parent_id)
    return position.where(MESSAGE.c.id == message_id).correlate(CONVERSATION).scalar_subquery()


def _decode(row: Any) -> Descendant:
    conversation = decode_conversation(row)
    take = Reading("pair", f"1 of {conversation.id}").take

    def word(column: str, words: type[Word]) -> Word | None:
        return take(column, row[column], lambda stored: None if stored is None else decode_word(words, stored), None)

    def text_or_none(column: str) -> str | None:
        return take(column, row[column], a_text_or_none, None)

    def time_or_none(column: str) -> datetime | None:
        return take(column, row[column], lambda at: None if at is None else a_time(at), None)

    return Descendant(
        id=conversation.id,
        title=conversation.title,
        kind=conversation.kind,
        status=conversation.status,
        agent_id=conversation.agent_id,
        created_at=conversation.created_at,
        trigger_position=row["place"] if isinstance(row["place"], int) else None,
        role=word("role", Role),
        lifecycle=word("lifecycle", Lifecycle),
        model=text_or_none("answered_by"),
        run_id=text_or_none("run_id"),
        heard_at=time_or_none("heartbeat_at"),
        ended_at=time_or_none("ended_at"),
        characters=len(plain_text(read_parts(row["parts"] or [], Reading("message", f"1 of {conversation.id}")))),
        purpose=text_or_none("purpose"),
        chunk_count=take("chunk_count", row["chunk_count"], lambda one: None if one is None else a_number(one), None),
        last_chunk_at=time_or_none("last_chunk_at"),
    )
