"""Queries of the journal: text and parts that running replies received since they were last stored whole."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import structlog
from sqlalchemy import Insert, bindparam, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.parts import Part
from app.domain.run.growth import Growth, apply_growth
from app.store.conversation.rows import RUN
from app.store.database.damage import a_number, a_text, read_row
from app.store.database.parts_json import decode_parts, encode_parts
from app.store.run.rows_journal import REPLY_JOURNAL

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Addition:
    """Text or parts that were added to the reply of a run, as an entry of the journal."""

    owner: str
    run_id: str
    growth: Growth


async def add_to_journal(session: AsyncSession, additions: Sequence[Addition]) -> None:
    """Store additions to replies. Additions to the reply of a run that has ended are dropped."""
    rows = [{"of_owner": one.owner, "of_run": one.run_id, "growth": _encode(one.growth)} for one in additions]
    if rows:
        await session.execute(_add(), rows)


async def clear_journal(session: AsyncSession, run_ids: Collection[str]) -> None:
    """Delete the additions of these runs, because their replies are stored whole now."""
    if run_ids:
        await session.execute(delete(REPLY_JOURNAL).where(REPLY_JOURNAL.c.run_id.in_(run_ids)))


async def load_additions(session: AsyncSession, run_ids: Collection[str]) -> dict[str, tuple[Growth, ...]]:
    """Return the additions of these runs, oldest first, up to the first one that cannot be read."""
    found: dict[str, list[Growth]] = defaultdict(list)
    damaged = set[str]()
    if run_ids:
        query = select(REPLY_JOURNAL).where(REPLY_JOURNAL.c.run_id.in_(run_ids)).order_by(REPLY_JOURNAL.c.id)
        for row in (await session.execute(query)).mappings():
            growth = read_row(REPLY_JOURNAL, row, _read, None)
            if growth is None:
                damaged.add(row["run_id"])
            elif row["run_id"] not in damaged:
                found[row["run_id"]].append(growth)
    return {run_id: tuple(growths) for run_id, growths in found.items()}


def add_up(parts: tuple[Part, ...], growths: Sequence[Growth]) -> tuple[Part, ...]:
    """Apply additions from the journal to the parts of a reply, and return the new parts.

    Stop at the first addition that does not continue the parts.
    """
    for growth in growths:
        try:
            parts = apply_growth(parts, growth)
        except ValueError as error:
            log.warning(
                "the journal of a reply does not match the reply; the reply is kept as it was stored before",
                fault=str(error),
            )
            break
    return parts


@cache
def _add() -> Insert:
    values = [
        bindparam("of_owner", type_=REPLY_JOURNAL.c.owner.type),
        bindparam("of_run", type_=REPLY_JOURNAL.c.run_id.type),
        bindparam("growth", type_=REPLY_JOURNAL.c.growth.type),
    ]
    is_on = select(1).where(RUN.c.id == bindparam("of_run"), RUN.c.status == "running").exists()
    return insert(REPLY_JOURNAL).from_select(["owner", "run_id", "growth"], select(*values).where(is_on))


def _encode(growth: Growth) -> dict[str, Any]:
    return {"kept": growth.kept, "text": growth.text, "parts": encode_parts(growth.parts)}


def decode_growth(value: Any) -> Growth:
    """Decode a stored addition to a reply: text for its last part, or new parts."""
    return Growth(a_number(value["kept"]), a_text(value["text"]), decode_parts(value["parts"]))


def _read(row: Any) -> Growth | None:
    return decode_growth(row["growth"])
