"""The list of conversations, read once for all tabs that show the same one.

    shared = share_list(ctx, wanted)      # the same object for every tab that shows this list
    found = await shared.read(version)    # `version` of the event bus: the rows are at least as new

Every tab is notified of every change of any conversation. If each tab then read its list, fifty changes by
fifty people would cause 2,500 reads instead of 50. So the tabs wait for the same read, and get the same values.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final
from weakref import WeakKeyDictionary, WeakValueDictionary

from app.runs.app_context import AppContext
from app.runs.runtime.event_bus import EventBus
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.sidebar.conversation_rows import ConversationItem, FolderItem, FoundRows, WantedList, read_list

SETTLE_SECONDS: Final = 0.25
"""Delay between a change and the reading of the list.

All changes in this time are read together, so a list is read at most four times a second, however many tabs show it.
The first text of a reply is more urgent than the list.
"""

_SHARED: Final = WeakKeyDictionary[EventBus, WeakValueDictionary[WantedList, "SharedList"]]()


@dataclass(eq=False)
class SharedList:
    """One list of conversations, for all tabs that show it.

    `found` are the rows that were read last, and `version` is the version of the list at that time (-1: they were never
    read). While no row changes, `found` stays the same object, also after another reading.
    """

    ctx: AppContext
    wanted: WantedList
    found: FoundRows | None = None
    version: int = -1
    _reading: asyncio.Task[None] | None = None
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def read(self, version: int) -> FoundRows:
        """Return rows that are at least as new as this version (a number) of the list of conversations.

        The waiting tabs continue one after the other, each in a turn of the event loop. If all continued in one turn,
        running replies would wait until the last tab has sent its rows.

        Raises:
            StoreError: the database cannot be read.
        """
        while self.found is None or self.version < version:
            if self._reading is None or self._reading.done():
                self._reading = self.ctx.start_background(self._read(), "list of conversations")
            # A tab that is closed stops waiting. The other tabs continue to wait for the same read.
            await asyncio.shield(self._reading)
        async with self._turn:
            await asyncio.sleep(0)
        return self.found

    async def _read(self) -> None:
        await asyncio.sleep(SETTLE_SECONDS)
        version = self.ctx.event_bus.list_version(LOCAL_OWNER)
        found = await read_list(self.ctx, self.wanted)
        self.found, self.version = _keep_equal(self.found, found), version


def share_list(ctx: AppContext, wanted: WantedList) -> SharedList:
    """Return the `SharedList` for this list. All tabs that show the list get the same object.

    It exists while a tab refers to it.
    """
    lists = _SHARED.setdefault(ctx.event_bus, WeakValueDictionary())
    shared = lists.get(wanted)
    if shared is None:
        shared = lists[wanted] = SharedList(ctx, wanted)
    return shared


def _keep_equal(before: FoundRows | None, after: FoundRows) -> FoundRows:
    """Return `after`, with equal objects taken from `before`, so that no tab compares their contents again."""
    if before is None or before == after:
        return before or after
    known = {folder.id: folder for folder in before.folders}
    return replace(
        after,
        rows=_keep_equal_rows(before.rows, after.rows),
        folders=tuple(_keep_equal_folder(known.get(folder.id), folder) for folder in after.folders),
    )


def _keep_equal_folder(before: FolderItem | None, after: FolderItem) -> FolderItem:
    if before is None or before == after:
        return before or after
    return replace(after, rows=_keep_equal_rows(before.rows, after.rows))


def _keep_equal_rows(
    before: Iterable[ConversationItem], after: Iterable[ConversationItem]
) -> tuple[ConversationItem, ...]:
    known = {row.id: row for row in before}
    return tuple(kept if (kept := known.get(row.id)) == row else row for row in after)
