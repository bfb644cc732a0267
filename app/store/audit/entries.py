"""Inserts and lists entries of the audit trail.

    await insert_entry(session, entry)                 # in the transaction of what it describes
    found = await list_entries(session, AuditFilter(person="ann"), limit=50)

The head of the chain is read in the transaction that adds to it. SQLite has one writer at a time, whichever process it
is in, so two entries never follow the same one.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any, Final, TypeVar

from sqlalchemy import Insert, Select, Table, insert, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.people.audit import (
    ADDRESS,
    FIRST,
    SALT_BYTES,
    Actor,
    AuditEntry,
    canonical_bytes,
    chain_hash,
    hash_note,
)
from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.store.audit.rows_audit import AUDIT, AUDIT_NOTE
from app.store.database.damage import note_damage

BATCH: Final = 1_000
Word = TypeVar("Word", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Which entries: of a person ("": nobody signed in), an action or a group ("person"), an object's id, and its kind.

    `since` is the first moment, `until` the first that is too late.
    """

    person: str | None = None
    action: str | None = None
    subject: str | None = None
    kind: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """An entry with its number and its hash."""

    number: int
    entry: AuditEntry
    hash: str


async def insert_entry(session: AsyncSession, entry: AuditEntry) -> None:
    """Enter it, for good."""
    await insert_entries(session, (entry,))


async def insert_entries(session: AsyncSession, entries: Iterable[AuditEntry]) -> None:
    """Enter several, one after the other."""
    head = (await session.execute(_select_head())).one_or_none()
    number, before = (0, FIRST) if head is None else head
    rows: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    for entry in entries:
        number += 1
        row = _encode(number, entry)
        if note := entry.note:
            salt = secrets.token_bytes(SALT_BYTES)
            row["note_hash"] = hash_note(salt, note)
            notes.append({"entry_id": number, "owner": entry.actor.person, "salt": salt, "data": note})
        row["hash"] = before = chain_hash(before, canonical_bytes(row))
        rows.append(row)
    await session.execute(_insert_into(AUDIT), rows)
    if notes:
        await session.execute(_insert_into(AUDIT_NOTE), notes)


@cache
def _select_head() -> Select[Any, Any]:
    """The newest entry. Made once, as what enters it: making a statement takes longer than executing it."""
    return select(AUDIT.c.id, AUDIT.c.hash).order_by(AUDIT.c.id.desc()).limit(1)


@cache
def _insert_into(table: Table) -> Insert:
    return insert(table)


async def list_entries(
    session: AsyncSession, wanted: AuditFilter, *, limit: int, before: int | None = None
) -> tuple[StoredEntry, ...]:
    """The newest entries, the last first; `before` a number: those that came before it."""
    query = _filtered(wanted).order_by(AUDIT.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(AUDIT.c.id < before)
    return tuple(map(_decode, (await session.execute(query)).mappings()))


async def load_entries(session: AsyncSession, wanted: AuditFilter, *, after: int) -> tuple[StoredEntry, ...]:
    """Some of the entries that came after this number, the oldest first; nothing: there are no more."""
    query = _filtered(wanted).where(AUDIT.c.id > after).order_by(AUDIT.c.id).limit(BATCH)
    return tuple(map(_decode, (await session.execute(query)).mappings()))


async def list_subjects(session: AsyncSession, person_id: str, action: AuditAction) -> tuple[str, ...]:
    """The ids of what a person did this to."""
    query = select(AUDIT.c.subject).where(AUDIT.c.person == person_id, AUDIT.c.action == str(action)).distinct()
    return tuple((await session.execute(query)).scalars())


def _filtered(wanted: AuditFilter) -> Select[Any]:
    query = select(AUDIT, AUDIT_NOTE.c.data.label("note")).outerjoin(AUDIT_NOTE, AUDIT_NOTE.c.entry_id == AUDIT.c.id)
    if wanted.person is not None:
        query = query.where(AUDIT.c.person == wanted.person)
    if wanted.action:
        query = query.where(or_(AUDIT.c.action == wanted.action, AUDIT.c.action.startswith(f"{wanted.action}.")))
    if wanted.subject:
        query = query.where(or_(AUDIT.c.subject == wanted.subject, AUDIT.c.conversation_id == wanted.subject))
    if wanted.kind:
        query = query.where(AUDIT.c.kind == wanted.kind)
    if wanted.since is not None:
        query = query.where(AUDIT.c.at >= wanted.since)
    if wanted.until is not None:
        query = query.where(AUDIT.c.at < wanted.until)
    return query


def _encode(number: int, entry: AuditEntry) -> dict[str, Any]:
    return {
        "id": number,
        "at": entry.at,
        "person": entry.actor.person,
        "credential": entry.actor.credential,
        "action": str(entry.action),
        "kind": str(entry.kind),
        "subject": entry.subject,
        "conversation_id": entry.conversation_id,
        "data": entry.details,
        "note_hash": "",
    }


def _decode(row: Any) -> StoredEntry:
    """An entry is never left out: what cannot be read of it is empty."""
    note = _read_data("audit_note", row, "note") if row["note_hash"] and row["note"] is not None else {}
    actor = Actor(row["person"], row["credential"], str(note.pop(ADDRESS, "")))
    entry = AuditEntry(
        row["at"],
        actor,
        _read_word(row, "action", AuditAction, AuditAction.UNKNOWN),
        _read_word(row, "kind", ObjectKind, ObjectKind.UNKNOWN),
        row["subject"],
        row["conversation_id"],
        _read_data("audit", row, "data") | note,
    )
    return StoredEntry(row["id"], entry, row["hash"])


def _read_data(table: str, row: Any, column: str) -> dict[str, Any]:
    if isinstance(row[column], dict):
        return dict(row[column])
    note_damage(table, str(row["id"]), "data", "it is no JSON object")
    return {}


def _read_word(row: Any, column: str, words: type[Word], unknown: Word) -> Word:
    try:
        return words(row[column])
    except ValueError:
        note_damage("audit", str(row["id"]), column, f"{row[column]!r} is no word of it")
        return unknown
