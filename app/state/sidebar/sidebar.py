"""The left column: the list of conversations, its search, and the commands that rename or delete one of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.agents.agents import Agent
from app.domain.conversation.conversation import ConversationKind, ConversationStatus
from app.domain.conversation.damage import find_damaged_title
from app.domain.conversation.folders import MAX_FOLDERS
from app.domain.errors import InviewError
from app.domain.text.search import has_unspaced
from app.runs.agents.agent_commands import list_agents
from app.runs.app_context import context_for, current
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation, delete_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.trash.trash import restore
from app.state.messages.toasts import Undo, show_fault, show_toast
from app.state.sidebar.conversation_rows import (
    ConversationItem,
    FolderItem,
    FoundRows,
    FoundWords,
    WantedList,
    list_found,
    read_list,
)
from app.state.sidebar.shared_list import share_list
from app.state.sidebar.titles import clean_title
from app.state.tab.address import conversation_in, conversation_path
from app.state.tab.inputs import text_in
from app.state.tab.visit import VisitedState, visit_of
from app.store.conversation.conversations import load_conversation
from app.store.conversation.lists import ListCriteria

PAGE: Final = 50
"""Number of conversations that are shown at first, and that each "Show older" adds."""

MAX_SEARCH: Final = 1_000
"""Maximum number of characters of a search."""

MAX_ID: Final = 64
"""Maximum number of characters of an id from the browser."""

_MAX_NAME: Final = 50
"""Maximum number of characters of a name in a toast."""

_MAX_TITLE: Final = 100_000
"""Maximum number of characters of an earlier title that Undo sends."""

CHATS: Final = "chats"
ANY_AGENT: Final = "any"
"""The value of `SidebarState.agent` that lists the conversations of all agents and those without an agent.

No agent has this id. The value "" lists only the conversations without an agent.
"""

_KINDS: Final = {
    CHATS: ListCriteria(kind=ConversationKind.AGENT),
    "derived": ListCriteria(kind=ConversationKind.TOOL),
    "active": ListCriteria(kind=ConversationKind.TOOL, status=ConversationStatus.ACTIVE),
    "completed": ListCriteria(kind=ConversationKind.TOOL, status=ConversationStatus.COMPLETED),
    "failed": ListCriteria(kind=ConversationKind.TOOL, status=ConversationStatus.FAILED),
    "all": ListCriteria(),
}
"""The kinds of conversations that the menu above the list offers.

Only child conversations can also be chosen by status, because a chat always has the status active.
"""


@dataclass(frozen=True)
class AgentMenuItem:
    """An agent in the menu above the list of conversations."""

    id: str
    name: str


class SidebarState(VisitedState, rx.State):
    """The list of conversations, its search, and the row that is being renamed or about to be deleted ("" for none).

    The listed conversations:

    - `kind`, `agent`: select them. The tab keeps both over a reload.
    - `filtered`: `kind` or `agent` differs from the default, which is all chats.
    - `more`: there are more conversations than those listed.
    - `folders`: the folders above `conversations`, which has the conversations in no folder. A search or a filter lists
      the conversations of all folders in `conversations`, and no folders.
    - `opened`: the ids of the expanded folders, with blanks between them. The tab keeps them over a reload.
    - `agents`: the agents in the menu.

    The search:

    - `words`: the text of the search field.
    - `kept_words`: the text that the field had before a reload of the page.
    - `searching`: the list has the results of a search, best matches first.
    - `complete`: all conversations were searched. Otherwise, older ones were not searched and may match too.
    - `found_words`: the words of the search as each conversation has them.
    - `unspaced`: the search has letters of a script without blanks between words, such as Chinese.

    Private data:

    - `_searched_on`: the connection on which `words` was typed.
    - `_looked_at`: False if the page has reported that the list is not on screen.
    - `_loaded_on`: the connection at the last load.
    - `_version`: the version of the list when its rows were read.
    - `_steps`: the conversation on the page, followed by those that the user has since stepped to with keys and that
      the page has not opened yet.
    """

    conversations: rx.Field[tuple[ConversationItem, ...]] = rx.field(())
    folders: rx.Field[tuple[FolderItem, ...]] = rx.field(())
    opened: str = rx.SessionStorage("", name="inview.list.folders")
    loaded: rx.Field[bool] = rx.field(default=False)
    more: rx.Field[bool] = rx.field(default=False)
    kind: str = rx.SessionStorage(CHATS, name="inview.list.kind")
    agent: str = rx.SessionStorage(ANY_AGENT, name="inview.list.agent")
    agents: rx.Field[tuple[AgentMenuItem, ...]] = rx.field(())
    filtered: rx.Field[bool] = rx.field(default=False)
    words: rx.Field[str] = rx.field("")
    kept_words: rx.Field[str] = rx.field("")
    searching: rx.Field[bool] = rx.field(default=False)
    unspaced: rx.Field[bool] = rx.field(default=False)
    complete: rx.Field[bool] = rx.field(default=True)
    found_words: rx.Field[tuple[FoundWords, ...]] = rx.field(())
    renaming: rx.Field[str] = rx.field("")
    deleting: rx.Field[str] = rx.field("")
    deleting_name: rx.Field[str] = rx.field("")
    deleting_temporary: rx.Field[bool] = rx.field(default=False)
    _shown: int = PAGE
    _version: int = -1
    _steps: tuple[str, ...] = ()
    _searched_on: str = ""
    _looked_at: bool = True
    _loaded_on: str = ""

    @rx.event
    async def open(self) -> rx.event.EventType[()]:
        """Show the list of conversations. Update it after each change while the page is open and the list on screen."""
        return await self._open(await list_agents(current(), LOCAL_OWNER))

    async def _open(self, agents: Iterable[Agent]) -> rx.event.EventType[()]:
        connection, _ = await visit_of(self)
        if connection != self._loaded_on:  # a page that was just loaded does not report that its list is on screen
            self._loaded_on, self._looked_at = connection, True
        await self._load(agents)
        return SidebarState.follow

    @rx.event
    async def look(self, on: bool) -> None:
        """Note whether the list of conversations is on screen. If it appears and has changed, read it.

        While the list is not on screen, the tab does not read the list after changes of conversations. The page sends
        this event as soon as it connects, so this handler may run before `open`.
        """
        self._looked_at = on is True
        self._loaded_on, _ = await visit_of(self)
        if self._looked_at:
            await self._catch_up()

    @rx.event(background=True)
    async def follow(self) -> None:
        """Update the list of conversations after each change, here or elsewhere, until the page disconnects or closes.

        The list is read once for all tabs that show the same one (`shared_list.py`). A tab whose list is not on screen
        reads nothing. Unless a row has changed, a tab does not even lock its state.
        """
        ctx = current()
        changes = ctx.event_bus.subscribe_to_list(LOCAL_OWNER)
        if ctx.event_bus.list_version(LOCAL_OWNER) != self._version:
            changes.note()
        shared = share_list(ctx, self._wanted())
        shown: tuple[FoundRows, int] | None = None  # the rows that this handler showed last, and their version
        while True:
            await changes.wait()
            if not self._is_on_screen():
                continue
            if shared.wanted != (wanted := self._wanted()):
                shared, shown = share_list(ctx, wanted), None
            found = await shared.read(ctx.event_bus.list_version(LOCAL_OWNER))
            version = shared.version
            if shown is not None and found is shown[0] and self._version == shown[1]:
                continue
            async with self:
                # Show the rows only if no other handler has read another list, or newer rows of this list, meanwhile.
                if wanted == self._wanted() and version >= self._version:
                    self._list(found)
                    self._version, shown = version, (found, version)

    @rx.event
    async def load(self) -> None:
        """Read and show the list of conversations, and the agents that it can be limited to."""
        await self._load(await list_agents(current(), LOCAL_OWNER))

    async def _load(self, agents: Iterable[Agent]) -> None:
        if conversation_in(self.router.url.path) not in self._steps[1:-1]:
            self._steps = ()
        if self._searched_on != (await visit_of(self))[0]:
            self.kept_words = self.words
        self.agents = tuple(AgentMenuItem(agent.id, agent.name) for agent in agents)
        self._choose(self.kind, self.agent)
        if self._is_on_screen() or not self.loaded:
            await self._read()

    @rx.event
    async def show_kind(self, kind: str) -> None:
        """List chats, child conversations or both. An unknown kind changes nothing."""
        if kind in _KINDS:
            await self._show(kind, self.agent)

    @rx.event
    async def show_agent(self, agent_id: str) -> None:
        """List the conversations of this agent. "any": of any agent or none; "": only those without an agent."""
        await self._show(self.kind, agent_id)

    @rx.event
    async def show_chats(self) -> None:
        """List all chats again."""
        await self._show(CHATS, ANY_AGENT)

    async def _show(self, kind: str, agent_id: str) -> None:
        self._choose(kind, agent_id)
        await self._read()

    def _choose(self, kind: str, agent_id: str) -> None:
        known = agent_id in ("", ANY_AGENT) or any(agent.id == agent_id for agent in self.agents)
        self.kind = kind if kind in _KINDS else CHATS  # the tab may have stored a choice that no longer exists
        self.agent = agent_id if known else ANY_AGENT
        self.filtered = (self.kind, self.agent) != (CHATS, ANY_AGENT)

    @rx.event
    async def toggle_folder(self, folder_id: str) -> None:
        """Expand a folder, or collapse it. An id that is not a text changes nothing."""
        if (folder := text_in(folder_id, MAX_ID)) is None:
            return
        opened = self._opened()
        self.opened = " ".join(sorted(opened ^ {folder})[:MAX_FOLDERS])
        await self._read()

    def _opened(self) -> set[str]:
        """Return the ids of the expanded folders. The tab may have stored any text."""
        return {one for one in self.opened.split()[:MAX_FOLDERS] if len(one) <= MAX_ID}

    @rx.event
    async def search(self, words: str) -> None:
        """List only the conversations that have these words. The last word may be incomplete.

        A blank text ends the search.
        """
        self.words, self._shown = (text_in(words, MAX_SEARCH) or "").strip(), PAGE
        self._searched_on, _ = await visit_of(self)
        await self._read()

    @rx.event
    async def show_more(self) -> None:
        self._shown += PAGE
        await self._read()

    @rx.event
    async def step(self, by: int) -> rx.event.EventSpec | None:
        """Open the next conversation of the list (`by` is 1) or the previous one (-1).

        If the page shows no conversation of the list, open the first one. If a previous step has not opened its
        conversation yet, count from that conversation.
        """
        if not self._is_on_screen():
            await self._catch_up()
        shown = conversation_in(self.router.url.path)
        steps = self._steps if shown in self._steps else (shown,)
        here = steps[-1]
        ids = [item.id for item in self._rows()]
        at = ids.index(here) + (1 if by == 1 else -1) if here in ids else 0
        if not 0 <= at < len(ids):
            await show_toast(self, "No more conversations in that direction.")
            return None
        self._steps = (*steps, ids[at])
        return rx.redirect(conversation_path(ids[at]))

    async def _read(self) -> None:
        ctx = current()
        version = ctx.event_bus.list_version(LOCAL_OWNER)
        self._list(await read_list(ctx, self._wanted()))
        self._version, self.loaded = version, True

    async def _catch_up(self) -> None:
        """Read the list if it has changed since it was read."""
        if self._version != current().event_bus.list_version(LOCAL_OWNER):
            await self._read()

    def _is_on_screen(self) -> bool:
        """Return False if the page reported that its list is not on screen. The start page always shows some rows."""
        return self._looked_at or not conversation_in(self.router.url.path)

    def _list(self, found: FoundRows) -> None:
        self.conversations, self.more, self.complete = found.rows, found.more, found.complete
        self.folders = found.folders
        self.searching, self.unspaced = bool(self.words), has_unspaced(self.words)
        self.found_words = list_found(found.rows)

    def _wanted(self) -> WantedList:
        kind = _KINDS.get(self.kind, _KINDS[CHATS])  # a tab that connects again may send any text
        criteria = replace(kind, agent_id=None if self.agent == ANY_AGENT else self.agent)
        has_folders = not self.words and (self.kind, self.agent) == (CHATS, ANY_AGENT)
        return WantedList(criteria, self.words, self._shown, tuple(sorted(self._opened())) if has_folders else None)

    @rx.event
    async def begin_rename(self, conversation_id: str) -> None:
        await self._come()
        self.renaming = conversation_id

    @rx.event
    async def end_rename(self) -> None:
        self.renaming = ""

    @rx.event
    async def rename_conversation(self, form: dict[str, Any]) -> None:
        """Give the conversation whose row is being edited the title in the form. An empty text removes the title."""
        conversation_id, self.renaming = self.renaming, ""
        if conversation_id:
            await rename_with_undo(self, conversation_id, clean_title(form.get("title")))
            await self._read()

    @rx.event
    async def put_title_back(self, conversation_id: str, title: str, titled_by_model: bool) -> None:
        """Give a conversation its earlier title again; "": none. Undo sends this event."""
        found, earlier = text_in(conversation_id, MAX_ID), text_in(title, _MAX_TITLE)
        if found is None or earlier is None:
            return
        changes = SettingChanges(title=earlier, titled_by_model=titled_by_model is True)
        try:
            await change_conversation(await context_for(current(), found), LOCAL_OWNER, found, changes)
        except InviewError as error:
            await show_fault(self, error)
        await self._read()

    @rx.event
    async def ask_delete(self, conversation_id: str) -> None:
        """Open the dialog that asks before a conversation is deleted."""
        if not self._is_on_screen():
            await self._catch_up()
        item = self._find(conversation_id)
        if item is None:  # the conversation may be too new for the list
            await self._read()
            item = self._find(conversation_id)
        if item is not None:
            await self._come()
            self.deleting, self.deleting_name = item.id, item.name
            self.deleting_temporary = item.temporary

    async def _end_visit(self) -> None:
        self.deleting, self.renaming = "", ""

    def _find(self, conversation_id: str) -> ConversationItem | None:
        return next((item for item in self._rows() if item.id == conversation_id), None)

    def _rows(self) -> tuple[ConversationItem, ...]:
        """Return all listed conversations as they are on the screen: those of expanded folders first."""
        return (*(row for folder in self.folders for row in folder.rows), *self.conversations)

    @rx.event
    async def end_delete(self) -> None:
        self.deleting = ""

    @rx.event
    async def delete_conversation(self) -> rx.event.EventSpec | None:
        """Delete the conversation that the deletion dialog names."""
        conversation_id, self.deleting = self.deleting, ""
        if not conversation_id:
            return None
        await delete_conversation(await context_for(current(), conversation_id), LOCAL_OWNER, conversation_id)
        if not self.deleting_temporary:
            undo = cast("EventSpec", SidebarState.restore_conversation(conversation_id))
            message = f"Deleted the conversation “{shorten_name(self.deleting_name)}”"
            await show_toast(self, message, undo=Undo(undo, deleted=conversation_id))
        await self._read()
        on_screen = conversation_in(self.router.url.path) == conversation_id
        return rx.redirect("/", replace=True) if on_screen else None

    @rx.event
    async def restore_conversation(self, conversation_id: str) -> rx.event.EventSpec:
        """Restore a deleted conversation, and open it."""
        await restore(current(), LOCAL_OWNER, str(conversation_id))
        await self._read()
        return rx.redirect(conversation_path(str(conversation_id)))


async def open_sidebar(state: SidebarState, agents: Iterable[Agent]) -> rx.event.EventType[()]:
    """Show the list of conversations, and these agents in its menu. Return the event that follows its changes."""
    return await state._open(agents)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - public methods are for browsers


async def read_list_again(state: rx.State) -> None:
    """Read the list of conversations again, after a change of a folder."""
    await (await state.get_state(SidebarState))._read()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - as above


async def rename_with_undo(state: rx.State, conversation_id: str, title: str) -> None:
    """Change the title of a conversation, and show a toast with Undo. If it has this title already, do nothing."""
    ctx = await context_for(current(), conversation_id)
    async with ctx.store.read() as session:
        before = await load_conversation(session, LOCAL_OWNER, conversation_id)
    if title == before.title and find_damaged_title(before.damage) is None:
        return
    await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(title=title))
    undo = SidebarState.put_title_back(conversation_id, before.title, before.titled_by_model)
    done = f"Renamed the conversation to “{shorten_name(title)}”" if title else "Removed the title of the conversation"
    await show_toast(state, done, undo=Undo(cast("EventSpec", undo)))


async def expand_folder(state: rx.State, folder_id: str) -> None:
    """Expand this folder, and read the list of conversations again."""
    sidebar = await state.get_state(SidebarState)
    opened = sidebar._opened() | {folder_id}  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - as above
    sidebar.opened = " ".join(sorted(opened)[:MAX_FOLDERS])
    await sidebar._read()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - as above


def shorten_name(name: str) -> str:
    return f"{name[: _MAX_NAME - 1]}…" if len(name) > _MAX_NAME else name
