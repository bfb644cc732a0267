"""The access log: writes to the audit trail who opened, read or exported a conversation.

    ctx.accesses.note(owner, Access(AuditAction.OPENED, conversation_id, conversation_id))

A note takes no lock and no statement. A task writes the notes together once a second, and the rest when the process
ends. If the process is killed, the notes of the last second are lost.

Not here: changes, which are recorded in their own transaction (`audit.py`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.audit import AuditAction
from app.domain.errors import StoreError
from app.runs.audit.audit import make_entry
from app.runs.runtime.ids import now
from app.store.audit.audit import AuditEntry, find_conversations, insert_entries
from app.store.database.database import Store

WRITE_SECONDS: Final = 1.0
"""Seconds from a note until it is written."""
SAME_SECONDS: Final = 60.0
"""Seconds during which equal reads of a client make one entry, so that a polling program does not fill the database."""
MAX_WAITING: Final = 10_000
"""Maximum number of notes that wait while the database cannot be written."""
MAX_ID: Final = 64
"""Maximum number of characters of an id. All are ASCII characters."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Access:
    """An access to a conversation.

    - `what`: the part that was read, or the format of an export.
    - `subject`: the id of the object that was read.
    - `conversation_id`: the conversation; None: find the one of the pair, run, call or permission request `subject`.
    """

    action: AuditAction
    subject: str
    conversation_id: str | None
    what: str = ""


_Key = tuple[str, str | None, str, str, str]


@dataclass(eq=False)
class AccessLog:
    """The notes of an app context that are not written yet. `written`: the equal reads of the last minute."""

    store: Store
    _waiting: list[AuditEntry] = field(default_factory=list[AuditEntry])
    _noted: asyncio.Event = field(default_factory=asyncio.Event)
    _writing: asyncio.Lock = field(default_factory=asyncio.Lock)
    _written: dict[_Key, float] = field(default_factory=dict[_Key, float])

    def note(self, owner: str, access: Access) -> None:
        """Note an access of the client of the current task.

        An address may name an id that no object has. It is not noted, because the database might refuse it.
        """
        if not access.subject.isascii() or len(access.subject) > MAX_ID:
            return
        if len(self._waiting) >= MAX_WAITING:
            log.error("an access was not recorded in the audit trail: too many wait", subject=access.subject)
            return
        data = {"what": access.what} if access.what else {}
        self._waiting.append(make_entry(owner, now(), access.action, access.subject, access.conversation_id, data))
        self._noted.set()

    async def keep_writing(self) -> None:
        """Write the notes once a second, until the task is cancelled."""
        while True:
            await self._noted.wait()
            await asyncio.sleep(WRITE_SECONDS)
            self._noted.clear()
            try:
                await self.flush()
            except StoreError as error:
                log.warning("accesses could not be recorded in the audit trail; Inview tries again", fault=str(error))
                self._noted.set()

    async def flush(self) -> None:
        """Write all notes now.

        Raises:
            StoreError: the database cannot be written. The notes are kept.
        """
        async with self._writing:
            noted = tuple(self._waiting)
            if not noted:
                return
            async with self.store.write() as session:
                entries, keys = self._leave_out_equal(await _name_conversations(session, noted))
                if entries:
                    await insert_entries(session, entries)
            self._written |= keys
            del self._waiting[: len(noted)]

    def _leave_out_equal(self, entries: Sequence[AuditEntry]) -> tuple[list[AuditEntry], dict[_Key, float]]:
        """Return the entries to write, and the keys of their reads. Forget the reads that are over a minute old."""
        at = time.monotonic()
        self._written = {key: since for key, since in self._written.items() if at - since < SAME_SECONDS}
        kept: list[AuditEntry] = []
        keys: dict[_Key, float] = {}
        for one in entries:
            key = (one.owner, one.conversation_id, str(one.data.get("what")), one.via, one.address)
            if one.action == AuditAction.READ:
                if key in self._written or key in keys:
                    continue
                keys[key] = at
            kept.append(one)
        return kept, keys


async def _name_conversations(session: AsyncSession, noted: Sequence[AuditEntry]) -> list[AuditEntry]:
    """Return the entries, each with its conversation. An object that was deleted permanently meanwhile has none."""
    unnamed = {(one.owner, one.subject) for one in noted if one.conversation_id is None}
    found = await find_conversations(session, unnamed) if unnamed else {}
    return [
        one if one.conversation_id is not None else replace(one, conversation_id=found.get((one.owner, one.subject)))
        for one in noted
    ]
