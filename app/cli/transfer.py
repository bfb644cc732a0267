"""`inview export` and `inview import`: what the page exports and imports, from a shell, also beside a server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import orjson
from sqlalchemy import select

from app.domain.conversation.conversation import ConversationKind
from app.domain.errors import InputError, NotFoundError
from app.domain.filters.language.commands import ExportFormat
from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.domain.people.people import clean_email
from app.runs.people.audit import note
from app.runs.process.ids import new_id
from app.runs.send.commands import LOCAL_OWNER
from app.runs.transfer.exports.exporting import Exported, export_conversation
from app.runs.transfer.imports.staging import carry_out_import, receive_import
from app.runs.wiring import open_quietly
from app.runs.workbench import Workbench
from app.settings import Settings
from app.store.backup.working_folder import publish, working_folder
from app.store.conversation.rows import CONVERSATION
from app.store.people import people
from app.views.imports import ImportStatus, ImportView

Say = Callable[[str], object]
READ: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ExportWish:
    """What is to be exported: whose (an e-mail address), which conversations (none: all chats), as what, and where to.

    `out` is a folder, which is made if need be; for one conversation it may be the name of the file.
    """

    out: Path
    ids: tuple[str, ...] = ()
    owner: str | None = None
    format_: ExportFormat = ExportFormat.JSON

    def place(self) -> tuple[Path, Path | None]:
        """The folder for the files, made if need be; and the file, if it has a name already."""
        out = self.out.expanduser().absolute()
        into_folder = len(self.ids) != 1 or out.is_dir()
        folder = out if into_folder else out.parent
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder, None if into_folder else out


async def export_to(settings: Settings, wish: ExportWish, say: Say) -> int:
    """Write conversations, each into a file of its own; return how many.

    Raises:
        NotFoundError: there is no such person or conversation.
        BackupError: a file of that name exists.
    """
    async with open_quietly(settings) as wb:
        owner_id = await find_owner(wb, wish.owner)
        chosen = wish.ids or await _list_chats(wb, owner_id)
        folder, file = wish.place()
        with working_folder(folder) as work:
            for number, conversation_id in enumerate(chosen):
                note(AuditAction.CONVERSATION_EXPORTED, ObjectKind.CONVERSATION, conversation_id)
                exported = await export_conversation(wb, owner_id, conversation_id, wish.format_)
                draft = work / str(number)
                await _write(exported, draft)
                left_out = _list_left_out(draft) if wish.format_ is ExportFormat.JSON else ""
                target = file or _free_name(folder, exported.filename)
                publish(draft, target)
                say(f"{target}{f' (without {left_out})' if left_out else ''}")
    return len(chosen)


async def import_files(settings: Settings, owner: str | None, files: Sequence[Path], say: Say) -> bool:
    """Bring what is new in these files, one after the other, and report of each; whether all could be brought.

    Raises:
        NotFoundError: there is no such person.
        InputError: a file is not there.
    """
    sizes = {path: _measure(path) for path in files}
    whole = True
    # In a folder of its own: a server takes imports in the data folder that it does not know for interrupted ones.
    with working_folder(settings.data_dir) as work:
        async with open_quietly(replace(settings, data_dir=work)) as wb:
            owner_id = await find_owner(wb, owner)
            note(AuditAction.CONVERSATION_IMPORTED, ObjectKind.IMPORT, "")
            for path, size in sizes.items():
                view = await receive_import(wb, owner_id, new_id(), path.name, _read(path), size)
                if view.status is ImportStatus.READY:
                    view = await carry_out_import(wb, owner_id, view.id)
                whole &= view.status is ImportStatus.DONE and not view.fault_count
                for line in describe_import(view):
                    say(line)
    return whole


async def find_owner(wb: Workbench, owner: str | None) -> str:
    """The id of a person by their e-mail address; without one, the local owner, who is the first owner too.

    Raises:
        NotFoundError: nobody has this address.
    """
    if owner is None:
        return LOCAL_OWNER
    async with wb.store.read() as session:
        found = await people.find_by_email(session, clean_email(owner))
    if found is None:
        raise NotFoundError("person", owner)
    return found[0].id


def describe_import(view: ImportView) -> list[str]:
    """What a person is told of an import: what came, what did not, and why."""
    if view.status is not ImportStatus.DONE:
        return [f"{view.file_name}: nothing was imported. {view.message}"]
    brought = f"{view.brought_count:,} imported with {view.brought_pairs:,} pairs, {view.known:,} here already"
    others = f"{view.changed:,} brought anew, {view.kept:,} left as changed here"
    lines = [f"{view.file_name} ({view.format}): {brought}, {others}."]
    lines += [f"    {one.id}  {one.title}" for one in view.brought]
    if view.brought_count > len(view.brought):
        lines.append(f"    and {view.brought_count - len(view.brought):,} more")
    lines += [f"    left out: {one.count:,} {one.what}" for one in view.left_out]
    lines += [f"    not imported: {one.name}: {one.reason}" for one in view.faults]
    if view.fault_count > len(view.faults):
        lines.append(f"    and {view.fault_count - len(view.faults):,} more that were not imported")
    return lines


def _measure(path: Path) -> int:
    if not path.is_file():
        raise InputError(str(path), "is not there, or is no file. Nothing was imported.")
    return path.stat().st_size


async def _list_chats(wb: Workbench, owner: str) -> tuple[str, ...]:
    query = (
        select(CONVERSATION.c.id)
        .where(
            CONVERSATION.c.owner == owner,
            CONVERSATION.c.kind == ConversationKind.AGENT,
            CONVERSATION.c.deleted_at.is_(None),
        )
        .order_by(CONVERSATION.c.created_at, CONVERSATION.c.id)
    )
    async with wb.store.read() as session:
        return tuple((await session.execute(query)).scalars())


async def _write(exported: Exported, draft: Path) -> None:
    with draft.open("xb") as file:
        async for chunk in exported.chunks:
            file.write(chunk)


async def _read(path: Path) -> AsyncGenerator[bytes, None]:
    with path.open("rb") as file:
        while chunk := await asyncio.to_thread(file.read, READ):
            yield chunk


def _free_name(folder: Path, name: str) -> Path:
    """The name, with a number where there is such a file."""
    path, number = folder / name, 1
    while path.exists():
        number += 1
        path = (folder / name).with_name(f"{Path(name).stem} ({number}){Path(name).suffix}")
    return path


def _list_left_out(path: Path) -> str:
    """What a file of Inview's own format says that it lacks."""
    return ", ".join(orjson.loads(path.read_bytes())["conversations"][0]["left_out"])
