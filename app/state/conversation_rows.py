"""The rows of the left column: read from the store, as views.

Not which of them a tab lists: that is `sidebar.py`.

    rows, more = await read_rows(current(), Wanted(), limit=50)
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from itertools import starmap
from typing import Any, Final, TypeVar, cast
from weakref import WeakKeyDictionary
from zoneinfo import ZoneInfo

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import ConversationKind, ConversationStatus
from app.domain.conversation.placement import Folder, find_day
from app.domain.conversation.search import Search, parse_search
from app.domain.transfer.formats import NAMES
from app.language.translation import current_catalogue, translate
from app.runs.caller import caller
from app.runs.library.folder_commands import list_folders
from app.runs.process.event_bus import EventBus
from app.runs.process.ids import now
from app.runs.workbench import Workbench
from app.state.address import conversation_path, pair_path
from app.state.titles import name_of
from app.store.conversation.conversations import Listed, list_conversations, list_named
from app.store.conversation.wanted import MAX_COUNTED, Wanted, count_listed
from app.store.index.search import Excerpt, load_found, search
from app.store.run.running import list_running
from app.store.tools.permissions import list_waiting
from app.views.conversation import cut_snippet
from app.views.screen.options import ExcerptPiece

MAX_TEMPORARY: Final = 50
Read = TypeVar("Read")

_DERIVED: Final = {
    ConversationStatus.ACTIVE: "conversation_rows.derived_under_way",
    ConversationStatus.COMPLETED: "conversation_rows.derived",
    ConversationStatus.FAILED: "conversation_rows.derived_failed",
}


@dataclass(frozen=True)
class SearchedRows:
    """What was found. `more`: than the limit; `complete`: there are no older places with these words."""

    rows: tuple[ConversationItem, ...]
    more: bool
    complete: bool


@dataclass(frozen=True)
class ConversationItem:
    """A row of the list. `snippet` is empty where it would only repeat the name.

    `path` is its address, or that of the pair in which the words stand that are searched for; `excerpt` is what stands
    around them there, in pieces.
    `derived`: what stands for it not being a chat, and whether it failed; "" for a chat. `failed`: its newest pair has
    no reply because of an error; `waiting`: a person is asked for permission in it; `unread`: its newest reply ended
    while no page had it open. `heading` is that of the group that begins with it, "" within a group.
    `imported_from` is the application whose export brought it. `model` is its name without the provider.
    """

    id: str
    name: str
    snippet: str
    updated_at: str
    running: bool
    temporary: bool = False
    derived: str = ""
    path: str = ""
    excerpt: tuple[ExcerptPiece, ...] = ()
    heading: str = ""
    pinned: bool = False
    archived: bool = False
    folder_id: str = ""
    failed: bool = False
    waiting: bool = False
    unread: bool = False
    imported_from: str = ""
    pair_count: int = 0
    model: str = ""


@dataclass(frozen=True)
class ListCounts:
    """How many conversations lists have, as they are shown: "" for none."""

    unread: str = ""
    running: str = ""
    waiting: str = ""
    pinned: str = ""


Rows = tuple[tuple[ConversationItem, ...], bool]
"""Some conversations, and whether there are more."""

UNREAD: Final = Wanted(kind=ConversationKind.AGENT, unread=True)
RUNNING: Final = Wanted(kind=ConversationKind.AGENT, running=True)
WAITING: Final = Wanted(kind=ConversationKind.AGENT, waiting=True)
FAILED: Final = Wanted(kind=ConversationKind.AGENT, failed=True)
PINNED: Final = Wanted(kind=ConversationKind.AGENT, pinned=True)
IMPORTED: Final = Wanted(kind=ConversationKind.AGENT, imported=True)
COUNTED: Final = {"unread": UNREAD, "running": RUNNING, "waiting": WAITING, "pinned": PINNED}
"""The lists whose conversations are counted, by the field of `ListCounts`: those that this costs next to nothing."""

SHARED_SECONDS: Final = 0.1
"""For how long after it began pages share one reading. They all hear of a change in the same moment."""


@dataclass(frozen=True)
class _Reading:
    version: int
    begun: float
    task: asyncio.Task[Any]


_READINGS: Final = WeakKeyDictionary[EventBus, dict[tuple[str, Hashable], _Reading]]()


async def read_shared_groups(wb: Workbench, wanted: Wanted, zone: ZoneInfo, *, limit: int) -> Rows:
    """Return what `read_groups` does, read once for all pages of a person that ask for the same list in a language."""
    return await _share(
        wb, (wanted, zone, limit, current_catalogue().language), lambda: read_groups(wb, wanted, zone, limit=limit)
    )


async def read_shared_counts(wb: Workbench) -> ListCounts:
    """Return what `read_counts` does, read once for all pages of a person."""
    return await _share(wb, read_counts, lambda: read_counts(wb))


async def list_shared_folders(wb: Workbench) -> tuple[Folder, ...]:
    """Return what `list_folders` does, read once for all pages of a person."""
    return await _share(wb, list_folders, lambda: list_folders(wb, caller()))


async def _share(wb: Workbench, what: Hashable, read: Callable[[], Coroutine[None, None, Read]]) -> Read:
    """Return what `read` does, read once for all pages of a person that ask for `what` in the same moment.

    Fifty open pages hear of each change; without this they would read the list fifty times.
    """
    at, asked = asyncio.get_running_loop().time(), (caller(), what)
    readings = {
        one: reading
        for one, reading in _READINGS.get(wb.event_bus, {}).items()
        if reading.version == wb.event_bus.list_version(one[0]) and at - reading.begun <= SHARED_SECONDS
    }
    if asked not in readings:
        readings[asked] = _Reading(wb.event_bus.list_version(caller()), at, asyncio.create_task(read()))
    _READINGS[wb.event_bus] = readings
    return cast("Read", await asyncio.shield(readings[asked].task))


async def read_groups(wb: Workbench, wanted: Wanted, zone: ZoneInfo, *, limit: int) -> Rows:
    """Return what `read_rows` does, the first row of each group with its heading.

    The groups are the temporary ones, those that are pinned where they are listed first, and then the days.
    """
    rows, more = await read_rows(wb, wanted, limit=limit)
    return _in_groups(rows, zone, pinned_first=lists_pinned_first(wanted)), more


def _in_groups(
    items: tuple[ConversationItem, ...], zone: ZoneInfo, *, pinned_first: bool
) -> tuple[ConversationItem, ...]:
    at, before = now(), ""
    grouped: list[ConversationItem] = []
    for item in items:
        day = find_day(datetime.fromisoformat(item.updated_at), at, zone)
        group = "temporary" if item.temporary else "pinned" if item.pinned and pinned_first else day
        row = item if group == before else replace(item, heading=_describe_group(group))
        grouped.append(row if row.temporary else _kept(row))  # words of a temporary one do not outlive it
        before = group
    return tuple(grouped)


def _describe_group(group: str) -> str:
    year, _, month = group.partition("-")
    return translate(f"list.month_{int(month)}", year=year) if month else translate(f"list.{group}")


@lru_cache(maxsize=500)
def _kept(item: ConversationItem) -> ConversationItem:
    """Return the equal row that was read before, if there is one.

    All pages then hold the same rows, and to compare a row with itself costs nothing. After each change every open page
    compares its list with the one before.
    """
    return item


async def read_rows(wb: Workbench, wanted: Wanted, *, limit: int) -> Rows:
    """Return the conversations that are wanted, the temporary ones first, and whether there are more than `limit`."""
    temporary = await _read_temporary(wb, wanted)
    if wanted.temporary:
        return temporary, False
    async with wb.store.read() as session:
        found = await list_conversations(
            session, caller(), limit=limit + 1, wanted=wanted, pinned_first=lists_pinned_first(wanted)
        )
        active = await _read_activity(session, wb)
    return (*temporary, *(_describe(listed, active) for listed in found[:limit])), len(found) > limit


def lists_pinned_first(wanted: Wanted) -> bool:
    """Whether pinned conversations are listed above the others: where none are archived."""
    return wanted.archived is False


async def read_counts(wb: Workbench) -> ListCounts:
    """Return how many conversations some lists have."""
    async with wb.store.read() as session:
        counts = await count_listed(session, caller(), COUNTED)
    return ListCounts(**{name: _describe_count(count) for name, count in counts.items()})


def _describe_count(count: int) -> str:
    if count >= MAX_COUNTED:
        return f"{MAX_COUNTED - 1}+"
    return str(count) if count else ""


async def read_row(wb: Workbench, conversation_id: str) -> ConversationItem | None:
    """Return one conversation as the list has it; None: it is not there."""
    async with wb.store.read() as session:
        found = (await list_named(session, caller(), [conversation_id])).get(conversation_id)
        active = await _read_activity(session, wb)
    return None if found is None else _describe(found, active)


async def search_rows(wb: Workbench, wanted: Wanted, text: str, *, limit: int) -> SearchedRows:
    """Return the conversations that have these words, the temporary ones first, the one with the best place first."""
    looked_for = parse_search(text)
    bench = wb.beside.bench
    temporary = () if bench is None else (await _search(bench, wanted, looked_for, MAX_TEMPORARY)).rows
    if wanted.temporary:
        return SearchedRows(temporary, more=False, complete=True)
    found = await _search(wb, wanted, looked_for, limit)
    return SearchedRows((*temporary, *found.rows), found.more, found.complete)


async def _search(wb: Workbench, wanted: Wanted, looked_for: Search, limit: int) -> SearchedRows:
    async with wb.store.read() as session:
        found = await search(session, caller(), wanted, looked_for)
        shown = await load_found(session, caller(), looked_for, found.places[:limit])
        active = await _read_activity(session, wb)
    rows = tuple(_mark_found(_describe(one.listed, active), one.excerpt) for one in shown)
    return SearchedRows(rows, len(found.places) > limit, found.complete)


def _mark_found(item: ConversationItem, excerpt: Excerpt | None) -> ConversationItem:
    if excerpt is None:  # the words stand in its title
        return item
    pieces = tuple(starmap(ExcerptPiece, excerpt.pieces))
    return replace(item, path=pair_path(item.id, str(excerpt.position)), excerpt=pieces)


async def _read_temporary(wb: Workbench, wanted: Wanted) -> tuple[ConversationItem, ...]:
    bench = wb.beside.bench
    if bench is None:
        return ()
    async with bench.store.read() as session:
        found = await list_conversations(session, caller(), limit=MAX_TEMPORARY, wanted=wanted)
        active = await _read_activity(session, bench)
    return tuple(_describe(listed, active) for listed in found)


@dataclass(frozen=True)
class _Activity:
    """The conversations in which a reply is on, and those in which a person is asked for permission."""

    running: frozenset[str]
    waiting: frozenset[str]


async def _read_activity(session: AsyncSession, wb: Workbench) -> _Activity:
    running = frozenset(run.place.conversation_id for run in wb.engine.runs.values())
    if wb.cluster is not None:
        running |= {one.conversation_id for one in await list_running(session, caller())}
    return _Activity(running, await list_waiting(session, caller()) if running else frozenset())


def _describe(listed: Listed, active: _Activity) -> ConversationItem:
    conversation = listed.conversation
    name, words = name_of(conversation.title, cut_snippet(listed.opening)), cut_snippet(listed.snippet)
    return ConversationItem(
        id=conversation.id,
        name=name,
        snippet=words if words != name else "",
        updated_at=conversation.updated_at.isoformat(),
        running=conversation.id in active.running,
        waiting=conversation.id in active.waiting,
        failed=listed.failed,
        imported_from="" if listed.imported is None else NAMES.get(listed.imported.format, listed.imported.format),
        unread=listed.placement.unread,
        pinned=listed.placement.pinned,
        archived=listed.placement.archived,
        folder_id=listed.placement.folder_id or "",
        pair_count=listed.pair_count,
        model=(conversation.model or "").partition(":")[2],
        temporary=conversation.temporary,
        path=conversation_path(conversation.id),
        derived="" if conversation.kind is ConversationKind.AGENT else translate(_DERIVED[conversation.status]),
    )
