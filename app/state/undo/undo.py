"""Undo with the keyboard: of the last action in this tab or, if there is none, of the newest deletion in any tab.

    await tab.send(UndoState.undo_last)

The Undo of a toast is in `app/state/messages/toasts.py`, the page of the trash in `app/state/trash/trash.py`.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import Final, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.errors import InviewError, NotFoundError
from app.runs.app_context import context_for, current
from app.runs.runtime.ids import now
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.trash.trash import list_trash, restore
from app.state.messages.toasts import (
    ToastState,
    Undo,
    describe_undone,
    forget_toasts,
    is_toast_expected,
    last_undo,
    show_fault,
    show_toast,
)
from app.state.sidebar.titles import UNNAMED
from app.state.tab.address import conversation_in, conversation_path
from app.state.tab.inputs import text_in
from app.state.tab.visit import visit_of
from app.store.trash.trash import TrashEntry
from app.views.conversation.conversation import cut_opening

MAX_ID: Final = 64
MAX_NAME: Final = 50
OFFERED: Final = timedelta(minutes=10)
"""Maximum age of a deletion that a toast offers to undo after a reload of the page."""
KEPT: Final = timedelta(hours=24)
"""Maximum age of a deletion that the Undo key restores."""
PATIENCE_S: Final = 2.0
_LOOK_S: Final = 0.02


class UndoState(rx.State):
    """The event handlers of the Undo key, and of the offer to undo after a reload. A toast shows the result.

    `_loaded` is the connection that loaded the page.
    """

    _loaded: str = ""

    @rx.event
    async def open(self) -> rx.event.EventType[()] | None:
        """After a reload of the page, remove its toasts and offer to restore a recent deletion."""
        return await self._open()

    async def _open(self) -> rx.event.EventType[()] | None:
        before = self._loaded
        self._loaded, _ = await visit_of(self)
        if before in {"", self._loaded}:
            return None
        await forget_toasts(self)
        return UndoState.recall

    @rx.event(background=True)
    async def recall(self) -> None:
        """Show a toast that offers to undo the newest deletion, if it is recent and no newer action can be undone."""
        async with self:
            conversation_id = conversation_in(self.router.url.path)
        entry = None
        with suppress(NotFoundError):  # the page already shows that the conversation is missing
            entry = await _newest(conversation_id, OFFERED)
        async with self:
            if entry is None or await last_undo(self):
                return
            undo = cast("EventSpec", UndoState.bring_back(entry.id))
            await show_toast(self, _describe(entry), undo=Undo(undo, deleted=entry.id))

    @rx.event
    async def undo_last(self) -> rx.event.EventType[()]:
        """Undo the last action in this tab. If there is none, restore the newest deletion."""
        return UndoState.take_back_last  # this event is handled after all earlier events

    @rx.event
    async def undo_own(self) -> rx.event.EventType[()]:
        """Undo the last action in this tab, if there is one."""
        return UndoState.take_back_own

    @rx.event(background=True)
    async def take_back_own(self) -> rx.event.EventType[()] | None:
        """Carry out `undo_own`, after the toast of a running action has been shown."""
        await self._until_shown()
        async with self:
            toast_id = await last_undo(self)
        return cast("EventSpec", ToastState.undo(toast_id)) if toast_id else None

    @rx.event(background=True)
    async def take_back_last(self) -> rx.event.EventType[()] | None:
        """Carry out `undo_last`, after the toast of a running action has been shown."""
        await self._until_shown()
        async with self:
            conversation_id, toast_id = conversation_in(self.router.url.path), await last_undo(self)
        if toast_id:
            return cast("EventSpec", ToastState.undo(toast_id))
        try:
            entry = await _newest(conversation_id, KEPT)
            if entry is not None:
                await restore(await context_for(current(), entry.conversation_id), LOCAL_OWNER, entry.id)
        except InviewError as error:
            async with self:
                await show_fault(self, error)
            return None
        async with self:
            await show_toast(self, describe_undone(_describe(entry)) if entry else "There is nothing to undo.")
        return _go_to(entry)

    @rx.event
    async def bring_back(self, entry_id: str) -> rx.event.EventType[()] | None:
        """Restore the content of an entry of the trash. Only Undo sends this event, and Undo shows the toast."""
        if (valid_id := text_in(entry_id, MAX_ID)) is None:
            return None
        try:
            return _go_to(await restore(await context_for(current(), valid_id), LOCAL_OWNER, valid_id))
        except InviewError as error:
            await show_fault(self, error)
            return None

    async def _until_shown(self) -> None:
        """Wait until the toast of a running action has been shown, for at most about `PATIENCE_S` seconds."""
        for _ in range(round(PATIENCE_S / _LOOK_S)):
            async with self:
                if not await is_toast_expected(self):
                    return
            await asyncio.sleep(_LOOK_S)


async def open_undo(state: UndoState) -> rx.event.EventType[()] | None:
    """After a reload of the page, remove its toasts. Return the event that offers to restore a recent deletion."""
    return await state._open()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - public methods are for browsers


async def _newest(conversation_id: str, age: timedelta) -> TrashEntry | None:
    """Return the newest deletion, None if it is older than `age`.

    With a `conversation_id`, only its pairs are considered.
    """
    ctx = await context_for(current(), conversation_id) if conversation_id else current()
    found = await list_trash(ctx, LOCAL_OWNER, limit=1, conversation_id=conversation_id or None)
    return next((entry for entry in found.entries if now() - entry.deleted_at < age), None)


def _go_to(entry: TrashEntry | None) -> EventSpec | None:
    """Return the event that opens a restored conversation. None: pairs were restored, or nothing."""
    if entry is None or entry.kind != "conversation":
        return None
    return rx.redirect(conversation_path(entry.conversation_id))


def _describe(entry: TrashEntry) -> str:
    words = cut_opening(entry.words)
    if entry.kind == "conversation":
        return f"Deleted the conversation “{_shorten(entry.title or words or UNNAMED)}”"
    name = _shorten(words or entry.title)
    return f"Deleted the pair “{name}”" if entry.count == 1 else f"Deleted {entry.count} pairs from “{name}” on"


def _shorten(text: str) -> str:
    return f"{text[: MAX_NAME - 1]}…" if len(text) > MAX_NAME else text
