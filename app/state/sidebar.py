"""The left column: the conversations, and what can be done to one of them without opening it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

import reflex as rx

from app.domain.conversation import ConversationKind, ConversationStatus
from app.domain.errors import NotFoundError
from app.runs.agent_commands import list_agents
from app.runs.commands import LOCAL_OWNER, change_conversation, delete_conversation
from app.runs.ids import now
from app.runs.temporary import bench_of
from app.runs.workbench import Workbench, current
from app.state.address import conversation_in
from app.state.titles import clean_title, name_of
from app.store.conversations import Listed, Wanted, describe_listed, list_conversations
from app.views.conversation import cut_snippet

PAGE: Final = 50
"""Conversations shown at first, and added by each "Show older"."""

CHATS: Final = "chats"
ANY_AGENT: Final = "any"
"""No id of an agent reads so; "" is having none."""

_KINDS: Final = {
    CHATS: Wanted(kind=ConversationKind.AGENT),
    "derived": Wanted(kind=ConversationKind.TOOL),
    "active": Wanted(kind=ConversationKind.TOOL, status=ConversationStatus.ACTIVE),
    "completed": Wanted(kind=ConversationKind.TOOL, status=ConversationStatus.COMPLETED),
    "failed": Wanted(kind=ConversationKind.TOOL, status=ConversationStatus.FAILED),
    "all": Wanted(),
}
"""What the menu of the list offers. A chat is always active, so its status is not asked."""

_DERIVED: Final = {
    ConversationStatus.ACTIVE: "Derived, under way",
    ConversationStatus.COMPLETED: "Derived",
    ConversationStatus.FAILED: "Derived, failed",
}


@dataclass(frozen=True)
class AgentItem:
    """An agent in the menu above the list."""

    id: str
    name: str


@dataclass(frozen=True)
class ConversationItem:
    """A row of the list. `snippet` is empty where it would only repeat the name.

    `derived`: what stands for it not being a chat, and whether it failed; "" for a chat.
    """

    id: str
    name: str
    snippet: str
    updated_at: str
    running: bool
    temporary: bool = False
    derived: str = ""


_NONE: Final = ConversationItem("", "", "", "", running=False)


class SidebarState(rx.State):
    """The list, and which row is being renamed or about to be deleted ("" for none).

    `deleted` is the one that was put into the trash last.

    `kind` and `agent` are which conversations are listed, which the tab keeps over a reload; `filtered`: whether those
    are other than all chats.

    `fresh` is a row of the list as it is by now, and stands at `place`: a reply changes one row, and only that is sent.
    """

    conversations: rx.Field[list[ConversationItem]] = rx.field(default_factory=list[ConversationItem])
    fresh: rx.Field[ConversationItem] = rx.field(default_factory=lambda: _NONE)
    place: rx.Field[int] = rx.field(0)
    loaded: rx.Field[bool] = rx.field(default=False)
    more: rx.Field[bool] = rx.field(default=False)
    kind: str = rx.SessionStorage(CHATS, name="inview.list.kind")
    agent: str = rx.SessionStorage(ANY_AGENT, name="inview.list.agent")
    agents: rx.Field[list[AgentItem]] = rx.field(default_factory=list[AgentItem])
    filtered: rx.Field[bool] = rx.field(default=False)
    renaming: rx.Field[str] = rx.field("")
    deleting: rx.Field[str] = rx.field("")
    deleting_name: rx.Field[str] = rx.field("")
    deleting_temporary: rx.Field[bool] = rx.field(default=False)
    deleted: rx.Field[str] = rx.field("")
    deleted_name: rx.Field[str] = rx.field("")
    deleted_at: rx.Field[str] = rx.field("")
    _shown: int = PAGE

    @rx.event
    async def load(self) -> None:
        agents = await list_agents(current(), LOCAL_OWNER)
        self.agents = [AgentItem(agent.id, agent.name) for agent in agents]
        await self._show(self.kind, self.agent)

    @rx.event
    async def show_kind(self, kind: str) -> None:
        """List chats, what was derived from them, or both; what is none of these changes nothing."""
        if kind in _KINDS:
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
        self.kind = kind if kind in _KINDS else CHATS  # the tab may have kept what is no choice any more
        self.agent = agent_id if known else ANY_AGENT
        self.filtered = (self.kind, self.agent) != (CHATS, ANY_AGENT)
        await self._read()

    @rx.event
    async def refresh(self) -> None:
        """Read the conversation on screen again; the list too if that is not its first, or is called otherwise."""
        conversation_id = conversation_in(self.router.url.path)
        wb = await bench_of(current(), conversation_id)
        try:
            async with wb.store.read() as session:
                listed = await describe_listed(session, LOCAL_OWNER, conversation_id)
        except NotFoundError:
            await self._read()
            return
        item = _describe(listed, _running(wb))
        seen = self._seen()
        first = next((one for one in seen if one.temporary == item.temporary), _NONE)
        if (first.id, first.name) == (item.id, item.name):
            self.fresh, self.place = item, seen.index(first)
        else:
            await self._read(item.id)

    @rx.event
    async def show_more(self) -> None:
        self._shown += PAGE
        await self._read()

    async def _read(self, changed: str = "") -> None:
        """Read the list again. If it is as it was but for the row said to have changed, only that is sent."""
        wb = current()
        async with wb.store.read() as session:
            found = await list_conversations(session, LOCAL_OWNER, limit=self._shown + 1, wanted=self._wanted())
        running = _running(wb)
        shown = [
            *await _list_temporary(wb, self._wanted()),
            *(_describe(listed, running) for listed in found[: self._shown]),
        ]
        self.more = len(found) > self._shown
        self.loaded = True
        row = next((item for item in shown if item.id == changed), _NONE)
        if row.id and self._find(row.id) and _without(shown, row.id) == _without(self.conversations, row.id):
            self.fresh, self.place = row, shown.index(row)
        else:
            self.conversations, self.fresh = shown, _NONE

    def _seen(self) -> list[ConversationItem]:
        """The rows as they stand on the screen."""
        if not self.fresh.id:
            return list(self.conversations)
        others = _without(self.conversations, self.fresh.id)
        return [*others[: self.place], self.fresh, *others[self.place :]]

    def _wanted(self) -> Wanted:
        return replace(_KINDS[self.kind], agent_id=None if self.agent == ANY_AGENT else self.agent)

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
            await change_conversation(bench, LOCAL_OWNER, conversation_id, title=clean_title(form.get("title")))
            await self._read()

    @rx.event
    async def ask_delete(self, conversation_id: str) -> None:
        """Open the dialog that asks once more."""
        item = self._find(conversation_id)
        if item is None:  # made a moment ago
            await self._read()
            item = self._find(conversation_id)
        if item is not None:
            self.deleting, self.deleting_name = item.id, item.name
            self.deleting_temporary = item.temporary

    def _find(self, conversation_id: str) -> ConversationItem | None:
        return next((item for item in self._seen() if item.id == conversation_id), None)

    @rx.event
    async def end_delete(self) -> None:
        self.deleting = ""

    @rx.event
    async def delete_conversation(self) -> rx.event.EventSpec | None:
        """Delete the conversation that the dialog names."""
        conversation_id, self.deleting = self.deleting, ""
        if not conversation_id:
            return None
        await delete_conversation(await bench_of(current(), conversation_id), LOCAL_OWNER, conversation_id)
        if not self.deleting_temporary:
            self.deleted, self.deleted_name, self.deleted_at = conversation_id, self.deleting_name, now().isoformat()
        await self._read()
        on_screen = conversation_in(self.router.url.path) == conversation_id
        return rx.redirect("/", replace=True) if on_screen else None


def _without(items: Iterable[ConversationItem], conversation_id: str) -> list[ConversationItem]:
    return [item for item in items if item.id != conversation_id]


async def _list_temporary(wb: Workbench, wanted: Wanted) -> list[ConversationItem]:
    """Those in memory, which stand above all others."""
    bench = wb.beside.bench
    if bench is None:
        return []
    async with bench.store.read() as session:
        found = await list_conversations(session, LOCAL_OWNER, limit=PAGE, wanted=wanted)
    running = _running(bench)
    return [_describe(listed, running) for listed in found]


def _running(wb: Workbench) -> set[str]:
    """The conversations in which a reply is on."""
    return {run.place.conversation_id for run in wb.engine.runs.values()}


def _describe(listed: Listed, running: set[str]) -> ConversationItem:
    conversation = listed.conversation
    name, words = name_of(conversation.title, cut_snippet(listed.opening)), cut_snippet(listed.snippet)
    return ConversationItem(
        id=conversation.id,
        name=name,
        snippet=words if words != name else "",
        updated_at=conversation.updated_at.isoformat(),
        running=conversation.id in running,
        temporary=conversation.temporary,
        derived="" if conversation.kind is ConversationKind.AGENT else _DERIVED[conversation.status],
    )
