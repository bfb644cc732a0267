"""The stored messages of the conversation on screen, by kind, as the section Messages of the inspector lists them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import reflex as rx

from app.domain.conversation.message_kinds import ALL_MESSAGES, MessageFilter, MessageKind
from app.domain.errors import InviewError
from app.providers.counts.vocabularies import vocabulary_of
from app.runs.app_context import context_for, current
from app.runs.conversation.history import read_history
from app.runs.request.texts import count_text
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.messages.error_messages import describe_fault
from app.state.tab.address import conversation_in
from app.store.conversation.history import HistoryRange
from app.views.inspector.messages import RUNNING, MessageItem, show_messages, text_of

PAGE: Final = 30
"""Number of pairs whose messages are listed at first, and that each "Show older" adds."""
ALL: Final = "all"
_WANTED: Final[Mapping[str, MessageFilter]] = {
    ALL: ALL_MESSAGES,
    **{kind.value: MessageFilter(frozenset({kind})) for kind in MessageKind},
    "cache-hits": MessageFilter(cache_hit=True),
}


class MessagesState(rx.State):
    """The newest messages of the conversation with the id `conversation`, newest first.

    - `kind`: the chosen kind of messages, a key of `_WANTED`.
    - `tasks`: the messages of background tasks (child conversations) are included.
    - `more`: there are older messages.
    - `unfinished`: a listed reply is running.
    - `fault`: the reason why the messages cannot be read.
    """

    conversation: rx.Field[str] = rx.field("")
    kind: rx.Field[str] = rx.field(ALL)
    tasks: rx.Field[bool] = rx.field(default=False)
    items: rx.Field[tuple[MessageItem, ...]] = rx.field(())
    more: rx.Field[bool] = rx.field(default=False)
    unfinished: rx.Field[bool] = rx.field(default=False)
    fault: rx.Field[str] = rx.field("")
    _pairs: int = PAGE

    @rx.event(background=True)
    async def keep_current(self) -> None:
        """Read the current messages of the conversation on screen."""
        async with self:
            conversation_id = conversation_in(self.router.url.path)
            if conversation_id != self.conversation:
                self._pairs = PAGE
            choice = self.kind, self.tasks, self._pairs
        if not conversation_id:
            return
        try:
            items, more = await _read(conversation_id, *choice)
            fault = ""
        except InviewError as error:
            items, more, fault = (), False, describe_fault(error)
        async with self:
            if conversation_in(self.router.url.path) != conversation_id:
                return
            if (self.kind, self.tasks, self._pairs) != choice:
                return  # the choice changed meanwhile, so the messages are read again
            self.conversation, self.fault = conversation_id, fault
            self.items, self.more = items, more
            self.unfinished = any(one.status == RUNNING for one in items)

    @rx.event
    async def choose(self, kind: str) -> rx.event.EventType[()] | None:
        """List only messages of this kind."""
        if kind not in _WANTED:
            return None
        self.kind, self._pairs = kind, PAGE
        return MessagesState.keep_current

    @rx.event
    async def toggle_tasks(self) -> rx.event.EventType[()]:
        """Include the messages of background tasks, or leave them out."""
        self.tasks, self._pairs = not self.tasks, PAGE
        return MessagesState.keep_current

    @rx.event
    async def show_older(self) -> rx.event.EventType[()] | None:
        """List the messages of more pairs."""
        if not self.more:
            return None
        self._pairs += PAGE
        return MessagesState.keep_current


async def _read(conversation_id: str, kind: str, tasks: bool, pairs: int) -> tuple[tuple[MessageItem, ...], bool]:
    """Return the messages of the newest pairs, newest first, and whether there are older ones."""
    ctx = await context_for(current(), conversation_id)
    items, left, beyond = tuple[MessageItem, ...](), pairs, ""
    while left > 0:
        part = HistoryRange(_WANTED[kind], children=tasks, newest=True, beyond=beyond)
        history = await read_history(ctx, LOCAL_OWNER, conversation_id, part, limit=left)
        counts = [await count_text(vocabulary_of(one.pair.model), text_of(one)) for one in history.messages]
        items, left, beyond = (*items, *show_messages(history.messages, counts)), left - history.pairs, history.beyond
        if not beyond:
            break
    return items, beyond != ""
