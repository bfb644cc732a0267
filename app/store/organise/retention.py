"""Queries of retention: the conversations that a rule applies to, and the log of those it moved to the trash.

The log is a part of the audit trail: nobody changes or deletes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, or_, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import ConversationKind
from app.domain.people.audit import PROCESS, AuditEntry
from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.domain.retention import RetentionKind, RetentionRule
from app.store.audit.entries import insert_entry
from app.store.audit.rows_audit import AUDIT
from app.store.conversation.rows import CONVERSATION, IS_RUNNING_PAIR, PAIR
from app.store.conversation.wanted import IN_VIEW
from app.store.database.damage import decode_each
from app.store.organise.rows_folders import FOLDER

MAX_SWEEPS = 100


@dataclass(frozen=True, slots=True)
class Sweep:
    """What a rule moved into the trash at one time. `at` is when: what it moved was deleted at that very time."""

    number: int
    at: datetime
    rule: RetentionRule
    count: int


async def list_inactive(session: AsyncSession, owner: str, rule: RetentionRule, at: datetime) -> tuple[str, ...]:
    """The conversations that go by this rule at this time, those inactive longest first."""
    kept = select(1).where(
        or_(PAIR.c.conversation_id == CONVERSATION.c.id, PAIR.c.conversation_id == CONVERSATION.c.parent_id),
        PAIR.c.deleted_at.is_(None),
        or_(PAIR.c.stars > 0, PAIR.c.flagged, text(IS_RUNNING_PAIR)),
    )
    query = select(CONVERSATION.c.id).where(
        CONVERSATION.c.owner == owner,
        IN_VIEW,
        CONVERSATION.c.updated_at < rule.before(at),
        _is_of(rule),
        ~kept.exists(),
    )
    return tuple((await session.execute(query.order_by(CONVERSATION.c.updated_at))).scalars())


async def insert_sweep(session: AsyncSession, owner: str, rule: RetentionRule, at: datetime, count: int) -> None:
    """Write into the log what a rule moved."""
    data: dict[str, Any] = {"kind": rule.kind, "days": rule.days, "count": count}
    if rule.folder_id:
        data["folder_id"] = rule.folder_id
    actor = replace(PROCESS, person=owner)
    entry = AuditEntry(at, actor, AuditAction.RETENTION_SWEPT, ObjectKind.SETTING, rule.kind, None, data)
    await insert_entry(session, entry)


async def list_sweeps(session: AsyncSession, owner: str, number: int | None = None) -> tuple[Sweep, ...]:
    """What rules moved, the last first; `number`: that one alone."""
    query = (
        select(AUDIT)
        .where(AUDIT.c.person == owner, AUDIT.c.action == AuditAction.RETENTION_SWEPT.value)
        .order_by(AUDIT.c.id.desc())
    )
    if number is not None:
        query = query.where(AUDIT.c.id == number)
    return tuple(decode_each("audit", (await session.execute(query.limit(MAX_SWEEPS))).mappings(), _decode))


async def list_swept(session: AsyncSession, owner: str, times: Sequence[datetime]) -> dict[datetime, tuple[str, ...]]:
    """Of what was moved at these times, the conversations that are still in the trash."""
    query = select(CONVERSATION.c.id, CONVERSATION.c.deleted_at).where(
        CONVERSATION.c.owner == owner, CONVERSATION.c.deleted_at.in_(times)
    )
    found: dict[datetime, list[str]] = {}
    for conversation_id, deleted_at in await session.execute(query):
        found.setdefault(deleted_at, []).append(conversation_id)
    return {at: tuple(ids) for at, ids in found.items()}


async def list_owners(session: AsyncSession) -> tuple[str, ...]:
    """Who has a conversation."""
    return tuple((await session.execute(select(CONVERSATION.c.owner).distinct())).scalars())


def _is_of(rule: RetentionRule) -> ColumnElement[bool]:
    with_rule = select(FOLDER.c.id).where(FOLDER.c.id == CONVERSATION.c.folder_id, FOLDER.c.retention_days.is_not(None))
    outside = and_(CONVERSATION.c.kind == ConversationKind.AGENT, ~with_rule.exists())
    match rule.kind:
        case RetentionKind.CHAT:
            return and_(outside, CONVERSATION.c.imported_from.is_(None)) if rule.imported_apart else outside
        case RetentionKind.CHILD:
            return CONVERSATION.c.kind == ConversationKind.TOOL
        case RetentionKind.IMPORTED:
            return and_(outside, CONVERSATION.c.imported_from.is_not(None))
        case RetentionKind.FOLDER:
            return and_(CONVERSATION.c.kind == ConversationKind.AGENT, CONVERSATION.c.folder_id == rule.folder_id)


def _decode(row: Any) -> Sweep:
    data = row["data"]
    rule = RetentionRule(RetentionKind(data["kind"]), int(data["days"]), str(data.get("folder_id", "")))
    return Sweep(row["id"], row["at"], rule, int(data["count"]))
