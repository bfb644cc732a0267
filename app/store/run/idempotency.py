"""Queries of idempotency keys. A key is unique per owner: of two sends at once, the database refuses one."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.store.run.rows_idempotency import IDEMPOTENCY_KEY


@dataclass(frozen=True, slots=True)
class KeyedRun:
    """The run that a key began. `fingerprint` is the hash of what was sent with the key."""

    fingerprint: str
    conversation_id: str
    pair_id: str
    run_id: str
    content_hash: str


async def load_keyed_run(session: AsyncSession, owner: str, key: str, since: datetime) -> KeyedRun | None:
    """The run that this key began at `since` or later."""
    names = ("fingerprint", "conversation_id", "pair_id", "run_id", "content_hash")
    query = select(*(IDEMPOTENCY_KEY.c[name] for name in names)).where(
        IDEMPOTENCY_KEY.c.owner == owner, IDEMPOTENCY_KEY.c.key == key, IDEMPOTENCY_KEY.c.created_at >= since
    )
    row = (await session.execute(query)).one_or_none()
    return None if row is None else KeyedRun(*row)


async def insert_keyed_run(  # noqa: PLR0913, PLR0917 - whose, which, what came of it, from when on
    session: AsyncSession, owner: str, key: str, run: KeyedRun, at: datetime, since: datetime
) -> None:
    """Note what a key began. What it began before `since` is forgotten.

    Raises:
        IntegrityError: it began another run since then.
    """
    mine = IDEMPOTENCY_KEY.c.owner == owner, IDEMPOTENCY_KEY.c.key == key
    await session.execute(delete(IDEMPOTENCY_KEY).where(*mine, IDEMPOTENCY_KEY.c.created_at < since))
    await session.execute(insert(IDEMPOTENCY_KEY), {"owner": owner, "key": key, "created_at": at, **asdict(run)})


async def forget_old_keys(session: AsyncSession, before: datetime) -> int:
    """Delete the keys that were used before that; how many that was."""
    old = IDEMPOTENCY_KEY.c.created_at < before
    gone = await session.execute(delete(IDEMPOTENCY_KEY).where(old).returning(IDEMPOTENCY_KEY.c.key))
    return len(gone.all())
