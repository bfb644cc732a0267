"""The left column: the list of conversations, and commands on one of them without opening it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, Final, cast
from zoneinfo import ZoneInfo

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.conversation.conversation import ConversationKind, ConversationStatus
from app.domain.conversation.placement import Folder
from app.domain.conversation.search import as_typed
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.library.agent_commands import list_agents
from app.runs.library.folder_commands import list_folders
from app.runs.library.trash import restore
from app.runs.send.commands import change_conversation, delete_conversation
from app.runs.send.context_selection import UTC_ZONE
from app.runs.workbench import Workbench, bench_of, current
from app.state.address import conversation_in, conversation_path
from app.state.conversation_rows import (
    FAILED,
    IMPORTED,
    PINNED,
    RUNNING,
    UNREAD,
    WAITING,
    ConversationItem,
    ListCounts,
    Rows,
    SearchedRows,
    list_shared_folders,
    read_counts,
    read_groups,
    read_row,
    read_shared_counts,
    read_shared_groups,
    search_rows,
)
from app.state.filters.applied import FilterState
from app.state.inputs import text_in, zone_in
from app.state.titles import clean_title
from app.state.toasts import show_toast
from app.store.conversation.wanted import Wanted

PAGE: Final = 50
"""Conversations shown at first, and added by each "Show older"."""

SETTLE_SECONDS: Final = 0.2
"""How long a change waits for others before the list is read again. The first words of a reply are more urgent."""

MAX_SEARCH: Final = 1_000
"""Characters that are searched for at most."""

_MAX_NAME: Final = 50
"""Characters of a name in a toast."""

CHATS: Final = "chats"
ANY_AGENT: Final = "any"
"""No id of an agent reads so; "" is having none."""

FOLDER: Final = "folder:"
"""Before the id of a folder: what is in it is listed."""
ARCHIVED: Final = "archived"
_IN_FOLDER: Final = Wanted(kind=ConversationKind.AGENT, archived=False)
_KINDS: Final = {
    CHATS: Wanted(kind=ConversationKind.AGENT, archived=False, folder_id=""),
    "unread": UNREAD,
    "running": RUNNING,
    "waiting": WAITING,
    "error": FAILED,
    "pinned": PINNED,
    ARCHIVED: Wanted(kind=ConversationKind.AGENT, archived=True),
    "imported": IMPORTED,
    "temporary": Wanted(kind=ConversationKind.AGENT, temporary=True),
    "derived": Wanted(kind=ConversationKind.TOOL),
    "active": Wanted(kind=ConversationKind.TOOL, status=ConversationStatus.ACTIVE),
    "completed": Wanted(kind=ConversationKind.TOOL, status=ConversationStatus.COMPLETED),
    "failed": Wanted(kind=ConversationKind.TOOL, status=ConversationStatus.FAILED),
    "all": Wanted(),
}
"""What the menu of the list offers. A chat is always active, so its status is not asked."""
_SEARCHED: Final = {CHATS: Wanted(kind=ConversationKind.AGENT)}
"""What a search is wider in: all chats, wherever they are."""


@dataclass(frozen=True)
class AgentItem:
    """An agent in the menu above the list."""

    id: str
    name: str


@dataclass(frozen=True)
class FolderItem:
    """A folder above the list. `kind` is what lists it."""

    id: str
    name: str
    count: int
    kind: str


class SidebarState(rx.State):
    """The list, and which row is being renamed or about to be deleted ("" for none).

    `folder` is the one that is listed, None for none. `counts` says how many conversations other lists have.

    `kind` and `agent` are which conversations are listed, which the tab keeps over a reload; `filtered`: whether those
    are other than all chats. `words` are those in the search field; `searching`: what is listed has them, best first;
    `complete`: all places with these words were compared.
    """

    conversations: rx.Field[tuple[ConversationItem, ...]] = rx.field(())
    loaded: rx.Field[bool] = rx.field(default=False)
    more: rx.Field[bool] = rx.field(default=False)
    kind: str = rx.SessionStorage(CHATS, name="inview.list.kind")
    agent: str = rx.SessionStorage(ANY_AGENT, name="inview.list.agent")
    counts: rx.Field[ListCounts] = rx.field(default_factory=ListCounts)
    folders: rx.Field[tuple[FolderItem, ...]] = rx.field(())
    folder: rx.Field[FolderItem | None] = rx.field(None)
    agents: rx.Field[tuple[AgentItem, ...]] = rx.field(())
    filtered: rx.Field[bool] = rx.field(default=False)
    words: rx.Field[str] = rx.field("")
    searching: rx.Field[bool] = rx.field(default=False)
    complete: rx.Field[bool] = rx.field(default=True)
    renaming: rx.Field[str] = rx.field("")
    deleting: rx.Field[str] = rx.field("")
    deleting_name: rx.Field[str] = rx.field("")
    deleting_temporary: rx.Field[bool] = rx.field(default=False)
    _shown: int = PAGE
    _version: int = -1

    @rx.event
    async def open(self) -> rx.event.EventType[()]:
        """Show the list as it is, and as it changes for as long as the page is open. For pages that are opened."""
        await self._load()
        return SidebarState.follow

    @rx.event(background=True)
    async def follow(self) -> None:
        """Read the list again whenever it changes, in this tab or elsewhere. Ends with the page and its connection."""
        wb = current()
        changes = wb.event_bus.subscribe_to_list(caller())
        if wb.event_bus.list_version(caller()) != self._version:
            changes.note()
        while True:
            await changes.wait()
            await asyncio.sleep(SETTLE_SECONDS)
            async with self:
                asked, zone = (self._wanted(), self.words, self._shown), await _zone_of(self)
            found = await _read(wb, *asked, zone, read_groups=read_shared_groups)
            folders, counts = await list_shared_folders(wb), await read_shared_counts(wb)
            async with self:
                self.counts = counts
                if asked == (self._wanted(), self.words, self._shown):
                    self._list(found)
                    self._show_folders(folders)

    @rx.event
    async def load(self) -> None:
        """Show the list as it is, with the agents that it can be restricted to."""
        await self._load()

    async def _load(self) -> None:
        agents = await list_agents(current(), caller())
        self.agents = tuple(AgentItem(agent.id, agent.name) for agent in agents)
        self._show_folders(await list_folders(current(), caller()))
        self.counts = await read_counts(current())
        await self._show(self.kind, self.agent)

    @rx.event
    async def show_kind(self, kind: str) -> None:
        """List chats, what was derived from them, or both; what is none of these changes nothing."""
        if self._lists(kind):
            self._shown = PAGE
            await self._show(kind, self.agent)

    @rx.event
    async def show_agent(self, agent_id: str) -> None:
        """List what this agent answers; `ANY_AGENT`: any, "": none."""
        await self._show(self.kind, agent_id)

    @rx.event
    async def show_chats(self) -> None:
        """List all chats again."""
        await self._show(CHATS, ANY_AGENT)

    async def _show(self, kind: str, agent_id: str) -> None:
        known = agent_id in ("", ANY_AGENT) or any(agent.id == agent_id for agent in self.agents)
        self.kind = kind if self._lists(kind) else CHATS  # the tab may have kept what is no choice any more
        self.agent = agent_id if known else ANY_AGENT
        self.filtered = (self.kind, self.agent) != (CHATS, ANY_AGENT)
        self.folder = next((folder for folder in self.folders if folder.kind == self.kind), None)
        await self._read()

    @rx.event
    async def search(self, words: str) -> None:
        """List only conversations that have these words; the last one may still be growing. Blank: list all again."""
        self.words, self._shown = (text_in(words, MAX_SEARCH) or "").strip(), PAGE
        await self._read()

    @rx.event
    async def show_more(self) -> None:
        self._shown += PAGE
        await self._read()

    @rx.event
    async def step(self, by: int) -> rx.event.EventSpec | None:
        """Open the next conversation of the list (1) or the previous one (-1); from other pages the first."""
        here = conversation_in(self.router.url.path)
        ids = [item.id for item in self.conversations]
        at = ids.index(here) + (1 if by == 1 else -1) if here in ids else 0
        if not 0 <= at < len(ids):
            await show_toast(self, translate("sidebar.no_neighbour"))
            return None
        return rx.redirect(conversation_path(ids[at]))

    async def _read(self) -> None:
        wb = current()
        self._version = wb.event_bus.list_version(caller())
        self._list(await _read(wb, self._wanted(), self.words, self._shown, await _zone_of(self)))
        self.loaded = True

    def _list(self, found: SearchedRows) -> None:
        self.searching = bool(self.words)
        self.conversations, self.more, self.complete = found.rows, found.more, found.complete

    def _show_folders(self, folders: tuple[Folder, ...]) -> None:
        self.folders = tuple(FolderItem(one.id, one.name, one.count, f"{FOLDER}{one.id}") for one in folders)
        self.folder = next((folder for folder in self.folders if folder.kind == self.kind), None)

    def _lists(self, kind: str) -> bool:
        return kind in _KINDS or any(folder.kind == kind for folder in self.folders)

    def _wanted(self) -> Wanted:
        if self.kind.startswith(FOLDER):
            wanted = replace(_IN_FOLDER, folder_id=self.kind.removeprefix(FOLDER))
        else:
            wanted = (_SEARCHED if self.words else _KINDS).get(self.kind) or _KINDS[self.kind]
        return replace(wanted, agent_id=None if self.agent == ANY_AGENT else self.agent)

    @rx.event
    async def begin_rename(self, conversation_id: str) -> None:
        self.renaming = conversation_id

    @rx.event
    async def end_rename(self) -> None:
        self.renaming = ""

    @rx.event
    async def rename_conversation(self, form: dict[str, Any]) -> None:
        """Give the conversation whose row is being edited the title in the form; an empty one takes it away."""
        conversation_id, self.renaming = self.renaming, ""
        if conversation_id:
            bench = await bench_of(current(), conversation_id)
            await change_conversation(bench, caller(), conversation_id, title=clean_title(form.get("title")))
            await self._read()

    @rx.event
    async def ask_delete(self, conversation_id: str) -> None:
        """Open the dialog that asks once more."""
        item = await read_row(await bench_of(current(), conversation_id), conversation_id)
        if item is not None:
            self.deleting, self.deleting_name = item.id, item.name
            self.deleting_temporary = item.temporary

    @rx.event
    async def end_delete(self) -> None:
        self.deleting = ""

    @rx.event
    async def delete_conversation(self) -> rx.event.EventSpec | None:
        """Delete the conversation that the dialog names."""
        conversation_id, self.deleting = self.deleting, ""
        if not conversation_id:
            return None
        await delete_conversation(await bench_of(current(), conversation_id), caller(), conversation_id)
        if not self.deleting_temporary:
            undo = cast("EventSpec", SidebarState.restore_conversation(conversation_id))
            await show_toast(
                self, translate("sidebar.deleted_conversation", shortened=_shortened(self.deleting_name)), undo=undo
            )
        await self._read()
        on_screen = conversation_in(self.router.url.path) == conversation_id
        return rx.redirect("/", replace=True) if on_screen else None

    @rx.event
    async def restore_conversation(self, conversation_id: str) -> rx.event.EventSpec:
        """Bring a deleted conversation back, and open it."""
        await restore(current(), caller(), str(conversation_id))
        await self._read()
        return rx.redirect(conversation_path(str(conversation_id)))


async def _zone_of(state: rx.State) -> ZoneInfo:
    """The reader's time zone."""
    return ZoneInfo(zone_in((await state.get_state(FilterState)).zone) or UTC_ZONE)


async def _read(  # noqa: PLR0913, PLR0917 - what is asked for, and how it is read
    wb: Workbench,
    wanted: Wanted,
    words: str,
    limit: int,
    zone: ZoneInfo,
    read_groups: Callable[..., Awaitable[Rows]] = read_groups,
) -> SearchedRows:
    if words:
        return await search_rows(wb, wanted, as_typed(words), limit=limit)
    rows, more = await read_groups(wb, wanted, zone, limit=limit)
    return SearchedRows(rows, more, complete=True)


def _shortened(name: str) -> str:
    return f"{name[: _MAX_NAME - 1]}…" if len(name) > _MAX_NAME else name
