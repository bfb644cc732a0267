"""The audit trail: who did what when. Entries are added; the database refuses to change or delete one.

    await insert_entry(session, AuditEntry(owner, at, "permission.allowed", request_id, conversation_id, {...}))

Of temporary conversations it is told that something was decided, and never a word of theirs: see
`runs/tools/permissions.py`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.store.tools.rows_permissions import AUDIT


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """Something that was done. `subject` is the id of what it was done to; `data` depends on the action."""

    owner: str
    at: datetime
    action: str
    subject: str
    conversation_id: str | None
    data: dict[str, Any]


async def insert_entry(session: AsyncSession, entry: AuditEntry) -> None:
    """Enter it, for good."""
    await session.execute(insert(AUDIT).values(asdict(entry)))


async def list_entries(
    session: AsyncSession, owner: str, *, limit: int, before: int | None = None, conversation_id: str | None = None
) -> tuple[tuple[int, AuditEntry], ...]:
    """The newest entries, the last first, each with its number; `before` a number: those that came before it."""
    query = select(AUDIT).where(AUDIT.c.owner == owner).order_by(AUDIT.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(AUDIT.c.id < before)
    if conversation_id is not None:
        query = query.where(AUDIT.c.conversation_id == conversation_id)
    names = ("owner", "at", "action", "subject", "conversation_id", "data")
    rows = (await session.execute(query)).mappings()
    return tuple((row["id"], AuditEntry(**{name: row[name] for name in names})) for row in rows)
