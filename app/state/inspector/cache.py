"""The notes about the provider's cache of the conversation on screen (size, expiry, breaks), and its keep-alive.

The state of the cache is read again only after a relevant change: the end of a reply, another filter, model or
boundary. Typed text is not relevant. A keep-alive runs even if no page is open.
"""

from __future__ import annotations

import asyncio
from typing import Final

import reflex as rx

from app.domain.errors import InviewError
from app.runs.app_context import context_for, current
from app.runs.cache.cache_state import look_at_cache
from app.runs.cache.cache_views import describe_cache_state
from app.runs.cache.keep_alive import read_keeping, start_keeping, stop_keeping
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.messages.error_messages import describe_fault
from app.state.messages.toasts import show_fault
from app.state.tab.address import conversation_in
from app.state.tab.changes import set_changed
from app.state.tab.inputs import whole_in
from app.state.tab.tab_watchers import Moment, moment_of, moments
from app.state.tab.visit import VisitedState
from app.views.inspector.cache import CacheNotesView, show_cache
from app.views.request.keep_warm import CHOICES

SETTLE_SECONDS: Final = 0.3
"""Delay before the state of the cache is read, so that the opening of a page or the end of a reply is shown first."""
NOTHING: Final = CacheNotesView()
_CACHING: Final = ("anthropic:", "openai:", "alibaba:")
"""The beginnings of the names of models whose cache is shown. A self-hosted server does not report its cache."""


class CacheState(VisitedState, rx.State):
    """The notes about the provider's cache, and the dialog that starts a keep-alive.

    `notes` describe the cache of the conversation with the id `conversation`. `asking`: the dialog that asks how long
    to keep the cache alive is open. `fault` is the error of the dialog.
    """

    conversation: rx.Field[str] = rx.field("")
    notes: rx.Field[CacheNotesView] = rx.field(default_factory=lambda: NOTHING)
    asking: rx.Field[bool] = rx.field(default=False)
    fault: rx.Field[str] = rx.field("")

    @rx.event(background=True, supersedes=True)
    async def follow(self) -> None:
        """Keep the notes about the cache current while the tab shows this conversation."""
        conversation_id = conversation_in(self.router.url.path)
        async with self:
            token = self.router.session.client_token
        if not conversation_id:
            return
        looked: tuple[object, ...] | None = None
        await asyncio.sleep(SETTLE_SECONDS)
        async for moment in moments(token, conversation_id, settle=SETTLE_SECONDS):
            causes = _causes(moment)
            if causes != looked and not moment.running:
                looked = causes
                await self._look(moment)

    @rx.event
    async def ask(self) -> None:
        """Open the dialog that asks how long to keep the cache alive."""
        await self._come()
        self.asking, self.fault = self.notes.offer is not None, ""

    @rx.event
    async def end_ask(self) -> None:
        self.asking = False

    async def _end_visit(self) -> None:
        self.asking = False

    @rx.event(background=True)
    async def keep(self, minutes: int) -> None:
        """Keep the cache alive for this number of minutes."""
        async with self:
            moment = moment_of(self)
        valid_minutes = whole_in(minutes)
        if moment is None or valid_minutes not in CHOICES:
            return
        ctx = await context_for(current(), moment.conversation_id)
        try:
            await start_keeping(ctx, LOCAL_OWNER, moment.conversation_id, moment.options, valid_minutes)
        except InviewError as error:
            async with self:
                self.fault = describe_fault(error)
            return
        async with self:
            self.asking = False
        await self._look(moment)

    @rx.event(background=True)
    async def stop(self) -> None:
        """Stop the keep-alive. If the keep-alive has already ended, remove the note that says so."""
        async with self:
            moment = moment_of(self)
        conversation_id = conversation_in(self.router.url.path)
        try:
            await stop_keeping(await context_for(current(), conversation_id), LOCAL_OWNER, conversation_id)
        except InviewError as error:
            async with self:
                await show_fault(self, error)
        if moment is not None:
            await self._look(moment)

    async def _look(self, moment: Moment) -> None:
        notes = NOTHING
        if (moment.options.model or "").startswith(_CACHING):
            ctx = await context_for(current(), moment.conversation_id)
            try:
                state = await look_at_cache(
                    ctx, LOCAL_OWNER, moment.conversation_id, moment.options, parameters=moment.parameters
                )
                kept = await read_keeping(ctx, LOCAL_OWNER, moment.conversation_id)
                notes = show_cache(describe_cache_state(state, kept), moment.options.zone)
            except InviewError:
                pass  # the page shows the error of the view options, and the next change reads the cache again
        async with self:
            if notes != self.notes or moment.conversation_id != self.conversation:
                self.notes, self.conversation = notes, moment.conversation_id


def open_cache(state: CacheState, conversation_id: str) -> None:
    """Set `conversation` to the conversation on screen, unless `notes` still describe the cache of another one."""
    if state.notes == NOTHING:
        set_changed(state, conversation=conversation_id)


def _causes(moment: Moment) -> tuple[object, ...]:
    """Return the values on which the notes depend. The notes are read again when one of them changes."""
    context = moment.screen.context
    seen = () if context is None else (context.x, context.y, context.boundary)
    options = moment.options
    return (
        options.filter,
        options.model,
        options.topic,
        options.zone,
        *seen,
        moment.parameters,
        moment.ended,
        moment.changes,
    )
