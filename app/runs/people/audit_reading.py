"""Reads and exports the audit trail, for owners and admins. Reading leaves an entry.

page = await read_entries(wb, caller(), AuditFilter(action="session"), limit=50)
async for piece in export_entries(wb, AuditFilter(), AuditFormat.CSV): ...
"""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncGenerator, Iterable
from enum import StrEnum
from typing import Final

from app.domain.errors import ForbiddenError
from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.runs.people.administration import is_administrator
from app.runs.people.audit import note
from app.runs.send.commands import LOCAL_OWNER
from app.runs.workbench import Workbench
from app.store.audit.entries import AuditFilter, StoredEntry, list_entries, load_entries
from app.store.audit.integrity import ChainReport, check_audit
from app.store.conversation.conversations import list_named
from app.store.people import people
from app.views.audit import AuditEntryView, describe_entry
from app.views.encode import to_json

COLUMNS: Final = (
    "id", "at", "person", "credential", "address", "action", "kind", "subject", "conversation_id", "data", "hash",
)  # fmt: skip


class AuditFormat(StrEnum):
    """What an export is."""

    JSON_LINES = "jsonl"
    CSV = "csv"


async def require_reader(wb: Workbench, person_id: str) -> None:
    """Refuse who does not administer the installation.

    Raises:
        ForbiddenError: the person is a member.
    """
    if not await is_administrator(wb, person_id):
        raise ForbiddenError("Only owners and admins can read the audit trail. Ask one of them.")


async def read_entries(
    wb: Workbench, reader: str, wanted: AuditFilter, *, limit: int, before: int | None = None
) -> tuple[StoredEntry, ...]:
    """The newest entries, the last first, with what was done until now.

    Raises:
        ForbiddenError: the reader is a member.
    """
    await require_reader(wb, reader)
    note(AuditAction.AUDIT_READ, ObjectKind.AUDIT, "")
    await wb.trail.enter(wb.store)
    async with wb.store.read() as session:
        return await list_entries(session, wanted, limit=limit, before=before)


async def check_chain(wb: Workbench, reader: str) -> ChainReport:
    """Check the chain as `inview verify` does.

    Raises:
        ForbiddenError: the reader is a member.
    """
    await require_reader(wb, reader)
    note(AuditAction.AUDIT_READ, ObjectKind.AUDIT, "")
    await wb.trail.enter(wb.store)
    async with wb.store.read() as session:
        return await check_audit(session)


async def list_names(wb: Workbench, reader: str) -> dict[str, str]:
    """The names of everybody who can be named in an entry, by id; that of the local owner is empty.

    Raises:
        ForbiddenError: the reader is a member.
    """
    await require_reader(wb, reader)
    async with wb.store.read() as session:
        return {LOCAL_OWNER: ""} | {person.id: person.name for person in await people.load_people(session)}


async def list_own(wb: Workbench, reader: str, found: Iterable[StoredEntry]) -> dict[str, str]:
    """The titles of the conversations of these entries that the reader can open, by id."""
    named = {one.entry.conversation_id or one.entry.subject for one in found}
    async with wb.store.read() as session:
        return {id_: one.conversation.title for id_, one in (await list_named(session, reader, tuple(named))).items()}


async def export_entries(wb: Workbench, wanted: AuditFilter, format_: AuditFormat) -> AsyncGenerator[bytes]:
    """All entries, the oldest first, in pieces. Who may have them was asked before: `require_reader`."""
    note(AuditAction.AUDIT_EXPORTED, ObjectKind.AUDIT, "")
    await wb.trail.enter(wb.store)
    if format_ is AuditFormat.CSV:
        yield _write_csv([COLUMNS])
    last = 0
    while True:
        async with wb.store.read() as session:
            found = await load_entries(session, wanted, after=last)
        if not found:
            return
        last = found[-1].number
        views = [describe_entry(one.number, one.entry, one.hash) for one in found]
        match format_:
            case AuditFormat.CSV:
                yield _write_csv(map(_cells, views))
            case AuditFormat.JSON_LINES:
                yield b"".join(to_json(view) + b"\n" for view in views)


def _cells(view: AuditEntryView) -> list[str]:
    values = {name: getattr(view, name) for name in COLUMNS}
    texts = values | {"at": view.at.isoformat(), "data": to_json(view.data).decode()}
    return [_harmless("" if value is None else str(value)) for value in texts.values()]


def _harmless(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _write_csv(rows: Iterable[Iterable[str]]) -> bytes:
    written = io.StringIO()
    csv.writer(written, lineterminator="\r\n").writerows(rows)
    return written.getvalue().encode()
