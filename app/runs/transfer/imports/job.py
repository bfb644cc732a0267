"""One import as a job of this process: its file and its note in the data folder, and the steps from file to rows.

    job = ImportJob(wb, owner, import_id)
    with job.under_way():
        await job.receive(chunks)
        await job.describe()

Not here: what a person may do with an import, and when (`staging.py`).
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from collections.abc import AsyncIterable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter

from app.domain.errors import ConflictError, InputError, InviewError, NotFoundError
from app.domain.transfer.formats import INVIEW
from app.runs.process.ids import now
from app.runs.process.old_files import IMPORTS
from app.runs.send.commands import delete_conversation
from app.runs.transfer.exports.own_json import MAX_FILE_BYTES
from app.runs.transfer.foreign.archive import Archive
from app.runs.transfer.foreign.files import find_files
from app.runs.transfer.foreign.reader import Found, Reading, Unread, is_own, reading
from app.runs.transfer.foreign.writer import write_foreign
from app.runs.transfer.imports.check import CheckedConversation, CheckedFile, check_file
from app.runs.transfer.imports.file import read_file
from app.runs.transfer.imports.scan import EndedError, FaultError, Rest
from app.runs.transfer.imports.storing import ENDED, ImportedOne, UnfinishedImportError, import_file, in_thread
from app.runs.transfer.imports.summary import Summary, Tally
from app.runs.workbench import Workbench
from app.store.organise.imports import Imported, Origin, load_imported
from app.views.encode import to_json
from app.views.imports import MOVING, ImportStatus, ImportView

MAX_FILE: Final = 2 * 1024**3
"""Bytes of a file that is handed in."""
WRITE: Final = 1024 * 1024
AT_ONCE: Final = 100
"""Conversations that are looked at before the database is asked which are here."""
TELL_SECONDS: Final = 0.3
ID: Final = r"^[0-9a-z]{16,64}$"
_views: Final = TypeAdapter(ImportView)
_under_way: Final = set[Path]()
"""The notes of imports that this process is at work on. Another one that says it is moving has lost its process."""
CUT_OFF: Final = "Inview was ended meanwhile. What was imported is here; choose the file again to import the rest."
CUT_OFF_BEFORE: Final = "Inview was ended before the file was read. Choose the file again."


def imports_root(wb: Workbench) -> Path:
    """Return the folder that has a folder of imports for each owner."""
    return wb.settings.data_dir / IMPORTS


def imports_folder(wb: Workbench, owner: str) -> Path:
    """Return the folder of an owner's imports."""
    return imports_root(wb) / owner


@dataclass(eq=False)
class ImportJob:
    """One import: `file` is what was handed in, `note` beside it says how far it is."""

    wb: Workbench
    owner: str
    id: str
    view: ImportView = field(init=False)
    told_at: float = 0.0
    rest: Rest = field(default_factory=Rest)

    def __post_init__(self) -> None:
        if not re.fullmatch(ID, self.id):
            raise NotFoundError("import", self.id)
        self.view = ImportView(self.id)

    @property
    def folder(self) -> Path:
        return imports_folder(self.wb, self.owner)

    @property
    def file(self) -> Path:
        return self.folder / f"{self.id}.file"

    @property
    def note(self) -> Path:
        return self.folder / f"{self.id}.json"

    def begin(self, file_name: str, size: int) -> None:
        imports_root(self.wb).mkdir(mode=0o700, exist_ok=True)
        self.folder.mkdir(mode=0o700, exist_ok=True)
        try:
            self.note.open("xb").close()
        except FileExistsError:
            raise ConflictError("There is an import of this id already.") from None
        self.tell(file_name=file_name, total=size)

    def load(self) -> ImportView:
        try:
            self.view = _views.validate_json(self.note.read_bytes())
        except (FileNotFoundError, ValueError) as error:
            raise NotFoundError("import", self.id) from error
        self._end_interrupted()
        return self.view

    def load_interrupted(self) -> bool:
        """Load it, and return whether its process was killed since it was looked at last."""
        try:
            self.view = _views.validate_json(self.note.read_bytes())
        except (FileNotFoundError, ValueError):
            return False
        return self._end_interrupted()

    def _end_interrupted(self) -> bool:
        if self.view.status not in MOVING or self.note in _under_way:
            return False
        self.file.unlink(missing_ok=True)
        begun = self.view.status is ImportStatus.IMPORTING
        self.tell(status=ImportStatus.FAILED, message=CUT_OFF if begun else CUT_OFF_BEFORE)
        return True

    @contextmanager
    def under_way(self) -> Generator[None]:
        """While this process is at work on it."""
        if self.note in _under_way:
            raise ConflictError("There is an import of this id already.")
        _under_way.add(self.note)
        try:
            yield
        finally:
            _under_way.discard(self.note)

    def tell(self, **changes: Any) -> None:
        """Note how far it is."""
        self.view = replace(self.view, **changes)
        self.told_at = time.monotonic()
        beside = self.note.with_suffix(".new")
        beside.write_bytes(to_json(self.view))
        beside.replace(self.note)

    def tell_sometimes(self, **changes: Any) -> None:
        if time.monotonic() - self.told_at > TELL_SECONDS:
            self.tell(**changes)

    def fail(self, error: BaseException) -> None:
        self.file.unlink(missing_ok=True)
        match error:
            case EndedError():
                message = ENDED
            case InputError(field="file"):
                message = f"The file {error.reason}"
            case FaultError():
                message = f"{error.field} {error.reason}"
            case InviewError():
                message = str(error)
            case _:
                message = "The file did not arrive whole, or the import broke off. Choose the file again."
        self.tell(status=ImportStatus.FAILED, message=message)

    def forget(self) -> None:
        self.file.unlink(missing_ok=True)
        self.note.unlink(missing_ok=True)

    # --- a file comes ---

    async def receive(self, chunks: AsyncIterable[bytes]) -> None:
        received, waiting = 0, bytearray()
        with self.file.open("wb") as file:
            async for chunk in chunks:
                received += len(chunk)
                if received > MAX_FILE:
                    raise InputError("file", f"is larger than {MAX_FILE // 2**30} GiB. Import it in parts.")
                waiting += chunk
                if len(waiting) >= WRITE:
                    await asyncio.to_thread(file.write, bytes(waiting))
                    waiting.clear()
                    self.tell_sometimes(done=received)
            await asyncio.to_thread(file.write, bytes(waiting))
        if not received:
            raise InputError("file", "is empty. Choose another one.")

    async def describe(self) -> None:
        """Say what the file would bring."""
        self.tell(status=ImportStatus.READING, done=0, total=self.file.stat().st_size)
        if await asyncio.to_thread(is_own, self.file):
            await self._describe_own(await self._check_own())
            return
        with reading(self.file, self.rest) as found:
            self.tell(total=found.archive.size)
            summary = Summary()
            items = iter(found)
            while some := await in_thread(self.wb, self.rest, lambda: _take(items)):
                await self._look_at(some, summary)
                self.tell_sometimes(done=found.done, **summary.told())
        if not summary.count and not summary.tally.fault_count:
            raise InputError("file", "holds no conversations.")
        if not summary.count:
            raise InputError("file", f"holds nothing that can be imported: {summary.tally.faults[0].reason}")
        self.tell(status=ImportStatus.READY, done=self.view.total, **summary.told())

    async def _look_at(self, some: list[Found | Unread], summary: Summary) -> None:
        found = await in_thread(self.wb, self.rest, lambda: summary.add(some))
        known = await self._known(found)
        for one in found:
            summary.compare(known.get((one.format.key, one.foreign_id)), one.digest)

    async def _known(self, found: list[Found]) -> dict[tuple[str, str], Imported]:
        known: dict[tuple[str, str], Imported] = {}
        for key in {one.format.key for one in found}:
            ids = [one.foreign_id for one in found if one.format.key == key]
            async with self.wb.store.read() as session:
                here = await load_imported(session, self.owner, key, ids)
            known |= {(key, foreign_id): one for foreign_id, one in here.items()}
        return known

    # --- it is brought ---

    async def bring(self) -> None:
        tally, seen, done = Tally(), set[tuple[str, str]](), 0
        counts: Counter[str] = Counter()
        with reading(self.file, self.rest) as found:
            items = iter(found)
            while some := await in_thread(self.wb, self.rest, lambda: _take(items, 1)):
                for one in some:
                    if isinstance(one, Unread):
                        tally.fault(one.name, one.reason)
                        continue
                    done += 1
                    if (key := (one.format.key, one.foreign_id)) not in seen:
                        seen.add(key)
                        await self._bring_one(one, found, tally, counts)
                self.tell_sometimes(done=done, **counts, **tally.told())
        self.tell(status=ImportStatus.DONE, done=done, **counts, **tally.told())

    async def _bring_one(self, one: Found, found: Reading, tally: Tally, counts: Counter[str]) -> None:
        known = (await self._known([one])).get((one.format.key, one.foreign_id))
        if known is not None and known.digest == one.digest:
            counts["known"] += 1
            return
        if known is not None and not known.untouched:
            counts["kept"] += 1
            return
        try:
            made = await self._store(one, found.archive, tally)
        except UnfinishedImportError:
            raise
        except (InputError, ConflictError) as error:
            tally.fault(one.conversation.title, str(error))
            return
        tally.bring(made)
        if known is not None:
            counts["changed"] += 1
            await delete_conversation(self.wb, self.owner, known.conversation_id)

    async def _store(self, one: Found, archive: Archive, tally: Tally) -> tuple[ImportedOne, ...]:
        files = await find_files(one.conversation, archive)
        at = now()
        file = await in_thread(
            self.wb, self.rest, lambda: write_foreign(one.conversation, one.format.key, files, self.owner, at)
        )
        tally.lacking.update(file.left_out)
        if not file.pairs:
            tally.lacking["conversations without messages"] += 1
            return ()
        foreign = {file.main: (one.foreign_id, one.digest)}
        foreign |= {fork: (f"{one.foreign_id[:150]}#{number}", "") for number, fork in enumerate(file.forks, start=1)}
        return await import_file(self.wb, self.owner, file.body, Origin(self.id, one.format.key, foreign))

    # --- Inview's own format ---

    async def _check_own(self) -> CheckedFile:
        if self.file.stat().st_size > MAX_FILE_BYTES:
            most = MAX_FILE_BYTES // 2**20
            raise InputError(
                "file", f"is larger than {most} MiB, the most for Inview's own format. Import it in parts."
            )
        body = await asyncio.to_thread(self.file.read_bytes)
        at = now()
        return await in_thread(self.wb, self.rest, lambda: check_file(read_file(body, self.rest), self.owner, at))

    async def _describe_own(self, checked: CheckedFile) -> None:
        known = await self._known_own(checked)
        summary = Summary(format=INVIEW)
        for one in checked.conversations:
            conversation = one.conversation
            summary.count += 1
            summary.pairs += len(one.positions)
            summary.note(conversation.title, conversation.created_at, conversation.updated_at)
            summary.compare(known.get(conversation.id), _digest_own(one))
        self.tell(status=ImportStatus.READY, done=self.view.total, **summary.told())

    async def _known_own(self, checked: CheckedFile) -> dict[str, Imported]:
        ids = [one.conversation.id for one in checked.conversations]
        async with self.wb.store.read() as session:
            return await load_imported(session, self.owner, INVIEW, ids)

    async def bring_own(self) -> None:
        checked = await self._check_own()
        known = await self._known_own(checked)
        tally, counts = Tally(), Counter[str]()
        wanted: dict[str, tuple[str, str]] = {}
        for one in checked.conversations:
            here, digest = known.get(one.conversation.id), _digest_own(one)
            if here is not None and here.digest == digest:
                counts["known"] += 1
            elif here is not None and not here.untouched:
                counts["kept"] += 1
            else:
                counts["changed"] += here is not None
                wanted[one.conversation.id] = (one.conversation.id, digest)
        if wanted:
            body = await asyncio.to_thread(self.file.read_bytes)
            tally.bring(await import_file(self.wb, self.owner, body, Origin(self.id, INVIEW, wanted)))
        for foreign_id in wanted:
            if (before := known.get(foreign_id)) is not None:
                await delete_conversation(self.wb, self.owner, before.conversation_id)
        self.tell(status=ImportStatus.DONE, done=len(checked.conversations), **counts, **tally.told())


def _take(items: Iterator[Found | Unread], count: int = AT_ONCE) -> list[Found | Unread]:
    """The next ones, for as long as a person would wait for news."""
    taken, until = list[Found | Unread](), time.monotonic() + TELL_SECONDS
    for one in items:
        taken.append(one)
        if len(taken) == count or time.monotonic() > until:
            break
    return taken


def _digest_own(one: CheckedConversation) -> str:
    """What changes with a conversation of Inview's own, as far as it is cheap to say."""
    return f"{one.conversation.updated_at.isoformat()} {len(one.positions)} {one.node_count}"
