"""The page of the trash: the deleted entries, how long they are kept, and the dialog that deletes them permanently.

The undo that is offered right after a deletion is elsewhere.

    await tab.send(TrashState.load)
    tab.shows(TrashState, "items")[0].name      # "Why is the sky blue?"
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import ceil
from typing import Final

import reflex as rx

from app.domain.errors import InputError, InviewError, NotFoundError
from app.runs.app_context import current
from app.runs.runtime.ids import now
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.preference_commands import read_preferences, set_preferences
from app.runs.trash import trash
from app.state.messages.error_messages import describe_fault
from app.state.messages.toasts import withdraw_undo
from app.state.sidebar.sidebar import SidebarState
from app.state.sidebar.titles import UNNAMED
from app.state.tab.visit import VisitedState
from app.store.trash.trash import TrashEntry, find_entry
from app.views.conversation.conversation import cut_opening
from app.views.usage.figures import plural

PAGE: Final = 50
"""Number of entries of the trash that are shown at first, and that each "Show older" adds."""
ALL: Final = "all"
"""The id of `DeleteView` for everything in the trash. No entry has this id."""

_MAX_NAME: Final = 90
_YEAR: Final = 365
_CHOICES: Final = (1, 7, 30, 90, _YEAR)
"""The numbers of days that the menu of the storage time offers."""


@dataclass(frozen=True)
class TrashItem:
    """An entry of the trash: a conversation, or pairs that were deleted together.

    `about` describes its content. `deleted_at` is ISO 8601. `left` says when the entry is deleted permanently; "":
    never.
    """

    id: str
    name: str
    about: str
    deleted_at: str
    left: str


@dataclass(frozen=True)
class TermItem:
    """A choice of the menu for how long entries are kept. `value` is a number of days, "" for no limit."""

    value: str
    label: str


@dataclass(frozen=True)
class DeleteView:
    """The subject of the deletion dialog: the entry `id`, or everything (`ALL`). Its sentence starts with `name`."""

    id: str
    name: str


class TrashState(VisitedState, rx.State):
    """The page of the trash.

    - `loaded`: `items` were read.
    - `more`: there are more entries.
    - `term`: how long entries are kept, the value of one of `terms`.
    - `message`: the message after the last command.
    - `deleting`: the subject of the dialog that asks before a deletion, None while it is closed.
    """

    items: rx.Field[tuple[TrashItem, ...]] = rx.field(())
    loaded: rx.Field[bool] = rx.field(default=False)
    more: rx.Field[bool] = rx.field(default=False)
    term: rx.Field[str] = rx.field("")
    terms: rx.Field[tuple[TermItem, ...]] = rx.field(())
    message: rx.Field[str] = rx.field("")
    deleting: rx.Field[DeleteView | None] = rx.field(None)
    _pages: int = 1

    @rx.event
    async def load(self) -> None:
        """Read and show the newest entries."""
        await self._come()
        await self._read()

    @rx.event
    async def show_more(self) -> None:
        await self._come()
        self._pages += 1
        await self._read()

    @rx.event
    async def keep_for(self, term: str) -> None:
        """Keep deleted entries for this number of days; "": until the trash is emptied."""
        try:
            days = None if term == "" else int(str(term))
            preferences = await read_preferences(current(), LOCAL_OWNER)
            await set_preferences(current(), LOCAL_OWNER, replace(preferences, trash_days=days))
        except (ValueError, InputError):
            self.message = "Not a number of days. Choose one from the list."
            return
        kept = f"for {_describe_days(days)}" if days else "until the trash is emptied"
        self.message = f"Deleted items are now kept {kept}."
        await self._read()

    @rx.event
    async def restore(self, entry_id: str) -> rx.event.EventType[()] | None:
        """Restore a conversation, or pairs that were deleted together."""
        try:
            entry = await trash.restore(current(), LOCAL_OWNER, str(entry_id))
        except InviewError as error:
            self.message = describe_fault(error)
            await self._read()
            return None
        self.message = f"“{_name(entry)}” is restored."
        await withdraw_undo(self, entry.id)
        await self._read()
        return SidebarState.load

    @rx.event
    async def ask_delete(self, entry_id: str) -> None:
        """Open the dialog that asks before an entry is deleted permanently."""
        try:
            async with current().store.read() as session:
                entry = await find_entry(session, LOCAL_OWNER, str(entry_id))
        except NotFoundError as error:
            self.message = describe_fault(error)
            await self._read()
            return
        await self._come()
        self.deleting = DeleteView(entry.id, f"“{_name(entry)}”")

    @rx.event
    async def ask_empty(self) -> None:
        """Open the dialog that asks before the trash is emptied."""
        await self._come()
        self.deleting = DeleteView(ALL, "Everything in the trash")

    @rx.event
    async def end_delete(self) -> None:
        self.deleting = None

    @rx.event
    async def delete_forever(self) -> None:
        """Permanently delete the entry that the dialog asks about, or all entries."""
        deleted, self.deleting = self.deleting, None
        if deleted is None:
            return
        self.message, is_deleted = await _delete(deleted)
        if is_deleted:
            await withdraw_undo(self, "" if deleted.id == ALL else deleted.id)
        await self._read()

    async def _end_visit(self) -> None:
        self.message, self.deleting, self._pages = "", None, 1

    async def _read(self) -> None:
        found = await trash.list_trash(current(), LOCAL_OWNER, limit=self._pages * PAGE + 1)
        at = now()
        self.items = tuple(_describe(entry, found.days, at) for entry in found.entries[: self._pages * PAGE])
        self.more = len(found.entries) > self._pages * PAGE
        self.term, self.terms = str(found.days or ""), _list_terms(found.days)
        self.loaded = True


async def _delete(deleted: DeleteView) -> tuple[str, bool]:
    """Permanently delete the entry in `deleted`, or all entries. Return a message, and True if they are deleted."""
    try:
        if deleted.id == ALL:
            await trash.empty_trash(current(), LOCAL_OWNER)
            return "The trash is empty.", True
        await trash.delete_for_good(current(), LOCAL_OWNER, deleted.id)
    except InviewError as error:
        return describe_fault(error), False
    return f"{deleted.name} is deleted permanently.", True


def _list_terms(days: int | None) -> tuple[TermItem, ...]:
    """Return the choices of the menu.

    The current number of days is one of them, even if it is none of the usual choices.
    """
    offered = {*_CHOICES, days} if days else set(_CHOICES)
    terms = (TermItem(str(count), _describe_days(count)) for count in sorted(offered))
    return (*terms, TermItem("", "until you empty the trash"))


def _describe_days(days: int) -> str:
    return "a year" if days == _YEAR else plural(days, "day")


def _describe(entry: TrashEntry, days: int | None, at: datetime) -> TrashItem:
    left = "" if days is None else _describe_left(entry.deleted_at + timedelta(days=days) - at)
    return TrashItem(entry.id, _name(entry), _describe_content(entry), entry.deleted_at.isoformat(), left)


def _name(entry: TrashEntry) -> str:
    words = cut_opening(entry.words)
    name = (entry.title or words) if entry.kind == "conversation" else (words or entry.title)
    return _shorten(name) or UNNAMED


def _describe_content(entry: TrashEntry) -> str:
    pairs = plural(entry.count, "pair")
    if entry.kind == "conversation":
        return f"Conversation with {pairs}"
    return f"{pairs} of {f'“{_shorten(entry.title)}”' if entry.title else 'a conversation without a title'}"


def _describe_left(left: timedelta) -> str:
    days = ceil(left / timedelta(days=1))
    return "removed for good within a day" if days <= 1 else f"removed for good in {days} days"


def _shorten(text: str) -> str:
    return f"{text[: _MAX_NAME - 1]}…" if len(text) > _MAX_NAME else text
