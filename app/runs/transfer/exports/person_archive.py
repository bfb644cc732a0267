"""Everything about a person as one zip archive: their conversations as files, their files, and every row about them.

    made_id = await write_person_export(wb, caller(), lambda done, total: None)     # GET /api/v1/exports/{made_id}
    await write_archive(store, person_id, path, progress)

`conversations/` has Inview's own format, which can be imported. `files/` are attachments, by their ids. `tables/` has a
file of JSON lines for each table that has something of a person: profile, sessions, prompts, agents, settings, ledger,
what was sent, audit and all others. Keys, passwords and their hashes are in none of them.
"""

from __future__ import annotations

import asyncio
import os
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile

from sqlalchemy import Table

from app.domain.filters.language.commands import ExportFormat
from app.runs.process.ids import new_id
from app.runs.transfer.exports.bulk import folder_of, name_once
from app.runs.transfer.exports.exporting import IN_MEMORY, WRITERS, open_source
from app.runs.workbench import Workbench
from app.store.conversation.rows_attachment import ATTACHMENT
from app.store.database.database import Store
from app.store.people.everything import list_conversations, list_tables, read_rows
from app.views.encode import to_json

_IN_FILES: Final = (ATTACHMENT.name, "data")
Progress = Callable[[int, int], None]

_README: Final = """\
Everything that this Inview has about you, as of the moment it was written.

conversations/  your conversations in Inview's own format: import them anywhere with Import
files/          what you attached, under the ids that conversations name
tables/         every record about you, one JSON object on each line: person (your profile), session (where you
                signed in), agent, prompt, preference, ledger (each call and its tokens), sent_call and sent_piece
                (what went to providers), tool_call, audit and all others

Keys, passwords and their hashes are not in it.
"""


async def write_person_export(wb: Workbench, owner: str, progress: Progress) -> str:
    """Write the archive where it can be downloaded for an hour; return its id.

    `progress` gets the numbers of conversations: written, and in all.
    """
    made_id, folder = new_id(), folder_of(wb, owner)
    await asyncio.to_thread(folder.mkdir, mode=0o700, parents=True, exist_ok=True)
    await write_archive(wb.store, owner, folder / f"{made_id}.zip", progress)
    return made_id


async def write_archive(store: Store, person_id: str, path: Path, progress: Progress) -> None:
    """Write the archive to a new file that its owner alone can read. If that fails, nothing stays.

    Raises:
        FileExistsError: there is such a file.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file, ZipFile(file, "w", ZIP_DEFLATED) as archive:
            archive.writestr("README.txt", _README)
            await _write_conversations(archive, store, person_id, progress)
            for table in list_tables():
                await _write_table(archive, store, table, person_id)
    except BaseException:
        os.unlink(path)  # noqa: PTH108 - at once, whatever ends this task
        raise


async def _write_conversations(archive: ZipFile, store: Store, person_id: str, progress: Progress) -> None:
    async with store.read() as session:
        ids = await list_conversations(session, person_id)
    names = set[str]()
    progress(0, len(ids))
    for number, conversation_id in enumerate(ids, start=1):
        async with store.read() as session:
            source = await open_source(session, person_id, conversation_id)
            name = name_once(source.name, ExportFormat.JSON, names)
            with SpooledTemporaryFile[bytes](max_size=IN_MEMORY) as written:  # a member of an archive has no `tell`
                await WRITERS[ExportFormat.JSON](source, written)
                written.seek(0)
                with archive.open(f"conversations/{name}", "w", force_zip64=True) as file:
                    await asyncio.to_thread(copyfileobj, written, file)
        progress(number, len(ids))
        await asyncio.sleep(0)


async def _write_table(archive: ZipFile, store: Store, table: Table, person_id: str) -> None:
    """Write the rows of a table as they come; the bytes of attachments before, as an archive has one open file."""
    async with store.read() as session:
        if table is ATTACHMENT:
            async for row in read_rows(session, table, person_id):
                await asyncio.to_thread(archive.writestr, f"files/{row['id']}", row["data"])
        with archive.open(f"tables/{table.name}.jsonl", "w", force_zip64=True) as file:
            async for row in read_rows(session, table, person_id):
                told = {name: _write_value(value) for name, value in row.items() if (table.name, name) != _IN_FILES}
                await asyncio.to_thread(file.write, to_json(told) + b"\n")


def _write_value(value: Any) -> Any:
    """Bytes as text where they are one, else as base64."""
    if not isinstance(value, bytes):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(value).decode()}
