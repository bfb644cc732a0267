"""Imports: a file is kept, read and described; once a person has seen what it will bring, it is brought.

    view = await receive_import(wb, LOCAL_OWNER, new_id(), "export.zip", chunks, size)     # nothing is stored yet
    view = await carry_out_import(wb, LOCAL_OWNER, view.id)
    view = await undo_import(wb, LOCAL_OWNER, view.id)                                      # to the trash

The file and what is known of it lie in the data folder (`imports/`, a folder for each owner) for a day, so that any
process can go on with them. A conversation is stored whole or not at all (`storing.py`), one after the other: when
the import ends early, those that are there stay, and the same file brings the others. Why: docs/decisions/0086.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable
from datetime import datetime, timedelta
from typing import Final

from app.domain.errors import ConflictError, InviewError
from app.domain.transfer.formats import INVIEW
from app.runs.process.old_files import delete_old_files
from app.runs.process.shielded import shielded
from app.runs.send.commands import delete_conversation
from app.runs.transfer.imports.job import ImportJob, imports_folder, imports_root
from app.runs.transfer.imports.scan import EndedError
from app.runs.workbench import Workbench
from app.store.organise.imports import list_of_import
from app.views.imports import ImportStatus, ImportView

KEPT: Final = timedelta(days=1)
"""How long a file waits for its import, and what is known of it is kept."""


async def receive_import(  # noqa: PLR0913, PLR0917 - whose, which, and the file
    wb: Workbench, owner: str, import_id: str, file_name: str, chunks: AsyncIterable[bytes], size: int
) -> ImportView:
    """Keep a file and describe what it would bring. `size`: its bytes as announced, 0 if unknown.

    Raises:
        InputError: the file is too large.
        ConflictError: there is an import of this id.
    """
    job = ImportJob(wb, owner, import_id)
    with job.under_way():
        await asyncio.to_thread(job.begin, file_name[:200], size)
        try:
            await job.receive(chunks)
            await job.describe()
        except BaseException as error:
            await asyncio.shield(asyncio.to_thread(job.fail, error))
            if not isinstance(error, InviewError | EndedError):
                raise
    return job.view


async def read_import(wb: Workbench, owner: str, import_id: str) -> ImportView:
    """How far an import is.

    Raises:
        NotFoundError: there is none of this id, or it is a day old.
    """
    return await asyncio.to_thread(ImportJob(wb, owner, import_id).load)


async def find_interrupted(wb: Workbench, owner: str) -> ImportView | None:
    """The newest import whose process was killed in the middle of it, once: from then on it has failed."""
    return await asyncio.to_thread(_find_interrupted, wb, owner)


def _find_interrupted(wb: Workbench, owner: str) -> ImportView | None:
    notes = sorted(imports_folder(wb, owner).glob("*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
    jobs = (ImportJob(wb, owner, path.stem) for path in notes)
    return next((job.view for job in jobs if job.load_interrupted()), None)


@shielded
async def carry_out_import(wb: Workbench, owner: str, import_id: str) -> ImportView:
    """Bring what is not here yet.

    Raises:
        NotFoundError: there is no import of this id.
        ConflictError: it is under way, or over.
    """
    job = ImportJob(wb, owner, import_id)
    view = await asyncio.to_thread(job.load)
    if view.status is not ImportStatus.READY:
        raise ConflictError(f"This import is {view.status.value}. Choose the file again to import it once more.")
    with job.under_way():
        job.tell(status=ImportStatus.IMPORTING, done=0, total=view.conversations, known=0, changed=0, kept=0)
        try:
            await (job.bring_own() if view.format == INVIEW else job.bring())
        except (InviewError, EndedError) as error:
            job.fail(error)
        except BaseException as error:
            job.fail(error)
            raise
    await asyncio.to_thread(job.file.unlink, missing_ok=True)
    return job.view


@shielded
async def undo_import(wb: Workbench, owner: str, import_id: str) -> ImportView:
    """Move what an import brought to the trash. What it replaced stays there too, and can be restored.

    Raises:
        NotFoundError: there is no import of this id.
    """
    job = ImportJob(wb, owner, import_id)
    await asyncio.to_thread(job.load)
    async with wb.store.read() as session:
        brought = await list_of_import(session, owner, import_id)
    for conversation_id in brought:
        await delete_conversation(wb, owner, conversation_id)
    wb.event_bus.publish_list(owner)
    job.tell(status=ImportStatus.UNDONE)
    return job.view


async def drop_import(wb: Workbench, owner: str, import_id: str) -> None:
    """Forget a file that is not to be imported.

    Raises:
        NotFoundError: there is no import of this id.
        ConflictError: it is under way.
    """
    job = ImportJob(wb, owner, import_id)
    view = await asyncio.to_thread(job.load)
    if view.status is ImportStatus.IMPORTING:
        raise ConflictError("This import is under way. Wait until it is over, then undo it.")
    await asyncio.to_thread(job.forget)


async def sweep_imports(wb: Workbench, at: datetime) -> int:
    """Delete the files and notes of imports that were not continued for `KEPT`; return how many files."""
    return await asyncio.to_thread(delete_old_files, imports_root(wb), at - KEPT)
