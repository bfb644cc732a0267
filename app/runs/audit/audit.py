"""Commands of the audit trail: record an action, and read the entries.

    async with ctx.store.write() as session:
        ...
        await audit(session, owner, conversation_id, AuditAction.CHANGED, what="title")

A change is recorded in its own transaction, so it is never stored without its entry. Reads have no transaction that
writes: they are noted in the access log (`access_log.py`). The client of the task (`runs/runtime/client.py`) says who
acted, and how.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.audit import AuditAction
from app.runs.runtime.client import current_client
from app.runs.runtime.ids import now
from app.store.audit.audit import EVERYTHING, AuditCriteria, AuditEntry, insert_entries, list_entries
from app.store.database.database import Store


async def audit(
    session: AsyncSession,
    owner: str,
    conversation_id: str,
    action: AuditAction,
    *,
    subject: str | None = None,
    **data: Any,
) -> None:
    """Add an entry about a conversation to the audit trail, in this transaction.

    `subject`: the id of the object of the action, such as a pair; None: the conversation.
    """
    entry = make_entry(owner, now(), action, subject or conversation_id, conversation_id, data)
    await insert_entries(session, [entry])
    current_client().audited = True


async def audit_all(
    session: AsyncSession, owner: str, conversation_ids: Sequence[str], action: AuditAction, **data: Any
) -> None:
    """Add an entry about each of these conversations to the audit trail, in this transaction.

    `data` is as in `audit`.
    """
    at = now()
    if conversation_ids:
        await insert_entries(session, [make_entry(owner, at, action, one, one, data) for one in conversation_ids])
        current_client().audited = True


def make_entry(  # noqa: PLR0913, PLR0917 - the fields of an entry
    owner: str, at: datetime, action: str, subject: str, conversation_id: str | None, data: dict[str, Any]
) -> AuditEntry:
    """Return an entry that names the client of the current task."""
    client = current_client()
    return AuditEntry(owner, at, action, subject, conversation_id, data, client.via, client.address)


async def read_audit(
    store: Store, owner: str, *, limit: int, before: int | None = None, criteria: AuditCriteria = EVERYTHING
) -> tuple[tuple[int, AuditEntry], ...]:
    """Return at most `limit` entries that meet the criteria, newest first, each with its number.

    `before`: only entries with lower numbers.
    """
    async with store.read() as session:
        return await list_entries(session, owner, limit=limit, before=before, criteria=criteria)
