"""Queries of sizes: of each pair what deciding about it takes, without its texts.

What is missing in the indexes must have been put there before (`runs/indexing.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import orjson
from sqlalchemy import Select, String, bindparam, select, type_coerce
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.composition import Candidate
from app.domain.context import OutReason
from app.domain.estimates import PairSizes
from app.domain.lifecycle import RUNNING, Lifecycle
from app.store.indexing import join_indexes
from app.store.rows import PAIR
from app.store.rows_index import PAIR_SIZE, PAIR_TEXT

NO_SIZES = PairSizes(0, 0)
"""Of a running pair: it grows, and is measured when it is over."""

_TEXT, _SIZE = PAIR_TEXT.c, PAIR_SIZE.c
_COLUMNS = (
    *(PAIR.c.id, PAIR.c.position, PAIR.c.lifecycle, PAIR.c.deleted_at, _TEXT.blank),
    *(_SIZE.text, _SIZE.messages, _SIZE.thinking, _SIZE.thinking_vendor),
    type_coerce(_SIZE.images, String),
)
_NO_IMAGES = "[]"


@dataclass(frozen=True, slots=True)
class ChangedSizes:
    """As `pairs.Changed`: the pairs as they stand now, oldest first, and the ids of those that were deleted."""

    candidates: tuple[Candidate, ...]
    deleted: tuple[str, ...]
    last_position: int
    complete: bool


async def load_changed_sizes(  # noqa: PLR0913 - whose, where, how counted, since when, and how many
    session: AsyncSession,
    owner: str,
    conversation_id: str,
    vocabulary: str,
    *,
    after_revision: int,
    after_position: int,
    limit: int,
) -> ChangedSizes:
    """Some of the pairs that changed after a revision and stand after a position. `complete`: there are no others."""
    asked = {
        "conversation_id": conversation_id,
        "owner": owner,
        "after_revision": after_revision,
        "after_position": after_position,
        "most": limit,
    }
    rows = (await session.execute(_changed(vocabulary), asked)).all()
    return ChangedSizes(
        tuple(_decode(row) for row in rows if row[3] is None),
        tuple(row[0] for row in rows if row[3] is not None),
        rows[-1][1] if rows else after_position,
        len(rows) < limit,
    )


@cache
def _changed(vocabulary: str) -> Select[*tuple[Any, ...]]:
    """What `load_changed_sizes` asks: made once, as making it takes longer than asking."""
    return (
        select(*_COLUMNS)
        .select_from(join_indexes(vocabulary))
        .where(
            PAIR.c.conversation_id == bindparam("conversation_id"),
            PAIR.c.owner == bindparam("owner"),
            PAIR.c.revision > bindparam("after_revision"),
            PAIR.c.position > bindparam("after_position"),
        )
        .order_by(PAIR.c.position)
        .limit(bindparam("most"))
    )


def _decode(row: Any) -> Candidate:
    pair_id, position, lifecycle, _, blank, text, messages, thinking, vendor, images = row
    if lifecycle in RUNNING:
        return Candidate(pair_id, position, NO_SIZES, running=True)
    if text is None or blank is None:
        raise ValueError(f"Pair {pair_id} is not in the indexes: they were to be brought up to date before.")
    dimensions = () if images == _NO_IMAGES else tuple((width, height) for width, height in orjson.loads(images))
    failed = lifecycle == Lifecycle.ERROR or blank
    sizes = PairSizes(text, messages, thinking, vendor, dimensions)
    return Candidate(pair_id, position, sizes, OutReason.FAILED if failed else None)
