"""Queries of the marks of pairs. Deleted pairs are included, because undoing a deletion needs their marks.

A few statements mark thousands of pairs: the ids of all pairs with the same change are one parameter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson
from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import Mark
from app.domain.conversation.lifecycle import RUNNING
from app.domain.conversation.marks import Marks
from app.domain.errors import NotFoundError
from app.store.conversation.conversations import not_in_trash
from app.store.conversation.rows import PAIR
from app.store.database.damage import Reading, a_flag
from app.store.database.mapping import decode_stars, decode_word
from app.store.database.row_names import show_id

_MARKS = frozenset(Mark)


@dataclass(frozen=True, slots=True)
class StoredMarks:
    """All marks of a pair. `running`: the reply of the pair has not ended."""

    marks: Marks
    running: bool


async def find_conversation_of(session: AsyncSession, owner: str, pair_id: str) -> str:
    """Return the id of the conversation of a pair. The pair may be deleted.

    Raises:
        NotFoundError: this owner has no pair with that id, or its conversation is in the trash.
    """
    here = (PAIR.c.owner == owner, not_in_trash(PAIR.c.conversation_id))
    query = select(PAIR.c.conversation_id).where(PAIR.c.id == pair_id, *here)
    conversation_id = (await session.execute(query)).scalar_one_or_none()
    if conversation_id is None:
        raise NotFoundError("pair", pair_id)
    return conversation_id


async def load_marks(
    session: AsyncSession, owner: str, conversation_id: str, pair_ids: Sequence[str]
) -> Mapping[str, StoredMarks]:
    """Return the marks of these pairs by id, ordered by position. Missing pairs are left out."""
    columns = (PAIR.c.id, PAIR.c.stars, PAIR.c.flagged, PAIR.c.mark, PAIR.c.topic, PAIR.c.deleted_at, PAIR.c.lifecycle)
    here = PAIR.c.conversation_id == conversation_id, PAIR.c.owner == owner
    query = select(*columns).where(_among(pair_ids), *here).order_by(PAIR.c.position)
    rows = await session.execute(query)
    return {row.id: StoredMarks(_decode_marks(row), row.lifecycle in RUNNING) for row in rows}


def _decode_marks(row: Any) -> Marks:
    """Decode the marks of a pair.

    This must be fast, because ten thousand pairs can be marked at once. So columns are read one by one only if the row
    is damaged.
    """
    _, stars, flagged, mark, topic, deleted_at, _ = row
    if not (type(stars) is int and type(flagged) is bool and (mark is None or mark in _MARKS)):
        take = Reading("pair", show_id(row.id)).take
        stars = take("stars", stars, decode_stars, 0)
        flagged = take("flagged", flagged, a_flag, otherwise=False)
        mark = None if mark is None else take("mark", mark, lambda stored: decode_word(Mark, stored), None)
    topic_id = topic if isinstance(topic, str) else None
    word = None if mark is None else Mark(mark)
    return Marks(stars=stars, flagged=flagged, mark=word, topic_id=topic_id, deleted=deleted_at is not None)


async def write_marks(
    session: AsyncSession, pair_ids: Sequence[str], marks: Marks, revision: int, now: datetime
) -> None:
    """Give these pairs the same marks. If `marks` say that they are deleted, `now` is the time of deletion."""
    columns: dict[str, Any] = {**marks}
    if "topic_id" in columns:
        columns["topic"] = columns.pop("topic_id")
    if "deleted" in columns:
        columns["deleted_at"] = now if columns.pop("deleted") else None
    await session.execute(update(PAIR).where(_among(pair_ids)).values(**columns, revision=revision))


def _among(pair_ids: Sequence[str]) -> ColumnElement[bool]:
    ids = func.json_each(orjson.dumps(list(pair_ids)).decode()).table_valued("value", name="wanted")
    return PAIR.c.id.in_(select(ids.c.value))
