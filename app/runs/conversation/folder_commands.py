"""Commands for folders: list, create, change, delete, restore.

    folder = await create_folder(ctx, LOCAL_OWNER, "Work")
    await delete_folder(ctx, LOCAL_OWNER, folder.folder.id, Contents.KEEP)

Not here: moving a conversation to a folder, which is a change of the conversation (`conversation_commands.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession
from typing_extensions import TypedDict

from app.domain.audit import AuditAction
from app.domain.conversation.folders import Folder, clean_name, require_empty, require_free, require_room
from app.runs.app_context import AppContext
from app.runs.audit.audit import audit_all
from app.runs.runtime.event_bus import ConversationChanged, ConversationRemoved
from app.runs.runtime.ids import new_id, now
from app.runs.runtime.shielded import shielded
from app.runs.send.stopping import stop_runs
from app.store.conversation import folders
from app.store.conversation.folders import FolderOf
from app.store.run.deliveries import delete_deliveries
from app.store.trash import trash


class Contents(StrEnum):
    """What happens to the conversations of a folder that is deleted: they leave it, or go to the trash."""

    KEEP = "keep"
    TRASH = "trash"


class FolderChanges(TypedDict, total=False):
    """Changes of a folder. A missing field is not changed."""

    name: str
    metadata_json: str


async def list_folders(ctx: AppContext, owner: str) -> tuple[FolderOf, ...]:
    """List an owner's folders by name, with their numbers of conversations."""
    async with ctx.store.read() as session:
        return await folders.load_folders(session, owner)


async def read_folder(ctx: AppContext, owner: str, folder_id: str) -> FolderOf:
    """Read one folder.

    Raises:
        NotFoundError: this owner has no such folder.
    """
    async with ctx.store.read() as session:
        return await folders.load_folder(session, owner, folder_id)


@shielded
async def create_folder(ctx: AppContext, owner: str, name: str, metadata_json: str = "") -> FolderOf:
    """Create a folder.

    Raises:
        InputError: the name is invalid.
        ConflictError: another folder has this name, or there are too many.
    """
    at = now()
    folder = Folder(new_id(), owner, clean_name(name), at, at, metadata_json)
    async with ctx.store.write() as session:
        known = await _load(session, owner)
        require_free(known, folder.name)
        require_room(known)
        await folders.insert_folder(session, folder)
    ctx.event_bus.publish_list(owner)
    return FolderOf(folder, 0)


@shielded
async def change_folder(ctx: AppContext, owner: str, folder_id: str, changes: FolderChanges) -> FolderOf:
    """Rename a folder, or change its metadata.

    Raises:
        NotFoundError: this owner has no such folder.
        InputError: the name is invalid.
        ConflictError: another folder has this name.
    """
    columns: dict[str, Any] = {**changes, "updated_at": now()}
    async with ctx.store.write() as session:
        await folders.load_folder(session, owner, folder_id)
        if "name" in changes:
            columns["name"] = clean_name(changes["name"])
            require_free(await _load(session, owner), columns["name"], besides=folder_id)
        await folders.update_folder(session, owner, folder_id, columns)
        changed = await folders.load_folder(session, owner, folder_id)
        filed = await trash.list_in_folder(session, owner, folder_id)
    _publish(ctx, owner, filed)
    return changed


@shielded
async def delete_folder(ctx: AppContext, owner: str, folder_id: str, contents: Contents) -> None:
    """Delete a folder. Its conversations leave it, or go to the trash and their running replies are stopped.

    `restore_folder` undoes both.

    Raises:
        NotFoundError: this owner has no such folder.
    """
    if contents is Contents.TRASH:
        async with ctx.store.read() as session:
            await folders.load_folder(session, owner, folder_id)
            filed = await trash.list_in_folder(session, owner, folder_id)
        await stop_runs(ctx, filed)
    at, put = now(), tuple[str, ...]()
    async with ctx.store.write() as session:
        await folders.set_folder_deleted(session, owner, folder_id, at)
        if contents is Contents.TRASH:
            put = await trash.put_folder(session, owner, folder_id, at)
            await delete_deliveries(session, *put)
            await audit_all(session, owner, put, AuditAction.TRASHED)
        await _audit_moved(session, owner, await trash.list_chats_in_folder(session, owner, folder_id))
        filed = await trash.list_in_folder(session, owner, folder_id)
    await stop_runs(ctx, put)  # replies that started since the first stop
    for conversation_id in put:
        ctx.sent_pairs.forget(conversation_id)
        ctx.sizes.forget(conversation_id)
        ctx.event_bus.publish(owner, conversation_id, ConversationRemoved())
    _publish(ctx, owner, filed)


def _publish(ctx: AppContext, owner: str, filed: Iterable[str]) -> None:
    """Publish that a folder changed, also to the open pages of the conversations in it: requests can have its name."""
    for conversation_id in set(filed).intersection(ctx.event_bus.watched(owner)):
        ctx.event_bus.publish(owner, conversation_id, ConversationChanged())
    ctx.event_bus.publish_list(owner)


@shielded
async def undo_create_folder(ctx: AppContext, owner: str, folder_id: str) -> None:
    """Delete a new folder, unless a conversation was moved to it meanwhile.

    Raises:
        NotFoundError: this owner has no such folder.
        ConflictError: the folder has conversations.
    """
    async with ctx.store.write() as session:
        found = await folders.load_folder(session, owner, folder_id)
        require_empty(found.folder, found.count)
        await folders.set_folder_deleted(session, owner, folder_id, now())
    ctx.event_bus.publish_list(owner)


@shielded
async def restore_folder(ctx: AppContext, owner: str, folder_id: str) -> FolderOf:
    """Restore a deleted folder, with the conversations that were in it or went to the trash with it.

    A conversation that was moved to another folder since then stays there. One that was moved to the trash alone stays
    in the trash.

    Raises:
        NotFoundError: this owner has no such deleted folder.
        ConflictError: another folder has its name now, or there are too many.
    """
    async with ctx.store.write() as session:
        folder = (await folders.load_folder(session, owner, folder_id, deleted=True)).folder
        known = await _load(session, owner)
        require_free(known, folder.name)
        require_room(known)
        taken = await trash.take_folder(session, owner, folder_id)
        await audit_all(session, owner, taken, AuditAction.RESTORED)
        here = await trash.list_chats_in_folder(session, owner, folder_id)
        await _audit_moved(session, owner, [one for one in here if one not in set(taken)])
        await folders.set_folder_deleted(session, owner, folder_id, None)
        restored = await folders.load_folder(session, owner, folder_id)
        filed = await trash.list_in_folder(session, owner, folder_id)
    _publish(ctx, owner, filed)
    return restored


async def _audit_moved(session: AsyncSession, owner: str, conversation_ids: Sequence[str]) -> None:
    """Note that these conversations left a folder that was deleted, or are in one that was restored."""
    await audit_all(session, owner, conversation_ids, AuditAction.CHANGED, what="folder_id")


async def _load(session: AsyncSession, owner: str) -> list[Folder]:
    return [one.folder for one in await folders.load_folders(session, owner)]
