"""News of the conversation on screen: announcements for screen readers, and events that read changed data again.

`follow` runs as long as the tab shows the conversation. The replies themselves are in `transcript/transcript.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from datetime import datetime, timedelta
from typing import Any, Final

import reflex as rx

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.errors import add_next_step
from app.runs.app_context import current
from app.runs.conversation.opening import OpenedConversation, read_opened
from app.runs.runtime.ids import now
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.agents.choice import AgentState, show_agents
from app.state.conversation.model import ModelState, open_model
from app.state.inspector.branches import BranchState, open_branches
from app.state.tab.address import conversation_in
from app.state.tab.changes import set_changed
from app.state.tab.tab_watchers import Moment, moments, watcher_of
from app.state.tab.visit import VisitedState
from app.state.transcript.chat import ChatState, describes, show_chat
from app.views.reply.pair import ScreenPairView

JUST_NOW: Final = timedelta(seconds=30)
SETTLE_SECONDS: Final = 0.5
"""Delay before data is read again while a reply is running, because the first text of the reply is more urgent."""

_ENDINGS: Final = {Lifecycle.SUCCEEDED: "The reply is complete.", Lifecycle.CANCELED: "The reply was stopped."}


class NewsState(VisitedState, rx.State):
    """The announcement for screen readers, and whether a reply is running.

    `said` is the announcement; it is cleared when another page is opened. `conversation` is the conversation on screen;
    `running`: a reply is running in it.
    """

    said: rx.Field[str] = rx.field("")
    conversation: rx.Field[str] = rx.field("")
    running: rx.Field[bool] = rx.field(default=False)

    @rx.event(background=True, supersedes=True)
    async def follow(self) -> AsyncGenerator[rx.event.EventType[()]]:
        """Announce changes of the conversation to screen readers, as long as the tab shows this conversation."""
        conversation_id = conversation_in(self.router.url.path)
        async with self:
            token = self.router.session.client_token
            set_changed(self, said="")
            if self.conversation != conversation_id:
                set_changed(self, conversation="", running=False)
        if not conversation_id:
            return
        before: Moment | None = None
        last = ""
        async for moment in moments(token, conversation_id):
            async with self:
                set_changed(self, conversation=conversation_id, running=bool(moment.running))
                if _is_news(before, moment):
                    text = _describe(moment)
                    if not moment.running:
                        text += "\u00a0" if text == last else ""  # a screen reader would not read the same text again
                        last = text
                    await self._announce(text)
                is_outdated = before is None and not await self._is_described()
            if is_outdated or _is_described_anew(before, moment):
                yield NewsState.read_again
            before = moment
        async with self:
            if self.conversation == conversation_id:
                self.conversation, self.running = "", False

    async def _announce(self, text: str) -> None:
        await self._come()
        self.said = text

    async def _end_visit(self) -> None:
        self.said = ""

    async def _is_described(self) -> bool:
        """Return True if the data in `ChatState` is as current as the data that the watcher has read.

        `ChatState` reads the conversation earlier than the watcher, so the conversation may have changed in between.
        """
        watcher = watcher_of(self)
        base = None if watcher is None else watcher.counted
        return base is None or describes(await self.get_state(ChatState), base.conversation)

    @rx.event(background=True)
    async def read_again(self) -> AsyncGenerator[rx.event.EventType[()]]:
        """Read the data of the conversation again: its title, its model, its agent, its branches."""
        async with self:
            wait = SETTLE_SECONDS if self.running else 0.0
        await asyncio.sleep(wait)
        async with self:
            events = await self._read_again()
        for event in events:
            yield event

    async def _read_again(self) -> list[Any]:
        """Show the current data of the conversation. Return the events that read more."""
        if not (conversation_id := conversation_in(self.router.url.path)):
            return []
        opened = await read_opened(current(), LOCAL_OWNER, conversation_id, searches=False)
        show_chat(await self.get_state(ChatState), opened)
        show_agents(await self.get_state(AgentState), opened)
        events = [
            await open_model(await self.get_state(ModelState), opened),
            open_branches(await self.get_state(BranchState), opened),
        ]
        return [event for event in events if event is not None]


def open_news(state: NewsState, opened: OpenedConversation) -> None:
    """Note the conversation on screen, and whether a reply is running in it."""
    set_changed(state, conversation=opened.id, running=opened.running)


def _is_described_anew(before: Moment | None, moment: Moment) -> bool:
    """Return True if data about the conversation, such as its name, may have changed.

    A conversation without a title is named after its first words. These words change when the first reply starts, and
    when a comparison of a first message starts or ends.
    """
    begins = bool(moment.running) and (before is None or not before.running)
    begins = begins or moment.compared != ("" if before is None else before.compared)
    changes = 0 if before is None else before.changes
    return (begins and len(moment.screen.pairs) <= 1) or moment.changes != changes


def _is_news(before: Moment | None, moment: Moment) -> bool:
    """Return True if a reply has started or ended since `before`. A reply that fails at once may do both."""
    if before is None:
        return bool(moment.running or moment.ended or _failed_just_now(moment))
    return before.running != moment.running or before.ended_run != moment.ended_run


def _ended(moment: Moment) -> ScreenPairView | None:
    return next((each for each in moment.screen.pairs if each.id == moment.ended), None)


def _failed_just_now(moment: Moment) -> ScreenPairView | None:
    """Return the newest pair if its reply failed just now, otherwise None.

    The reply may have failed before the page followed the conversation.
    """
    pair = moment.screen.pairs[-1] if moment.screen.pairs else None
    if pair is None or pair.error is None or pair.lifecycle is not Lifecycle.ERROR:
        return None
    return pair if now() - datetime.fromisoformat(pair.updated_at) < JUST_NOW else None


def _describe(moment: Moment) -> str:
    """Return the announcement for a reply that has started or ended; "" if its pair is not on the screen."""
    if moment.running:
        return "The reply has started."
    pair = _ended(moment) or _failed_just_now(moment)
    if pair is None:
        return ""
    why = f" {add_next_step(pair.error.message, pair.error.next_step)}" if pair.error else ""
    return _ENDINGS.get(pair.lifecycle, f"The reply failed.{why}")
