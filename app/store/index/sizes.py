"""Queries of sizes: for each pair, the values that decide whether it is sent, without its texts.

The indexes must be complete (`runs/request/indexes.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import orjson
from sqlalchemy import Select, String, bindparam, select, type_coerce
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.context.composition import Candidate
from app.domain.context.context import OutReason
from app.domain.conversation.damage import DamagedRowError
from app.domain.conversation.lifecycle import RUNNING, Lifecycle
from app.domain.tokens.estimates import PairSizes
from app.store.conversation.rows import PAIR
from app.store.database.damage import UNREADABLE, Reading, raw_bytes
from app.store.index.batch import Batch
from app.store.index.indexes import join_indexes
from app.store.index.rows_index import PAIR_SIZE, PAIR_TEXT

NO_SIZES = PairSizes(0, 0)
"""The size of a pair whose reply is running. The pair is measured after the reply has ended."""

_TEXT, _SIZE = PAIR_TEXT.c, PAIR_SIZE.c
_COLUMNS = (
    *(PAIR.c.id, PAIR.c.position, PAIR.c.lifecycle, PAIR.c.deleted_at, _TEXT.blank, _TEXT.damaged),
    *(_SIZE.text, _SIZE.messages, _SIZE.thinking, _SIZE.thinking_vendor),
    type_coerce(_SIZE.images, String),
    PAIR.c.revision,
)
_NO_IMAGES = "[]"


@dataclass(frozen=True, slots=True)
class ChangedSizes:
    """Pairs that changed.

    - `candidates`: these pairs with their current sizes, oldest first.
    - `deleted`: the positions of the pairs that were deleted.
    - `last_position`: the position of the last pair that was read.
    - `complete`: no further pairs changed.
    """

    candidates: tuple[Candidate, ...]
    deleted: tuple[int, ...]
    last_position: int
    complete: bool


async def load_changed_sizes(
    session: AsyncSession, owner: str, conversation_id: str, vocabulary: str, batch: Batch
) -> ChangedSizes:
    """Return the token sizes of the pairs of the batch, in order of position, counted in this vocabulary."""
    values = {
        "conversation_id": conversation_id,
        "owner": owner,
        "after_revision": batch.after_revision,
        "after_position": batch.after_position,
        "most": batch.limit,
    }
    rows = (await session.execute(_changed(vocabulary, asks_all=batch.asks_all), values)).all()
    return ChangedSizes(
        tuple(_decode(row) for row in rows if row[3] is None),
        tuple(row[1] for row in rows if row[3] is not None),
        rows[-1][1] if rows else batch.after_position,
        len(rows) < batch.limit,
    )


@cache
def _changed(vocabulary: str, *, asks_all: bool) -> Select[*tuple[Any, ...]]:
    """Return the query of `load_changed_sizes`. It is cached, because building it takes longer than running it.

    The query for all pairs reads them by position. The query for changed pairs finds them by revision: `+ 0` keeps
    SQLite from using the index of positions, with which it would read all pairs.
    """
    position = PAIR.c.position if asks_all else PAIR.c.position + 0
    return (
        select(*_COLUMNS)
        .select_from(join_indexes(vocabulary))
        .where(
            PAIR.c.conversation_id == bindparam("conversation_id"),
            PAIR.c.owner == bindparam("owner"),
            PAIR.c.revision > bindparam("after_revision"),
            position > bindparam("after_position"),
        )
        .order_by(position)
        .limit(bindparam("most"))
    )


def _decode(row: Any) -> Candidate:
    pair_id, position, lifecycle, _, blank, damaged, text, messages, thinking, vendor, images, revision = row
    if not isinstance(pair_id, str):
        raise _refuse("pair", "id", pair_id)
    if lifecycle in RUNNING:
        return Candidate(pair_id, position, NO_SIZES, running=True, revision=revision)
    if text is None or blank is None:
        raise ValueError(f"Pair {pair_id} is not in the indexes, which must be updated first.")
    try:
        dimensions = () if images == _NO_IMAGES else tuple((width, height) for width, height in orjson.loads(images))
    except UNREADABLE as error:
        raise _refuse("pair_size", "images", images) from error
    out = OutReason.DAMAGED if damaged else OutReason.FAILED if lifecycle == Lifecycle.ERROR or blank else None
    sizes = PairSizes(text, messages, thinking, vendor, dimensions)
    return Candidate(pair_id, position, sizes, out, revision=revision)


def _refuse(table: str, column: str, stored: Any) -> DamagedRowError:
    reading = Reading(table, "(without an id)")
    reading.note(column, "it does not have the expected format", len(raw_bytes(stored)))
    return DamagedRowError(reading.damage[0])
