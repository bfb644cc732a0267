"""Where words stand in conversations: which messages of pairs that are in view have them.

found = await find_words(session, ["c1", "c2"], "tariff", limit=20)
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation import Role
from app.domain.parts import plain_text
from app.store.conversations import any_part_contains
from app.store.parts_json import decode_parts
from app.store.rows import MESSAGE, PAIR


@dataclass(frozen=True, slots=True)
class FoundMessage:
    """A message that has the words. `position` is that of its pair."""

    conversation_id: str
    position: int
    role: Role
    text: str


async def find_words(
    session: AsyncSession, conversation_ids: Collection[str], text: str, *, limit: int
) -> tuple[FoundMessage, ...]:
    """The messages that stand in these conversations' pairs and have `text` in a part, in any case; newest first."""
    stands = or_(MESSAGE.c.id == PAIR.c.request_id, MESSAGE.c.id == PAIR.c.reply_id)
    query = (
        select(PAIR.c.conversation_id, PAIR.c.position, MESSAGE.c.role, MESSAGE.c.parts)
        .join(MESSAGE, stands)
        .where(PAIR.c.conversation_id.in_(conversation_ids), PAIR.c.deleted_at.is_(None), any_part_contains(text))
        .order_by(PAIR.c.created_at.desc(), MESSAGE.c.created_at.desc())
        .limit(limit)
    )
    return tuple(
        FoundMessage(conversation_id, position, Role(role), plain_text(decode_parts(parts)))
        for conversation_id, position, role, parts in await session.execute(query)
    )
