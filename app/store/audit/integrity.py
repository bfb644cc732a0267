"""Checks the audit trail: hashes every entry anew, and names the first broken link of the chain.

    report = await check_audit(session)
    report.faults                 # () if nobody wrote past the rules
    report.head                   # the last hash: who noted it elsewhere sees whether the end was cut off

A note that is missing is a fault, unless its person was deleted.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.people.audit import FIRST, canonical_bytes, chain_hash, hash_note
from app.store.audit.rows_audit import AUDIT, AUDIT_NOTE
from app.store.database.damage import UNREADABLE
from app.store.database.database import kind_of_session
from app.store.people.rows_people import DELETED_PERSON

TRIGGERS: Final = (
    "audit_is_not_changed", "audit_is_not_deleted", "audit_note_is_not_changed", "audit_note_is_not_deleted",
)  # fmt: skip
BATCH: Final = 1_000


@dataclass(frozen=True, slots=True)
class ChainReport:
    """How many entries were checked, what is wrong with them, and the hash of the last.

    `broken` is the number of the entry with which the chain breaks, None if it does not break at an entry.
    """

    count: int
    faults: tuple[str, ...]
    head: str
    broken: int | None = None


async def check_audit(session: AsyncSession) -> ChainReport:
    """Check that no entry and no note was changed, deleted or put in, and that the database refuses it."""
    known = set((await session.execute(text(kind_of_session(session).trigger_names))).scalars())
    faults = [
        f"The rule {name} of the audit trail is missing from the database." for name in TRIGGERS if name not in known
    ]
    deleted = frozenset((await session.execute(select(DELETED_PERSON.c.id))).scalars())
    count, head, last = 0, FIRST, 0
    async for row in _read(session):
        fault = _check_note(row, deleted)
        try:
            follows = row["hash"] == chain_hash(head, canonical_bytes({**row}))
        except UNREADABLE:
            follows = False
        if not follows:
            after = f"entry {last:,}" if count else "the beginning"
            why = "it was changed, or one between them was deleted or added"
            fault = f"Entry {row['id']:,} does not follow {after}: {why}."
        if fault:
            return ChainReport(count, (*faults, f"{fault} Put a backup back."), head, row["id"])
        count, head, last = count + 1, row["hash"], row["id"]
    ever = (await session.execute(text(kind_of_session(session).last_audit_number))).scalar() or 0
    if ever > last:
        faults.append(f"Entry {last + 1:,} and what came after it, up to {ever:,}, was deleted. Put a backup back.")
        return ChainReport(count, tuple(faults), head, last + 1)
    extra = select(func.count()).select_from(AUDIT_NOTE).where(AUDIT_NOTE.c.entry_id.not_in(select(AUDIT.c.id)))
    if found := (await session.execute(extra)).scalar_one():
        faults.append(f"{found:,} notes of the audit trail belong to no entry.")
    return ChainReport(count, tuple(faults), head)


async def _read(session: AsyncSession) -> AsyncGenerator[Any]:
    last = 0
    query = select(AUDIT, AUDIT_NOTE.c.data.label("note"), AUDIT_NOTE.c.salt, AUDIT_NOTE.c.owner).outerjoin(
        AUDIT_NOTE, AUDIT_NOTE.c.entry_id == AUDIT.c.id
    )
    while (
        rows := (await session.execute(query.where(AUDIT.c.id > last).order_by(AUDIT.c.id).limit(BATCH)))
        .mappings()
        .all()
    ):
        for row in rows:
            yield row
        last = rows[-1]["id"]


def _check_note(row: Any, deleted: frozenset[str]) -> str:
    if row["salt"] is None:
        missing = row["note_hash"] and row["person"] not in deleted
        return f"The note of entry {row['id']:,} is missing." if missing else ""
    try:
        whole = row["owner"] == row["person"] and row["note_hash"] == hash_note(row["salt"], row["note"])
    except UNREADABLE:
        whole = False
    return "" if whole else f"The note of entry {row['id']:,} was changed."
