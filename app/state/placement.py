"""Commands on rows of the list: pin, archive, move, mark as read, delete, one or several, with Undo.

    await tab.send(PlacementState.toggle_pin, conversation_id="c1")

Not here: what is listed (`sidebar.py`), and naming folders (`folders.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.errors import InviewError, NotFoundError
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.library.folder_commands import Placed, create_folder, place_conversations, put_back
from app.runs.library.trash import restore
from app.runs.process.ids import new_id
from app.runs.send.commands import delete_conversation
from app.runs.usage.accounts import load_balance
from app.runs.workbench import bench_of, current
from app.state.address import conversation_in
from app.state.conversation_rows import ConversationItem, read_row
from app.state.faults import describe_fault
from app.state.inputs import text_in
from app.state.sidebar import SidebarState
from app.state.toasts import expect_toast, show_fault, show_toast
from app.state.usage.labels import describe_charge
from app.views.screen.options import OptionRow

MAX_ID: Final = 64
MAX_NAME: Final = 1_000
MAX_UNDOS: Final = 50
NO_FOLDER: Final = "none"
"""What the menu calls being in no folder; no id reads so."""


class PlacementState(rx.State):
    """`menu` is the conversation whose menu is open, `menu_cost` what it has cost, "" for nothing.

    `moving` counts those for which a folder is chosen, 0 for none; `moving_in` is the folder one of them is in, and
    `fault` says why no new one could be made. `selecting`: rows have boxes, and `selected` are the ticked ones;
    `selected_unread`: one of them is unread. `turn` grows when all are ticked.
    """

    menu: rx.Field[ConversationItem | None] = rx.field(None)
    menu_cost: rx.Field[str] = rx.field("")
    moving: rx.Field[int] = rx.field(0)
    moving_in: rx.Field[str] = rx.field("")
    rows: rx.Field[tuple[OptionRow, ...]] = rx.field(())
    fault: rx.Field[str] = rx.field("")
    selecting: rx.Field[bool] = rx.field(default=False)
    selected: rx.Field[tuple[str, ...]] = rx.field(())
    selected_unread: rx.Field[bool] = rx.field(default=False)
    turn: rx.Field[int] = rx.field(0)
    _moving: tuple[str, ...] = ()
    _dragged: str = ""
    _placed: tuple[tuple[str, Placed], ...] = ()

    @rx.event
    async def show_menu(self, conversation_id: str) -> Any:
        """Open the menu of a row."""
        self.menu, self.menu_cost = await _find(conversation_id), ""
        return None if self.menu is None else PlacementState.look

    @rx.event(background=True)
    async def look(self) -> None:
        """Say in the menu what its conversation has cost."""
        async with self:
            menu = self.menu
        if menu is None:
            return
        try:
            balance = await load_balance(await bench_of(current(), menu.id), caller(), menu.id)
        except NotFoundError:  # deleted elsewhere meanwhile
            return
        async with self:
            if self.menu is not None and self.menu.id == menu.id and balance.spent.calls:
                self.menu_cost = describe_charge(balance.spent)

    @rx.event
    async def close_menu(self) -> None:
        """Close it."""
        self.menu = None

    @rx.event
    async def toggle_pin(self, conversation_id: str) -> Any:
        """Pin a conversation above the others, or unpin it."""
        if (item := await _find(conversation_id)) is None or item.temporary:
            return None
        key = "list.unpinned_name" if item.pinned else "list.pinned_name"
        return await self._place([item.id], translate(key, name=_shorten(item.name)), pinned=not item.pinned)

    @rx.event
    async def toggle_archive(self, conversation_id: str) -> Any:
        """Archive a conversation, or bring it back to the list."""
        if (item := await _find(conversation_id)) is None or item.temporary:
            return None
        key = "list.unarchived_name" if item.archived else "list.archived_name"
        return await self._place([item.id], translate(key, name=_shorten(item.name)), archived=not item.archived)

    @rx.event
    async def toggle_unread(self, conversation_id: str) -> Any:
        """Mark a conversation as unread, or as read."""
        if (item := await _find(conversation_id)) is None or item.temporary:
            return None
        key = "list.read_name" if item.unread else "list.unread_name"
        return await self._place([item.id], translate(key, name=_shorten(item.name)), unread=not item.unread)

    @rx.event
    async def ask_move(self, conversation_id: str) -> None:
        """Ask for the folder of one conversation."""
        if (item := await _find(conversation_id)) is not None and not item.temporary:
            await self._ask_move((item.id,), item.folder_id or NO_FOLDER)

    @rx.event
    async def ask_move_selected(self) -> None:
        """Ask for the folder of those that are ticked."""
        if self.selected:
            await self._ask_move(self.selected, "")

    @rx.event
    async def close_move(self) -> None:
        """Move nothing."""
        self.moving, self._moving = 0, ()

    @rx.event
    async def move(self, folder_id: str) -> Any:
        """Move what was asked about to a folder; `NO_FOLDER`: to none."""
        wanted, ids = text_in(folder_id, MAX_ID), self._moving
        self.moving, self._moving, self.selecting, self.selected = 0, (), False, ()
        if wanted is None or not ids:
            return None
        message = translate("list.moved", count=len(ids))
        return await self._place(ids, message, folder_id="" if wanted == NO_FOLDER else wanted)

    @rx.event
    async def move_to_new(self, form: dict[str, Any]) -> Any:
        """Make a folder of the name in the form, and move what was asked about there."""
        try:
            folder = await create_folder(current(), caller(), text_in(form.get("name"), MAX_NAME) or "")
        except InviewError as error:
            self.fault = describe_fault(error)
            return None
        return cast("EventSpec", PlacementState.move(folder.id))

    @rx.event
    async def begin_drag(self, conversation_id: str) -> None:
        """Note which row is dragged."""
        self._dragged = text_in(conversation_id, MAX_ID) or ""

    @rx.event
    async def drop(self, folder_id: str) -> Any:
        """Move the row that is dragged to a folder."""
        dragged, self._dragged = self._dragged, ""
        if not dragged:
            return None
        self._moving = (dragged,)
        return cast("EventSpec", PlacementState.move(folder_id))

    @rx.event
    async def begin_select(self, conversation_id: str) -> None:
        """Give the rows boxes, and tick this one."""
        wanted = text_in(conversation_id, MAX_ID)
        self.selecting = True
        await self._select((wanted,) if wanted else ())

    @rx.event
    async def tick(self, conversation_id: str, ticked: bool) -> None:
        """Tick a row, or take its tick away."""
        if (wanted := text_in(conversation_id, MAX_ID)) is not None:
            others = tuple(one for one in self.selected if one != wanted)
            await self._select((*others, wanted) if ticked is True else others)

    @rx.event
    async def tick_all(self) -> None:
        """Tick all rows that are listed."""
        listed = (await self.get_state(SidebarState)).conversations
        await self._select(tuple(item.id for item in listed if not item.temporary))
        self.turn += 1

    @rx.event
    async def end_select(self) -> None:
        """Take the boxes away."""
        self.selecting, self.selected = False, ()

    @rx.event
    async def archive_selected(self) -> Any:
        """Archive those that are ticked; where archived ones are listed, bring them back."""
        ids, back = self.selected, (await self.get_state(SidebarState)).kind == "archived"
        self.selecting, self.selected = False, ()
        key = "list.unarchived" if back else "list.archived"
        return await self._place(ids, translate(key, count=len(ids)), archived=not back) if ids else None

    @rx.event
    async def mark_selected(self) -> Any:
        """Mark those that are ticked as read; if none of them is unread, mark them as unread."""
        ids, unread = self.selected, not self.selected_unread
        self.selecting, self.selected = False, ()
        key = "list.marked_unread" if unread else "list.marked_read"
        return await self._place(ids, translate(key, count=len(ids)), unread=unread) if ids else None

    @rx.event(background=True)
    async def delete_selected(self) -> Any:
        """Put those that are ticked into the trash."""
        async with self:
            ids, here = self.selected, conversation_in(self.router.url.path)
            self.selecting, self.selected = False, ()
            await expect_toast(self)
        deleted: list[str] = []
        for conversation_id in ids:
            try:
                await delete_conversation(current(), caller(), conversation_id)
            except NotFoundError:  # deleted elsewhere meanwhile
                continue
            deleted.append(conversation_id)
        async with self:
            undo = cast("EventSpec", PlacementState.bring_back(deleted))
            await show_toast(self, translate("list.deleted", count=len(deleted)), undo=undo)
        return [SidebarState.load, rx.redirect("/", replace=True)] if here in deleted else SidebarState.load

    @rx.event(background=True)
    async def bring_back(self, ids: object) -> Any:
        """Bring these back from the trash. For Undo, which says so after this."""
        for conversation_id in cast("list[object]", ids) if isinstance(ids, list) else ():
            try:
                await restore(current(), caller(), str(conversation_id))
            except NotFoundError:  # restored elsewhere meanwhile, or deleted for good
                continue
        return SidebarState.load

    @rx.event
    async def put_back(self, undo_id: str) -> Any:
        """Place conversations where they were before. For Undo."""
        placed = next((placed for one, placed in self._placed if one == undo_id), None)
        if placed is not None:
            await put_back(current(), caller(), placed)
        return SidebarState.load

    async def _select(self, ids: tuple[str, ...]) -> None:
        listed = (await self.get_state(SidebarState)).conversations
        self.selected, self.selected_unread = ids, any(item.unread for item in listed if item.id in ids)

    async def _ask_move(self, ids: tuple[str, ...], chosen: str) -> None:
        folders = (await self.get_state(SidebarState)).folders
        self.rows = (
            OptionRow(NO_FOLDER, translate("list.no_folder")),
            *(OptionRow(folder.id, folder.name, str(folder.count)) for folder in folders),
        )
        self._moving, self.moving, self.moving_in, self.fault = ids, len(ids), chosen, ""

    async def _place(self, ids: Sequence[str], message: str, **placed: Any) -> Any:
        try:
            done = await place_conversations(current(), caller(), ids, **placed)
        except InviewError as error:
            await show_fault(self, error)
            return SidebarState.load
        undo_id = new_id()
        self._placed = (*self._placed, (undo_id, done))[-MAX_UNDOS:]
        await show_toast(self, message, undo=cast("EventSpec", PlacementState.put_back(undo_id)))
        return SidebarState.load


async def _find(conversation_id: object) -> ConversationItem | None:
    wanted = text_in(conversation_id, MAX_ID)
    return None if not wanted else await read_row(await bench_of(current(), wanted), wanted)


def _shorten(name: str) -> str:
    return f"{name[:49]}…" if len(name) > 50 else name
