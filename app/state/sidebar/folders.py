"""The folders of the left column: their menu, their dialogs, and moving a conversation to one of them.

The list with the folders and the rows in them is in `sidebar.py`.

    await tab.send(FolderState.ask_move, {"conversation_id": "c1"})
    await tab.send(FolderState.create_and_move, {"form": {"name": "Work"}})
"""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, Final, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.conversation.folders import MAX_NAME
from app.domain.errors import InviewError, NotFoundError
from app.runs.app_context import current
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation
from app.runs.conversation.folder_commands import (
    Contents,
    change_folder,
    create_folder,
    delete_folder,
    list_folders,
    read_folder,
    restore_folder,
    undo_create_folder,
)
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.messages.error_messages import describe_fault
from app.state.messages.toasts import Undo, show_fault, show_toast
from app.state.sidebar.sidebar import MAX_ID, expand_folder, read_list_again, shorten_name
from app.state.sidebar.titles import name_of
from app.state.tab.address import conversation_in
from app.state.tab.inputs import text_in
from app.state.tab.visit import VisitedState
from app.store.conversation.lists import describe_listed
from app.views.conversation.conversation import cut_opening
from app.views.usage.figures import plural

_OVERLONG: Final = MAX_NAME * 10
"""Maximum number of characters that a form can send as a name. The command refuses a name above `MAX_NAME`."""


@dataclass(frozen=True, slots=True)
class FolderChoice:
    """A folder in the dialog that moves a conversation. `chosen`: the conversation is in it. `id` "": no folder."""

    id: str
    name: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class MoveView:
    """The dialog that moves a conversation: the conversation with its name, and the folders to choose from."""

    conversation_id: str
    name: str
    choices: tuple[FolderChoice, ...]


@dataclass(frozen=True, slots=True)
class NamedFolder:
    """The folder of an open menu or deletion dialog. `content` describes its conversations, "" if it has none."""

    id: str
    name: str
    content: str


class FolderState(VisitedState, rx.State):
    """The menu and the dialogs of folders. At most one of them is open.

    - `creating`: the dialog that creates a folder is open.
    - `menu`: the folder whose menu is open.
    - `moving`: the open dialog that moves a conversation to a folder.
    - `deleting`: the folder whose deletion dialog is open.
    - `renaming`: the id of the folder whose row is a form, "" for none.
    - `fault`: the reason why the last command of a form failed.
    """

    creating: rx.Field[bool] = rx.field(False)  # noqa: FBT003 - the first value of a var
    menu: rx.Field[NamedFolder | None] = rx.field(None)
    moving: rx.Field[MoveView | None] = rx.field(None)
    deleting: rx.Field[NamedFolder | None] = rx.field(None)
    renaming: rx.Field[str] = rx.field("")
    fault: rx.Field[str] = rx.field("")

    @rx.event
    async def ask_create(self) -> None:
        """Open the dialog that creates a folder."""
        await self._come()
        self._close()
        self.creating = True

    @rx.event
    async def end_create(self) -> None:
        self._close()

    @rx.event
    async def create(self, form: dict[str, Any]) -> None:
        """Create an empty folder with the name in the form, and expand it. If that fails, the dialog shows why."""
        if not self.creating:
            return
        try:
            made = (await create_folder(current(), LOCAL_OWNER, _name_in(form))).folder
        except InviewError as error:
            self.fault = describe_fault(error)
            return
        self._close()
        await expand_folder(self, made.id)
        undo = cast("EventSpec", FolderState.undo_create(made.id))
        await show_toast(self, f"Created the folder “{shorten_name(made.name)}”", undo=Undo(undo))

    @rx.event
    async def undo_create(self, folder_id: str) -> None:
        """Remove a new folder, unless a conversation was moved to it meanwhile. Undo sends this event."""
        await self._attempt(undo_create_folder(current(), LOCAL_OWNER, text_in(folder_id, MAX_ID) or ""))

    @rx.event
    async def show_menu(self, folder_id: str) -> None:
        """Open the menu of a folder."""
        await self._come()
        self._close()
        self.menu = await self._describe(folder_id)

    @rx.event
    async def close_menu(self) -> None:
        self.menu = None

    @rx.event
    async def ask_move(self, conversation_id: str) -> None:
        """Open the dialog that moves a conversation to a folder.

        Raises:
            NotFoundError: there is no such conversation, or it is temporary.
        """
        await self._come()
        self._close()
        self.moving = await _describe_move(text_in(conversation_id, MAX_ID) or "")

    @rx.event
    async def end_move(self) -> None:
        self._close()

    @rx.event
    async def move(self, folder_id: str) -> None:
        """Move the conversation of the dialog to this folder; "": out of its folder."""
        if self.moving is None or (choice := self._find_choice(folder_id)) is None:
            return
        await self._attempt_move(self.moving, choice)

    @rx.event
    async def create_and_move(self, form: dict[str, Any]) -> None:
        """Create a folder with the name in the form, and move the conversation of the dialog to it."""
        if self.moving is None:
            return
        await self._attempt_move(self.moving, _name_in(form))

    async def _attempt_move(self, moving: MoveView, target: FolderChoice | str) -> None:
        """Move the conversation to a folder, or to a new one with this name. If that fails, the dialog shows why."""
        self.moving = None
        moving = await _describe_move(moving.conversation_id)  # another tab may have moved it since the dialog opened
        try:
            if isinstance(target, str):
                made = (await create_folder(current(), LOCAL_OWNER, target)).folder
                target = FolderChoice(made.id, made.name, chosen=False)
            await _file(moving.conversation_id, target.id)
        except InviewError as error:
            self.moving, self.fault = await _describe_move(moving.conversation_id), describe_fault(error)
            return
        self._close()
        await read_list_again(self)
        before = next((one for one in moving.choices if one.chosen), moving.choices[0])
        if before.id == target.id:
            return
        undo = cast("EventSpec", FolderState.file(moving.conversation_id, before.id))
        way = f"to “{shorten_name(target.name)}”" if target.id else f"out of “{shorten_name(before.name)}”"
        await show_toast(self, f"Moved “{moving.name}” {way}", undo=Undo(undo))

    @rx.event
    async def file(self, conversation_id: str, folder_id: str) -> None:
        """Move a conversation to a folder; "": out of its folder. Undo sends this event."""
        conversation, folder = text_in(conversation_id, MAX_ID), text_in(folder_id, MAX_ID)
        if conversation is not None and folder is not None:
            await self._attempt(_file(conversation, folder))

    @rx.event
    async def begin_rename(self, folder_id: str) -> None:
        """Show a form with the name of a folder instead of its row."""
        await self._come()
        self._close()
        self.renaming = text_in(folder_id, MAX_ID) or ""

    @rx.event
    async def end_rename(self) -> None:
        self.renaming = ""

    @rx.event
    async def rename_folder(self, form: dict[str, Any]) -> None:
        """Give the folder whose row is a form the name in it. If that fails, a toast says why."""
        folder_id, self.renaming = self.renaming, ""
        if not folder_id:
            return
        await self._attempt(change_folder(current(), LOCAL_OWNER, folder_id, {"name": _name_in(form)}))

    @rx.event
    async def ask_delete(self, folder_id: str) -> None:
        """Open the dialog that asks what happens to the conversations of a folder that is deleted."""
        await self._come()
        self._close()
        self.deleting = await self._describe(folder_id)

    @rx.event
    async def end_delete(self) -> None:
        self.deleting = None

    @rx.event
    async def delete(self, contents: str) -> rx.event.EventSpec | None:
        """Delete the folder of the deletion dialog. `contents`: `keep` or `trash` its conversations."""
        folder, self.deleting = self.deleting, None
        if folder is None or contents not in set(Contents):
            return None
        here = conversation_in(self.router.url.path)
        leaves = contents == Contents.TRASH and await _is_in(here, folder.id)
        if not await self._attempt(delete_folder(current(), LOCAL_OWNER, folder.id, Contents(contents))):
            return None
        message = f"Deleted the folder “{shorten_name(folder.name)}”"
        if contents == Contents.TRASH and folder.content:
            message += f" with {folder.content}"
        await show_toast(self, message, undo=Undo(cast("EventSpec", FolderState.restore_folder(folder.id))))
        return rx.redirect("/", replace=True) if leaves else None

    @rx.event
    async def restore_folder(self, folder_id: str) -> None:
        """Restore a deleted folder with its conversations. Undo sends this event."""
        await self._attempt(restore_folder(current(), LOCAL_OWNER, text_in(folder_id, MAX_ID) or ""))

    async def _attempt(self, command: Awaitable[object]) -> bool:
        """Run a command, and read the list again. If the command fails, show why in a toast and return False."""
        fault = None
        try:
            await command
        except InviewError as error:
            fault = error
            await show_fault(self, error)
        await read_list_again(self)
        return fault is None

    async def _end_visit(self) -> None:
        self._close()

    def _close(self) -> None:
        self.menu, self.moving, self.deleting, self.renaming, self.fault = None, None, None, "", ""
        self.creating = False

    def _find_choice(self, folder_id: object) -> FolderChoice | None:
        choices = () if self.moving is None else self.moving.choices
        return next((one for one in choices if one.id == folder_id), None)

    async def _describe(self, folder_id: object) -> NamedFolder | None:
        """Return the folder. If another tab deleted it, show that in a toast and return None."""
        try:
            found = await read_folder(current(), LOCAL_OWNER, text_in(folder_id, MAX_ID) or "")
        except NotFoundError as error:
            await show_fault(self, error)
            await read_list_again(self)
            return None
        content = plural(found.count, "conversation") if found.count else ""
        return NamedFolder(found.folder.id, found.folder.name, content)


async def _describe_move(conversation_id: str) -> MoveView:
    """Return the dialog that moves this conversation, with the folders of now.

    Raises:
        NotFoundError: there is no such conversation, or it is temporary.
    """
    async with current().store.read() as session:
        listed = await describe_listed(session, LOCAL_OWNER, conversation_id)
    here = listed.conversation
    folders = await list_folders(current(), LOCAL_OWNER)
    choices = (FolderChoice("", "No folder", here.folder_id is None),)
    choices += tuple(FolderChoice(one.folder.id, one.folder.name, one.folder.id == here.folder_id) for one in folders)
    return MoveView(here.id, shorten_name(name_of(here.title, cut_opening(listed.opening))), choices)


def _name_in(form: object) -> str:
    name = form.get("name") if isinstance(form, dict) else None
    return text_in(name, _OVERLONG) or ""


async def _file(conversation_id: str, folder_id: str) -> None:
    await change_conversation(current(), LOCAL_OWNER, conversation_id, SettingChanges(folder_id=folder_id))


async def _is_in(conversation_id: str, folder_id: str) -> bool:
    """Return True if this conversation is in the folder."""
    try:
        async with current().store.read() as session:
            listed = await describe_listed(session, LOCAL_OWNER, conversation_id)
    except NotFoundError:
        return False
    return listed.conversation.folder_id == folder_id
