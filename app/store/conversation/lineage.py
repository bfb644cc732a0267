"""Queries of lineage: which conversations were derived from one, and which it was derived from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import and_, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import Conversation, ConversationKind, ConversationStatus, Role
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import plain_text
from app.store.conversation.conversations import select_words
from app.store.conversation.rows import CONVERSATION, MESSAGE, PAIR, RUN
from app.store.conversation.wanted import IN_VIEW
from app.store.database.damage import UNREADABLE, decode_each
from app.store.database.mapping import decode_word
from app.store.database.parts_json import decode_parts

MAX_LISTED = 200
"""Derived conversations told of, the newest."""


@dataclass(frozen=True, slots=True)
class Descendant:
    """A conversation derived from another, there for the pair at `trigger_position`, None where nobody noted it.

    `role` is that of its first request; that, `lifecycle` and what follows are None where it has no pair.
    `characters` are those of its first reply, as stored by now; `chunks` is how often the provider sent something for
    it, None where nobody counted.
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
    chunks: int | None


@dataclass(frozen=True, slots=True)
class Ancestor:
    """What a conversation was derived from, and the pair of it that it was made for, where that is known.

    `opening` is the beginning of its first request. Of work that a delegate handed on it is the delegate's
    conversation, though the first one's account pays.
    """

    id: str
    title: str
    opening: str
    trigger_position: int | None


async def load_ancestor(session: AsyncSession, owner: str, conversation: Conversation) -> Ancestor | None:
    """What a conversation was derived from, None if nothing, or if that is gone."""
    origin, position = conversation.parent_id, None
    if conversation.fork_pair_id is not None:
        forked = select(PAIR.c.position).where(PAIR.c.id == conversation.fork_pair_id)
        position = (await session.execute(forked)).scalar_one_or_none()
    elif conversation.trigger_message_id is not None:
        asked = select(PAIR.c.conversation_id, PAIR.c.position).join(MESSAGE, MESSAGE.c.pair_id == PAIR.c.id)
        found = (await session.execute(asked.where(MESSAGE.c.id == conversation.trigger_message_id))).one_or_none()
        origin, position = (origin, None) if found is None else (found.conversation_id, found.position)
    opening = select_words(origin or "", PAIR.c.position).scalar_subquery()
    query = select(CONVERSATION.c.id, CONVERSATION.c.title, opening.label("opening"))
    here = (CONVERSATION.c.id == origin, CONVERSATION.c.owner == owner, IN_VIEW)
    row = (await session.execute(query.where(*here))).one_or_none()
    return None if row is None else Ancestor(row.id, row.title, row.opening or "", position)


async def load_descendants(session: AsyncSession, owner: str, conversation_id: str) -> tuple[Descendant, ...]:
    """What was derived from a conversation, the newest first: forks, titles, summaries, delegated work and the like."""
    asked, replied = MESSAGE.alias("asked"), MESSAGE.alias("replied")
    forked = PAIR.alias("forked")
    query = (
        select(
            CONVERSATION,
            PAIR.c.lifecycle,
            PAIR.c.model.label("answered_by"),
            PAIR.c.run_id,
            asked.c.role,
            replied.c.parts,
            RUN.c.heartbeat_at,
            RUN.c.ended_at,
            RUN.c.chunks,
            func.coalesce(_select_trigger(CONVERSATION.c.trigger_message_id), forked.c.position).label("place"),
        )
        .select_from(CONVERSATION)
        .outerjoin(PAIR, and_(PAIR.c.conversation_id == CONVERSATION.c.id, PAIR.c.position == 1))
        .outerjoin(asked, asked.c.id == PAIR.c.request_id)
        .outerjoin(replied, and_(replied.c.id == PAIR.c.reply_id, CONVERSATION.c.kind == ConversationKind.TOOL))
        .outerjoin(RUN, RUN.c.id == PAIR.c.run_id)
        .outerjoin(forked, forked.c.id == CONVERSATION.c.fork_pair_id)
        .where(CONVERSATION.c.parent_id == conversation_id, CONVERSATION.c.owner == owner, IN_VIEW)
        .order_by(CONVERSATION.c.created_at.desc(), CONVERSATION.c.id.desc())
        .limit(MAX_LISTED)
    )
    return tuple(decode_each("conversation", (await session.execute(query)).mappings(), _decode))


def _select_trigger(message_id: Any) -> Any:
    """The position of the pair that a message stands in, null if that is in another than the parent."""
    position = select(PAIR.c.position).join(MESSAGE, MESSAGE.c.pair_id == PAIR.c.id)
    position = position.where(PAIR.c.conversation_id == CONVERSATION.c.parent_id)
    return position.where(MESSAGE.c.id == message_id).correlate(CONVERSATION).scalar_subquery()


def _decode(row: Any) -> Descendant:
    return Descendant(
        id=row["id"],
        title=row["title"],
        kind=decode_word(ConversationKind, row["kind"]),
        status=decode_word(ConversationStatus, row["status"]),
        agent_id=row["agent_id"],
        created_at=row["created_at"],
        trigger_position=row["place"],
        role=None if row["role"] is None else decode_word(Role, row["role"]),
        lifecycle=None if row["lifecycle"] is None else decode_word(Lifecycle, row["lifecycle"]),
        model=row["answered_by"],
        run_id=row["run_id"],
        heard_at=row["heartbeat_at"],
        ended_at=row["ended_at"],
        characters=_count_characters(row["parts"]),
        chunks=row["chunks"],
    )


def _count_characters(parts: Any) -> int:
    try:
        return len(plain_text(decode_parts(parts or ())))
    except UNREADABLE:  # its own pair says so
        return 0
