"""The page of the trash: what was deleted, until when it can be restored, and the dialog that deletes it forever.

Not the undo that is offered right after a deletion.

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
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.library import trash
from app.runs.library.preference_commands import read_preferences, set_preferences
from app.runs.process.ids import now
from app.runs.workbench import current
from app.state.faults import describe_fault
from app.state.sidebar import SidebarState
from app.state.titles import UNNAMED
from app.store.organise.trash import TrashEntry, find_entry
from app.views.conversation import cut_snippet
from app.views.figures import plural

PAGE: Final = 50
"""Entries shown at first, and added by each "Show older"."""
ALL: Final = "all"
"""What the dialog is about when it would empty the trash; no id reads so."""

_MAX_NAME: Final = 90
_YEAR: Final = 365
_CHOICES: Final = (1, 7, 30, 90, _YEAR)
"""Days that the menu offers."""


@dataclass(frozen=True)
class TrashItem:
    """A row: a conversation, a prompt, or pairs deleted together.

    `deleted_at` is ISO; `left` is "" if it does not expire.
    """

    id: str
    name: str
    about: str
    deleted_at: str
    left: str


@dataclass(frozen=True)
class TermItem:
    """How long things stay in the trash, as the menu offers it. `value` is a number of days, "" for no limit."""

    value: str
    label: str


@dataclass(frozen=True)
class DeleteView:
    """What the dialog asks about: the entry `id`, or `ALL`. `name` begins its sentence."""

    id: str
    name: str


class TrashState(rx.State):
    """`message` is the answer to the last command; `term` is the value of one of `terms`."""

    items: rx.Field[tuple[TrashItem, ...]] = rx.field(())
    loaded: rx.Field[bool] = rx.field(default=False)
    more: rx.Field[bool] = rx.field(default=False)
    term: rx.Field[str] = rx.field("")
    terms: rx.Field[tuple[TermItem, ...]] = rx.field(())
    message: rx.Field[str] = rx.field("")
    deleting: rx.Field[DeleteView | None] = rx.field(None)
    _shown: int = PAGE

    @rx.event
    async def load(self) -> None:
        """Show what was deleted last."""
        self.message, self.deleting, self._shown = "", None, PAGE
        await self._read()

    @rx.event
    async def show_more(self) -> None:
        self._shown += PAGE
        await self._read()

    @rx.event
    async def keep_for(self, term: str) -> None:
        """Keep what is deleted for so many days; "": until the trash is emptied."""
        try:
            days = None if term == "" else int(str(term))
            preferences = await read_preferences(current(), caller())
            await set_preferences(current(), caller(), replace(preferences, trash_days=days))
        except (ValueError, InputError):
            self.message = translate("trash.bad_days")
            return
        self.message = (
            translate("trash.stays_for", time=_describe_days(days)) if days else translate("trash.stays_until_emptied")
        )
        await self._read()

    @rx.event
    async def restore(self, entry_id: str) -> rx.event.EventType[()] | None:
        """Restore a conversation, a prompt, or pairs that were deleted together."""
        try:
            entry = await trash.restore(current(), caller(), str(entry_id))
        except InviewError as error:
            self.message = describe_fault(error)
            await self._read()
            return None
        self.message = translate("trash.is_back", name=_name(entry))
        await self._read()
        return SidebarState.load

    @rx.event
    async def ask_delete(self, entry_id: str) -> None:
        """Open the dialog that asks before an entry is deleted forever."""
        try:
            async with current().store.read() as session:
                entry = await find_entry(session, caller(), str(entry_id))
        except NotFoundError as error:
            self.message = describe_fault(error)
            await self._read()
            return
        self.deleting = DeleteView(entry.id, f"“{_name(entry)}”")

    @rx.event
    async def ask_empty(self) -> None:
        """Open the dialog that asks before the trash is emptied."""
        self.deleting = DeleteView(ALL, translate("trash.everything"))

    @rx.event
    async def end_delete(self) -> None:
        self.deleting = None

    @rx.event
    async def delete_forever(self) -> None:
        """Delete what the dialog asks about."""
        asked, self.deleting = self.deleting, None
        if asked is None:
            return
        self.message = await _delete(asked)
        await self._read()

    async def _read(self) -> None:
        found = await trash.list_trash(current(), caller(), limit=self._shown + 1)
        at = now()
        self.items = tuple(_describe(entry, found.days, at) for entry in found.entries[: self._shown])
        self.more = len(found.entries) > self._shown
        self.term, self.terms = str(found.days or ""), _list_terms(found.days)
        self.loaded = True


async def _delete(asked: DeleteView) -> str:
    """Delete it forever. Returns what to say of that."""
    try:
        if asked.id == ALL:
            await trash.empty_trash(current(), caller())
            return translate("trash.is_empty")
        await trash.delete_for_good(current(), caller(), asked.id)
    except InviewError as error:
        return describe_fault(error)
    return translate("trash.is_deleted", name=asked.name)


def _list_terms(days: int | None) -> tuple[TermItem, ...]:
    """What the menu offers, including what is set now."""
    offered = {*_CHOICES, days} if days else set(_CHOICES)
    terms = (TermItem(str(count), _describe_days(count)) for count in sorted(offered))
    return (*terms, TermItem("", translate("trash.until_emptied")))


def _describe_days(days: int) -> str:
    return translate("trash.a_year") if days == _YEAR else plural(days, "day")


def _describe(entry: TrashEntry, days: int | None, at: datetime) -> TrashItem:
    left = "" if days is None else _describe_left(entry.deleted_at + timedelta(days=days) - at)
    return TrashItem(entry.id, _name(entry), _describe_content(entry), entry.deleted_at.isoformat(), left)


def _name(entry: TrashEntry) -> str:
    words = cut_snippet(entry.words)
    if entry.kind == "prompt":
        return f"/{entry.title}"
    name = (entry.title or words) if entry.kind == "conversation" else (words or entry.title)
    return _shorten(name) or translate(UNNAMED)


def _describe_content(entry: TrashEntry) -> str:
    if entry.kind == "conversation":
        return translate("trash.conversation_with", count=entry.count)
    if entry.kind == "prompt":
        return translate("trash.prompt", words=_shorten(cut_snippet(entry.words)))
    if not entry.title:
        return translate("trash.pairs_of_untitled", count=entry.count)
    return translate("trash.pairs_of", count=entry.count, title=_shorten(entry.title))


def _describe_left(left: timedelta) -> str:
    days = ceil(left / timedelta(days=1))
    return translate("trash.left_a_day") if days <= 1 else translate("trash.left", days=days)


def _shorten(text: str) -> str:
    return f"{text[: _MAX_NAME - 1]}…" if len(text) > _MAX_NAME else text
