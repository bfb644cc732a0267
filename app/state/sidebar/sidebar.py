"""The left column: the list of conversations, and the commands for one of them without opening it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, Final, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.conversation.conversation import ConversationKind, ConversationStatus
from app.domain.search import as_typed, has_unspaced
from app.runs.app_context import AppContext, context_for, current
from app.runs.library.agent_commands import list_agents
from app.runs.library.trash import restore
from app.runs.send.commands import LOCAL_OWNER, change_conversation, delete_conversation
from app.state.messages.toasts import Undo, show_toast
from app.state.sidebar.conversation_rows import (
    ConversationItem,
    FoundWords,
    SearchedRows,
    list_found,
    read_rows,
    read_shared_rows,
    search_rows,
)
from app.state.sidebar.titles import clean_title
from app.state.tab.address import conversation_in, conversation_path
from app.state.tab.inputs import text_in
from app.state.tab.visit import visit_of
from app.store.conversation.conversations import ListCriteria

PAGE: Final = 50
"""Number of conversations that are shown at first, and that each "Show older" adds."""

SETTLE_SECONDS: Final = 0.2
"""Delay between a change and the next reading of the list, so that several changes cause one reading.

The first text of a reply is more urgent than the list.
"""

MAX_SEARCH: Final = 1_000
"""Maximum number of characters of a search."""

_MAX_NAME: Final = 50
"""Maximum number of characters of a name in a toast."""

CHATS: Final = "chats"
ANY_AGENT: Final = "any"
"""The value of `SidebarState.agent` that lists the conversations of all agents and those without an agent.

No agent has this id. The value "" lists only the conversations without an agent.
"""

Rows = tuple[tuple[ConversationItem, ...], bool]

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
    """An agent in the menu above the list."""

    id: str
    name: str


class SidebarState(rx.State):
    """The list of conversations, its search, and the row that is being renamed or about to be deleted ("" for none).

    `kind` and `agent` select the listed conversations, and the tab keeps them over a reload. `filtered`: they differ
    from the default, all chats. `more`: there are more conversations than those listed. `agents` are the agents in the
    menu.

    `words` is the text of the search field. After a reload of the page, `kept_words` is the text that the field had.
    `searching`: the list has the results of a search, best matches first. `complete`: all conversations were searched.
    False: older ones that were not searched may match too. `found_words` are the words of the search as each
    conversation has them. `unspaced`: the search has letters of a script without blanks between words, such as Chinese.
    `_searched_on` is the connection on which `words` was typed.

    `_steps` lists the conversation on the page, then those to which the user has stepped with keys since: the page has
    not opened them yet.
    """

    conversations: rx.Field[tuple[ConversationItem, ...]] = rx.field(())
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

    @rx.event
    async def open(self) -> rx.event.EventType[()]:
        """Show the list, and update it after each change while the page is open."""
        await self._load()
        return SidebarState.follow

    @rx.event(background=True)
    async def follow(self) -> None:
        """Read the list again after each change, here or elsewhere, until the page or its connection is closed."""
        ctx = current()
        changes = ctx.event_bus.subscribe_to_list(LOCAL_OWNER)
        if ctx.event_bus.list_version(LOCAL_OWNER) != self._version:
            changes.note()
        while True:
            await changes.wait()
            await asyncio.sleep(SETTLE_SECONDS)
            async with self:
                query = self._criteria(), self.words, self._shown
            found = await _read(ctx, *query, read_rows=read_shared_rows)
            async with self:
                if query == (self._criteria(), self.words, self._shown):
                    self._list(found)

    @rx.event
    async def load(self) -> None:
        """Read and show the list, and the agents that the list can be limited to."""
        await self._load()

    async def _load(self) -> None:
        if conversation_in(self.router.url.path) not in self._steps[1:-1]:
            self._steps = ()
        if self._searched_on != (await visit_of(self))[0]:
            self.kept_words = self.words
        agents = await list_agents(current(), LOCAL_OWNER)
        self.agents = tuple(AgentMenuItem(agent.id, agent.name) for agent in agents)
        await self._show(self.kind, self.agent)

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
        known = agent_id in ("", ANY_AGENT) or any(agent.id == agent_id for agent in self.agents)
        self.kind = kind if kind in _KINDS else CHATS  # the tab may have kept a choice that no longer exists
        self.agent = agent_id if known else ANY_AGENT
        self.filtered = (self.kind, self.agent) != (CHATS, ANY_AGENT)
        await self._read()

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
        shown = conversation_in(self.router.url.path)
        steps = self._steps if shown in self._steps else (shown,)
        here = steps[-1]
        ids = [item.id for item in self.conversations]
        at = ids.index(here) + (1 if by == 1 else -1) if here in ids else 0
        if not 0 <= at < len(ids):
            await show_toast(self, "No more conversations in that direction.")
            return None
        self._steps = (*steps, ids[at])
        return rx.redirect(conversation_path(ids[at]))

    async def _read(self) -> None:
        ctx = current()
        self._version = ctx.event_bus.list_version(LOCAL_OWNER)
        self._list(await _read(ctx, self._criteria(), self.words, self._shown))
        self.loaded = True

    def _list(self, found: SearchedRows) -> None:
        self.conversations, self.more, self.complete = found.rows, found.more, found.complete
        self.searching, self.unspaced = bool(self.words), has_unspaced(self.words)
        self.found_words = list_found(found.rows)

    def _criteria(self) -> ListCriteria:
        return replace(_KINDS[self.kind], agent_id=None if self.agent == ANY_AGENT else self.agent)

    @rx.event
    async def begin_rename(self, conversation_id: str) -> None:
        self.renaming = conversation_id

    @rx.event
    async def end_rename(self) -> None:
        self.renaming = ""

    @rx.event
    async def rename_conversation(self, form: dict[str, Any]) -> None:
        """Give the conversation whose row is being edited the title in the form. An empty text removes the title."""
        conversation_id, self.renaming = self.renaming, ""
        if conversation_id:
            ctx = await context_for(current(), conversation_id)
            await change_conversation(ctx, LOCAL_OWNER, conversation_id, title=clean_title(form.get("title")))
            await self._read()

    @rx.event
    async def ask_delete(self, conversation_id: str) -> None:
        """Open the dialog that asks before a conversation is deleted."""
        item = self._find(conversation_id)
        if item is None:  # the conversation may be too new for the list
            await self._read()
            item = self._find(conversation_id)
        if item is not None:
            self.deleting, self.deleting_name = item.id, item.name
            self.deleting_temporary = item.temporary

    def _find(self, conversation_id: str) -> ConversationItem | None:
        return next((item for item in self.conversations if item.id == conversation_id), None)

    @rx.event
    async def end_delete(self) -> None:
        self.deleting = ""

    @rx.event
    async def delete_conversation(self) -> rx.event.EventSpec | None:
        """Delete the conversation that the dialog names."""
        conversation_id, self.deleting = self.deleting, ""
        if not conversation_id:
            return None
        await delete_conversation(await context_for(current(), conversation_id), LOCAL_OWNER, conversation_id)
        if not self.deleting_temporary:
            undo = cast("EventSpec", SidebarState.restore_conversation(conversation_id))
            message = f"Deleted the conversation “{_shortened(self.deleting_name)}”"
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


async def _read(
    ctx: AppContext,
    criteria: ListCriteria,
    words: str,
    limit: int,
    read_rows: Callable[..., Awaitable[Rows]] = read_rows,
) -> SearchedRows:
    if words:
        return await search_rows(ctx, criteria, as_typed(words), limit=limit)
    rows, more = await read_rows(ctx, criteria, limit=limit)
    return SearchedRows(rows, more, complete=True)


def _shortened(name: str) -> str:
    return f"{name[: _MAX_NAME - 1]}…" if len(name) > _MAX_NAME else name
