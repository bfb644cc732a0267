"""The audit trail: actions with their owner and time. The database refuses to change or delete an entry.

    await insert_entries(session, [AuditEntry(owner, at, "conversation.opened", conversation_id, conversation_id, {})])

The trail has ids of conversations, and no text of them. Only the decisions about tool calls have the arguments of the
call, except those of temporary conversations: see `runs/tools/permissions.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final, cast

from sqlalchemy import insert, select, union_all
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import StoreError
from app.store.audit.rows_audit import AUDIT
from app.store.conversation.rows import PAIR, RUN
from app.store.database.damage import UNKNOWN_TIME, Reading, a_text, a_text_or_none, a_time
from app.store.database.row_names import show_id
from app.store.ledger.rows_ledger import LEDGER
from app.store.tools.rows_permissions import PERMISSION_REQUEST

BATCH: Final = 500
"""Number of ids in one query. SQLite has a maximum number of parameters."""
_NAMED: Final = (PAIR, RUN, LEDGER, PERMISSION_REQUEST)
UNREADABLE_ACTION = "(cannot be read)"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """An entry of the audit trail: an action. `subject` is the id of the object of the action.

    - `data`: details, which depend on the action.
    - `via`: how the client reached Inview: "page" or "api"; "": no client acted.
    - `address`: the network address of the client.
    """

    owner: str
    at: datetime
    action: str
    subject: str
    conversation_id: str | None
    data: dict[str, Any]
    via: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class AuditCriteria:
    """Conditions for entries of the audit trail.

    - `conversation_id`: only entries about this conversation.
    - `actions`: only entries with one of these actions; None: all.
    - `since`: only entries from this time on.
    """

    conversation_id: str | None = None
    actions: Collection[str] | None = None
    since: datetime | None = None


EVERYTHING = AuditCriteria()


async def insert_entries(session: AsyncSession, entries: Sequence[AuditEntry]) -> None:
    """Insert entries. They cannot be changed or deleted later."""
    await session.execute(insert(AUDIT), [asdict(entry) for entry in entries])


async def list_entries(
    session: AsyncSession, owner: str, *, limit: int, before: int | None = None, criteria: AuditCriteria = EVERYTHING
) -> tuple[tuple[int, AuditEntry], ...]:
    """Return the newest entries, newest first, each with its number. `before`: only entries with a lower number."""
    query = select(AUDIT).where(AUDIT.c.owner == owner).order_by(AUDIT.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(AUDIT.c.id < before)
    if criteria.conversation_id is not None:
        query = query.where(AUDIT.c.conversation_id == criteria.conversation_id)
    if criteria.actions is not None:
        query = query.where(AUDIT.c.action.in_(criteria.actions))
    if criteria.since is not None:
        query = query.where(AUDIT.c.at >= criteria.since)
    return tuple((row["id"], _decode(row)) for row in (await session.execute(query)).mappings())


async def find_conversations(
    session: AsyncSession, subjects: Collection[tuple[str, str]]
) -> dict[tuple[str, str], str]:
    """Return the conversations of these pairs, runs, calls or permission requests, each an owner and an id."""
    ids = tuple({subject for _, subject in subjects})
    found = dict[tuple[str, str], str]()
    for start in range(0, len(ids), BATCH):
        some = ids[start : start + BATCH]
        query = union_all(
            *(select(each.c.owner, each.c.id, each.c.conversation_id).where(each.c.id.in_(some)) for each in _NAMED)
        )
        found |= {(owner, subject): conversation for owner, subject, conversation in await session.execute(query)}
    return {one: found[one] for one in subjects if one in found}


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
        via=take("via", row["via"], a_text, ""),
        address=take("address", row["address"], a_text, ""),
    )


def an_object(stored: Any) -> dict[str, Any]:
    """Check that a stored value is a JSON object, and return it."""
    if not isinstance(stored, dict):
        raise StoreError(f"it is {type(stored).__name__}, not dict")
    return cast("dict[str, Any]", stored)
