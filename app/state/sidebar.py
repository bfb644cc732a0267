"""The left column: the conversations, and what can be done to one of them without opening it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import reflex as rx

from app.domain.conversation import ConversationKind
from app.runs.commands import LOCAL_OWNER, change_conversation, delete_conversation
from app.runs.workbench import current
from app.state.address import conversation_in
from app.state.titles import clean_title, name_of
from app.store.conversations import Listed, Wanted, list_conversations
from app.views.conversation import cut_snippet

PAGE: Final = 50
"""Conversations shown at first, and added by each "Show older"."""

_CHATS: Final = Wanted(kind=ConversationKind.AGENT)


@dataclass(frozen=True)
class ConversationItem:
    """A row of the list. `snippet` is empty where it would only repeat the name."""

    id: str
    name: str
    snippet: str
    updated_at: str
    running: bool


class SidebarState(rx.State):
    """The list, and which row is being renamed or about to be deleted ("" for none)."""

    conversations: rx.Field[list[ConversationItem]] = rx.field(default_factory=list[ConversationItem])
    loaded: rx.Field[bool] = rx.field(default=False)
    more: rx.Field[bool] = rx.field(default=False)
    renaming: rx.Field[str] = rx.field("")
    deleting: rx.Field[str] = rx.field("")
    deleting_name: rx.Field[str] = rx.field("")
    _shown: int = PAGE

    @rx.event
    async def load(self) -> None:
        await self._read()

    @rx.event
    async def show_more(self) -> None:
        self._shown += PAGE
        await self._read()

    async def _read(self) -> None:
        wb = current()
        async with wb.store.read() as session:
            found = await list_conversations(session, LOCAL_OWNER, limit=self._shown + 1, wanted=_CHATS)
        running = {run.place.conversation_id for run in wb.engine.runs.values()}
        self.conversations = [_describe(listed, running) for listed in found[: self._shown]]
        self.more = len(found) > self._shown
        self.loaded = True

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
            await change_conversation(current(), LOCAL_OWNER, conversation_id, title=clean_title(form.get("title")))
            await self._read()

    @rx.event
    async def ask_delete(self, conversation_id: str) -> None:
        """Open the dialog that asks once more."""
        item = next((item for item in self.conversations if item.id == conversation_id), None)
        if item is not None:
            self.deleting, self.deleting_name = item.id, item.name

    @rx.event
    async def end_delete(self) -> None:
        self.deleting = ""

    @rx.event
    async def delete_conversation(self) -> rx.event.EventSpec | None:
        """Delete the conversation that the dialog names."""
        conversation_id, self.deleting = self.deleting, ""
        if not conversation_id:
            return None
        await delete_conversation(current(), LOCAL_OWNER, conversation_id)
        await self._read()
        on_screen = conversation_in(self.router.url.path) == conversation_id
        return rx.redirect("/", replace=True) if on_screen else None


def _describe(listed: Listed, running: set[str]) -> ConversationItem:
    conversation = listed.conversation
    name, words = name_of(conversation.title, cut_snippet(listed.opening)), cut_snippet(listed.snippet)
    return ConversationItem(
        id=conversation.id,
        name=name,
        snippet=words if words != name else "",
        updated_at=conversation.updated_at.isoformat(),
        running=conversation.id in running,
    )
