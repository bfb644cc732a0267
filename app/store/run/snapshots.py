"""Snapshots: the exact request of a pair whose reply failed, to read, compare and send again unchanged."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Delete, bindparam, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import NotFoundError
from app.store.conversation.rows import SNAPSHOT
from app.store.database.damage import decode_one


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A request as it left, secrets masked. `content_hash` is that of the request in common form."""

    pair_id: str
    run_id: str
    model: str
    content_hash: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    created_at: datetime


async def save_snapshot(session: AsyncSession, owner: str, snapshot: Snapshot) -> None:
    """Keep this snapshot with its pair, in the place of an older one."""
    await delete_snapshot(session, snapshot.pair_id)
    await session.execute(
        insert(SNAPSHOT).values(
            pair_id=snapshot.pair_id,
            owner=owner,
            run_id=snapshot.run_id,
            model=snapshot.model,
            content_hash=snapshot.content_hash,
            url=snapshot.url,
            headers=[list(header) for header in snapshot.headers],
            body=snapshot.body,
            created_at=snapshot.created_at,
        )
    )


async def delete_snapshot(session: AsyncSession, pair_id: str) -> None:
    await session.execute(_delete(), {"pair": pair_id})


@cache
def _delete() -> Delete:
    """What each reply does as it ends: made once."""
    return delete(SNAPSHOT).where(SNAPSHOT.c.pair_id == bindparam("pair"))


async def load_snapshot(session: AsyncSession, owner: str, pair_id: str) -> Snapshot:
    """The snapshot of a pair.

    Raises:
        NotFoundError: there is none, or the pair is another's.
    """
    query = select(SNAPSHOT).where(SNAPSHOT.c.pair_id == pair_id, SNAPSHOT.c.owner == owner)
    row = (await session.execute(query)).mappings().one_or_none()
    if row is None:
        raise NotFoundError("snapshot of pair", pair_id)
    return decode_one("snapshot", row, _decode)


def _decode(row: Any) -> Snapshot:
    return Snapshot(
        pair_id=row["pair_id"],
        run_id=row["run_id"],
        model=row["model"],
        content_hash=row["content_hash"],
        url=row["url"],
        headers=tuple((name, value) for name, value in row["headers"]),
        body=row["body"],
        created_at=row["created_at"],
    )
