"""Commands on folders and on the place of conversations: pinned, archived, in a folder, marked as unread.

    placed = await place_conversations(wb, LOCAL_OWNER, ["c1", "c2"], archived=True)
    await put_back(wb, LOCAL_OWNER, placed)

Placing changes neither a conversation's time nor anything that is sent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from app.domain.conversation.placement import MAX_FOLDERS, Folder, Placement, clean_folder_name
from app.domain.errors import ConflictError, NotFoundError
from app.domain.retention import require_days
from app.runs.process.ids import new_id, now
from app.runs.process.shielded import shielded
from app.runs.workbench import Workbench
from app.store.conversation.conversations import mark_read
from app.store.organise import folders


@dataclass(frozen=True, slots=True)
class DeletedFolder:
    """What brings a folder back: itself, and the conversations that were in it."""

    folder: Folder
    conversation_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Placed:
    """What takes a placing back: where conversations were before, by id, and which parts of that were changed."""

    before: Mapping[str, Placement]
    changed: frozenset[str]


async def list_folders(wb: Workbench, owner: str) -> tuple[Folder, ...]:
    """An owner's folders in alphabetical order."""
    async with wb.store.read() as session:
        return await folders.load_folders(session, owner)


async def read_folder(wb: Workbench, owner: str, folder_id: str) -> Folder:
    """One folder with its count.

    Raises:
        NotFoundError: no such folder of this owner.
    """
    found = next((folder for folder in await list_folders(wb, owner) if folder.id == folder_id), None)
    if found is None:
        raise NotFoundError("folder", folder_id)
    return found


@shielded
async def create_folder(wb: Workbench, owner: str, name: str) -> Folder:
    """A new folder. One of the same name may exist.

    Raises:
        InputError: the name is blank or too long.
        ConflictError: there are too many folders.
    """
    folder = Folder(new_id(), clean_folder_name(name))
    async with wb.store.write() as session:
        if len(await folders.load_folders(session, owner)) >= MAX_FOLDERS:
            raise ConflictError(f"There are {MAX_FOLDERS} folders, the most there can be. Delete one first.")
        await folders.insert_folder(session, owner, folder, now())
    wb.event_bus.publish_list(owner)
    return folder


@shielded
async def rename_folder(wb: Workbench, owner: str, folder_id: str, name: str) -> None:
    """Give a folder another name.

    Raises:
        InputError: the name is blank or too long.
        NotFoundError: no such folder of this owner.
    """
    clean = clean_folder_name(name)
    async with wb.store.write() as session:
        await folders.update_folder(session, owner, folder_id, {"name": clean})
    wb.event_bus.publish_list(owner)


@shielded
async def keep_folder_for(wb: Workbench, owner: str, folder_id: str, days: int | None) -> None:
    """Say after how many days the conversations of a folder go to the trash; None: as those outside, 0: never.

    Raises:
        InputError: that many days are not possible.
        NotFoundError: no such folder of this owner.
    """
    require_days("retention_days", days)
    async with wb.store.write() as session:
        await folders.update_folder(session, owner, folder_id, {"retention_days": days})


@shielded
async def delete_folder(wb: Workbench, owner: str, folder_id: str) -> DeletedFolder:
    """Delete a folder; its conversations stay, in no folder.

    Raises:
        NotFoundError: no such folder of this owner.
    """
    async with wb.store.write() as session:
        folder = await folders.require_folder(session, owner, folder_id)
        ids = await folders.delete_folder(session, owner, folder_id)
    wb.event_bus.publish_list(owner)
    return DeletedFolder(folder, ids)


@shielded
async def restore_folder(wb: Workbench, owner: str, deleted: DeletedFolder) -> None:
    """Bring a folder back, with those of its conversations that are in no other by now."""
    async with wb.store.write() as session:
        if all(folder.id != deleted.folder.id for folder in await folders.load_folders(session, owner)):
            await folders.insert_folder(session, owner, deleted.folder, now())
        there = await folders.load_placements(session, owner, deleted.conversation_ids)
        free = [one for one, placement in there.items() if placement.folder_id is None]
        await folders.write_placement(session, owner, free, {"folder_id": deleted.folder.id})
    wb.event_bus.publish_list(owner)


@shielded
async def place_conversations(  # noqa: PLR0913 - what, and each part of a placement
    wb: Workbench,
    owner: str,
    ids: Sequence[str],
    *,
    pinned: bool | None = None,
    archived: bool | None = None,
    folder_id: str | None = None,
    unread: bool | None = None,
) -> Placed:
    """Place conversations in the list; None leaves a part as it is. What takes that back.

    What is archived is not pinned any more. `folder_id` "": in no folder.

    Raises:
        NotFoundError: one of them, or the folder, is not there, or it is another's. Nothing is changed.
    """
    wanted: dict[str, Any] = {"pinned": pinned, "archived": archived, "unread": unread}
    if archived and pinned is None:
        wanted["pinned"] = False
    columns = {name: value for name, value in wanted.items() if value is not None}
    if folder_id is not None:
        columns["folder_id"] = folder_id or None
    async with wb.store.write() as session:
        if folder_id:
            await folders.require_folder(session, owner, folder_id)
        before = await folders.load_placements(session, owner, ids)
        missing = next((one for one in ids if one not in before), None)
        if missing is not None:
            raise NotFoundError("conversation", missing)
        if columns and ids:
            await folders.write_placement(session, owner, ids, columns)
    wb.event_bus.publish_list(owner)
    return Placed(before, frozenset(columns))


@shielded
async def put_back(wb: Workbench, owner: str, placed: Placed) -> None:
    """Place conversations where they were, as far as they and their folders are there. Other changes since stay."""
    groups: defaultdict[Placement, list[str]] = defaultdict(list)
    for conversation_id, placement in placed.before.items():
        groups[placement].append(conversation_id)
    async with wb.store.write() as session:
        known = {folder.id for folder in await folders.load_folders(session, owner)}
        for placement, ids in groups.items():
            columns = {name: value for name, value in asdict(placement).items() if name in placed.changed}
            if columns.get("folder_id") not in known and "folder_id" in columns:
                columns["folder_id"] = None
            if columns:
                await folders.write_placement(session, owner, ids, columns)
    wb.event_bus.publish_list(owner)


@shielded
async def mark_as_read(wb: Workbench, owner: str, conversation_id: str) -> None:
    """Take the mark of being unread away: a page shows the conversation now. One that is not there changes nothing."""
    async with wb.store.write() as session:
        was_unread = await mark_read(session, owner, conversation_id)
    if was_unread:
        wb.event_bus.publish_list(owner)
