"""The audit trail: actions with their owner and time. The database refuses to change or delete an entry.

    await insert_entry(session, AuditEntry(owner, at, "permission.allowed", request_id, conversation_id, {...}))

For a temporary conversation, the trail records a decision, but no text of the conversation: see
`runs/tools/permissions.py`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, cast

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import StoreError
from app.store.database.damage import UNKNOWN_TIME, Reading, a_text, a_text_or_none, a_time
from app.store.database.row_names import show_id
from app.store.tools.rows_permissions import AUDIT

UNREADABLE_ACTION = "(cannot be read)"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """An entry of the audit trail: an action. `subject` is the id of the object of the action.

    The content of `data` depends on the action.
    """

    owner: str
    at: datetime
    action: str
    subject: str
    conversation_id: str | None
    data: dict[str, Any]


async def insert_entry(session: AsyncSession, entry: AuditEntry) -> None:
    """Insert an entry. It cannot be changed or deleted later."""
    await session.execute(insert(AUDIT).values(asdict(entry)))


async def list_entries(
    session: AsyncSession, owner: str, *, limit: int, before: int | None = None, conversation_id: str | None = None
) -> tuple[tuple[int, AuditEntry], ...]:
    """Return the newest entries, newest first, each with its number. `before`: only entries with a lower number."""
    query = select(AUDIT).where(AUDIT.c.owner == owner).order_by(AUDIT.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(AUDIT.c.id < before)
    if conversation_id is not None:
        query = query.where(AUDIT.c.conversation_id == conversation_id)
    return tuple((row["id"], _decode(row)) for row in (await session.execute(query)).mappings())


def _decode(row: Any) -> AuditEntry:
    """Decode an entry. Columns that cannot be read get neutral values, so that no entry is hidden."""
    take = Reading("audit", show_id(row["id"])).take
    return AuditEntry(
        owner=row["owner"],
        at=take("at", row["at"], a_time, UNKNOWN_TIME),
        action=take("action", row["action"], a_text, UNREADABLE_ACTION),
        subject=take("subject", row["subject"], a_text, ""),
        conversation_id=take("conversation_id", row["conversation_id"], a_text_or_none, None),
        data=take("data", row["data"], an_object, {}),
    )


def an_object(stored: Any) -> dict[str, Any]:
    """Check that a stored value is a JSON object, and return it."""
    if not isinstance(stored, dict):
        raise StoreError(f"it is {type(stored).__name__}, not dict")
    return cast("dict[str, Any]", stored)
