"""Several conversations as one file: Inview's own format as one JSON file, Markdown and pages as a zip archive of them.

    made = await write_bulk_export(wb, LOCAL_OWNER, ["c1", "c2"], ExportFormat.JSON, lambda done: None)
    file = await read_bulk_export(wb, LOCAL_OWNER, made.id)         # to be downloaded, for an hour

One conversation after the other goes to a file in the data folder (`exports/`, a folder for each owner), so that memory
does not grow with them. One JSON file keeps what conversations know of each other: which one was forked from which.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile

from app.domain.errors import InputError, NotFoundError
from app.domain.filters.language.commands import ExportFormat
from app.runs.process.ids import new_id
from app.runs.process.old_files import EXPORTS, delete_old_files
from app.runs.transfer.exports.exporting import CHUNK, WRITERS, Exported, JsonFile, name_file, open_source
from app.runs.workbench import Workbench

MAX_CONVERSATIONS: Final = 1_000
"""Of one file: as many as an import takes."""
KEPT: Final = timedelta(hours=1)
"""How long a file can be downloaded."""
_ID: Final = re.compile(r"[0-9a-z]{16,64}")


@dataclass(frozen=True, slots=True)
class BulkExport:
    """A file that can be downloaded. `size` is in bytes."""

    id: str
    filename: str
    size: int
    conversations: int


async def write_bulk_export(
    wb: Workbench, owner: str, ids: Sequence[str], format_: ExportFormat, progress: Callable[[int], None]
) -> BulkExport:
    """Write these conversations whole, each once. `progress` gets the number of those written.

    Raises:
        NotFoundError: one of them is not there, or it is another's.
        InputError: there are none or too many; or the JSON file would be larger than one that can be imported.
    """
    wanted = tuple(dict.fromkeys(ids))
    if not 0 < len(wanted) <= MAX_CONVERSATIONS:
        reason = f"has {len(wanted)} conversations. Choose between 1 and {MAX_CONVERSATIONS:,}."
        raise InputError("conversation_ids", reason)
    made_id, folder = new_id(), folder_of(wb, owner)
    await asyncio.to_thread(folder.mkdir, mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{made_id}.{'json' if format_ is ExportFormat.JSON else 'zip'}"
    write = _write_json if format_ is ExportFormat.JSON else _write_archive
    try:
        await write(_Order(wb, owner, wanted, format_, progress), path)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return BulkExport(made_id, _name(path), path.stat().st_size, len(wanted))


async def read_bulk_export(wb: Workbench, owner: str, export_id: str) -> Exported:
    """The file, to be sent to a browser.

    Raises:
        NotFoundError: there is none of this id, or it is an hour old.
    """
    paths = [folder_of(wb, owner) / f"{export_id}.{ending}" for ending in ("json", "zip")]
    path = next((path for path in paths if _ID.fullmatch(export_id) and path.is_file()), None)
    if path is None:
        raise NotFoundError("export", export_id)
    return Exported(_name(path), path.stat().st_size, _read(path))


async def sweep_bulk_exports(wb: Workbench, at: datetime) -> int:
    """Delete the files that are old enough; how many there were."""
    return await asyncio.to_thread(delete_old_files, _root(wb), at - KEPT)


@dataclass(frozen=True, slots=True)
class _Order:
    """What is to be written, and who is told how far it is."""

    wb: Workbench
    owner: str
    ids: Sequence[str]
    format: ExportFormat
    progress: Callable[[int], None]


async def _write_json(order: _Order, path: Path) -> None:
    with path.open("wb") as file:
        written = JsonFile(file)
        for number, conversation_id in enumerate(order.ids, start=1):
            async with order.wb.store.read() as session:
                await written.add(await open_source(session, order.owner, conversation_id))
            if len(order.ids) > 1 and (written.is_too_large or written.left_out):
                reason = (
                    f"would make a file that is too large to be imported, at conversation {number} of {len(order.ids)}."
                )
                raise InputError("conversation_ids", f"{reason} Choose fewer, or export them as Markdown or HTML.")
            order.progress(number)
            await asyncio.sleep(0)
        async with order.wb.store.read() as session:
            await written.close(session, order.owner)


async def _write_archive(order: _Order, path: Path) -> None:
    names = set[str]()
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for number, conversation_id in enumerate(order.ids, start=1):
            async with order.wb.store.read() as session:
                source = await open_source(session, order.owner, conversation_id)
                with archive.open(name_once(source.name, order.format, names), "w", force_zip64=True) as file:
                    await WRITERS[order.format](source, file)
            order.progress(number)
            await asyncio.sleep(0)


def name_once(name: str, format_: ExportFormat, names: set[str]) -> str:
    """A name that no file of the archive has yet, also where upper and lower case are one."""
    found, number = name_file(name, format_), 1
    while found.casefold() in names:
        number += 1
        found = name_file(f"{name[:80]} ({number})", format_)
    names.add(found.casefold())
    return found


def _name(path: Path) -> str:
    written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return f"conversations-{written:%Y-%m-%d}{path.suffix}"


async def _read(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as file:
        while chunk := await asyncio.to_thread(file.read, CHUNK):
            yield chunk


def _root(wb: Workbench) -> Path:
    return wb.settings.data_dir / EXPORTS


def folder_of(wb: Workbench, owner: str) -> Path:
    """The folder of the files that a person can download."""
    return _root(wb) / owner
