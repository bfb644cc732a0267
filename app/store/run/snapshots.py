"""Queries of request snapshots: the exact request of a pair that failed, to show, compare or send again unchanged."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import NotFoundError
from app.store.conversation.rows import SNAPSHOT


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A sent request, with secrets masked. `content_hash` is the hash of the request in canonical form."""

    pair_id: str
    run_id: str
    model: str
    content_hash: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    created_at: datetime


async def save_snapshot(session: AsyncSession, owner: str, snapshot: Snapshot) -> None:
    """Store the snapshot of a pair. It replaces an older one."""
    await delete_snapshots(session, (snapshot.pair_id,))
    await session.execute(
        insert(SNAPSHOT),
        {
            "pair_id": snapshot.pair_id,
            "owner": owner,
            "run_id": snapshot.run_id,
            "model": snapshot.model,
            "content_hash": snapshot.content_hash,
            "url": snapshot.url,
            "headers": [list(header) for header in snapshot.headers],
            "body": snapshot.body,
            "created_at": snapshot.created_at,
        },
    )


async def delete_snapshots(session: AsyncSession, pair_ids: Collection[str]) -> None:
    """Delete the snapshots of these pairs, if they have any."""
    if pair_ids:
        await session.execute(delete(SNAPSHOT).where(SNAPSHOT.c.pair_id.in_(pair_ids)))


async def load_snapshot(session: AsyncSession, owner: str, pair_id: str) -> Snapshot:
    """Return the snapshot of a pair.

    Raises:
        NotFoundError: this owner has no such pair, or it has no snapshot.
    """
    query = select(SNAPSHOT).where(SNAPSHOT.c.pair_id == pair_id, SNAPSHOT.c.owner == owner)
    row = (await session.execute(query)).mappings().one_or_none()
    if row is None:
        raise NotFoundError("snapshot of pair", pair_id)
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
