"""Folders of the list: made, renamed, deleted, with Undo. Moving conversations is in `placement.py`."""

from __future__ import annotations

from typing import Any, Final, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.errors import InviewError
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.library.folder_commands import (
    DeletedFolder,
    create_folder,
    delete_folder,
    rename_folder,
    restore_folder,
)
from app.runs.workbench import current
from app.state.faults import describe_fault
from app.state.inputs import text_in
from app.state.sidebar import CHATS, FOLDER, SidebarState
from app.state.toasts import show_fault, show_toast

MAX_ID: Final = 64
MAX_NAME: Final = 1_000
MAX_UNDOS: Final = 20


class FolderState(rx.State):
    """The dialog that names a folder is `open`; `renamed` is the folder, "" for a new one, `name` what it is called."""

    open: rx.Field[bool] = rx.field(default=False)
    renamed: rx.Field[str] = rx.field("")
    name: rx.Field[str] = rx.field("")
    fault: rx.Field[str] = rx.field("")
    _deleted: tuple[DeletedFolder, ...] = ()

    @rx.event
    async def ask_new(self) -> None:
        """Ask for the name of a new folder."""
        self.open, self.renamed, self.name, self.fault = True, "", "", ""

    @rx.event
    async def ask_rename(self, folder_id: str) -> None:
        """Ask for another name of a folder."""
        folders = (await self.get_state(SidebarState)).folders
        found = next((folder for folder in folders if folder.id == folder_id), None)
        if found is not None:
            self.open, self.renamed, self.name, self.fault = True, found.id, found.name, ""

    @rx.event
    async def close(self) -> None:
        """Change nothing."""
        self.open = False

    @rx.event
    async def save(self, form: dict[str, Any]) -> Any:
        """Give the folder the name in the form; a new one is shown."""
        name = text_in(form.get("name"), MAX_NAME) or ""
        try:
            if self.renamed:
                await rename_folder(current(), caller(), self.renamed, name)
                self.open = False
                return SidebarState.load
            folder = await create_folder(current(), caller(), name)
        except InviewError as error:
            self.fault = describe_fault(error)
            return None
        self.open = False
        return [SidebarState.load, SidebarState.show_kind(f"{FOLDER}{folder.id}")]

    @rx.event
    async def delete(self, folder_id: str) -> Any:
        """Delete a folder; its conversations stay, in no folder."""
        try:
            deleted = await delete_folder(current(), caller(), text_in(folder_id, MAX_ID) or "")
        except InviewError as error:
            await show_fault(self, error)
            return SidebarState.load
        self._deleted = (*self._deleted, deleted)[-MAX_UNDOS:]
        undo = cast("EventSpec", FolderState.restore(deleted.folder.id))
        await show_toast(self, translate("list.folder_deleted", name=deleted.folder.name), undo=undo)
        return [SidebarState.show_kind(CHATS), SidebarState.load]

    @rx.event
    async def restore(self, folder_id: str) -> Any:
        """Bring a folder back that was deleted in this tab, with what was in it. For Undo."""
        deleted = next((each for each in self._deleted if each.folder.id == folder_id), None)
        if deleted is None:
            return None
        await restore_folder(current(), caller(), deleted)
        return [SidebarState.load, SidebarState.show_kind(f"{FOLDER}{folder_id}")]
