"""The entry of a restore in the audit trail, made by the first start after it.

Until then the restored database is row by row the one of the backup, which `inview verify` shows by their digests.
"""

from __future__ import annotations

import asyncio

from app.domain.people.audit import COMMAND_LINE, AuditEntry
from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.runs.process.ids import now
from app.runs.workbench import Workbench
from app.store.audit.entries import insert_entry
from app.store.backup.manifest import RESTORED


async def enter_restored(wb: Workbench) -> None:
    """Enter that the installation was restored from a backup, if it was since its last start."""
    left = wb.settings.data_dir / RESTORED
    if await asyncio.to_thread(left.is_file):
        async with wb.store.write() as session:
            entry = AuditEntry(now(), COMMAND_LINE, AuditAction.RESTORED, ObjectKind.INSTALLATION, "")
            await insert_entry(session, entry)
        await asyncio.to_thread(left.unlink)
