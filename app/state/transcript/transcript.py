"""The transcript: the pairs in view of the conversation on screen, and the replies that stream into them.

Only the handler `follow` brings a conversation to a page. It runs as long as the page shows the conversation: opening
another page or losing the connection ends it, a reconnect starts it again. It never waits for a change inside `async
with self`, and sends the text of a streaming reply outside that block (docs/decisions/0094). If it fails, the page
says so and offers to start it again.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import Final

import reflex as rx

from app.domain.context.context import OutReason
from app.patches.namespace import append, drained
from app.runs.app_context import AppContext, context_for, current
from app.runs.attachments.uploads import find_uploads
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.watch.screen import Screen
from app.runs.watch.watcher import Watcher
from app.state.comparison import ComparisonState, clear_comparison, show_comparison
from app.state.composer.files import ids_of
from app.state.composer.parameters import ParametersState, clear_parameters, send_parameters_of, show_parameters
from app.state.composer.permissions import PermissionsState, clear_permissions, show_permissions
from app.state.composer.queue import QueueState, clear_queue, show_queue
from app.state.composer.state import ComposerState, clear_composer, show_composer
from app.state.filters.applied import FilterState, show_filter
from app.state.inspector.preview import PreviewState, note_moment
from app.state.tab.address import conversation_in, position_in
from app.state.tab.changes import set_changed
from app.state.tab.inputs import whole_in
from app.state.tab.tab_watchers import (
    forget_watcher,
    note_change,
    prepare_watcher,
    registered,
    serves,
    take_prepared,
    watcher_of,
)
from app.state.transcript.chat import ChatState
from app.views.conversation.damage import DamagedSettingView
from app.views.reply.pair import ScreenPairView
from app.views.reply.panels import RetryView, ToolProgressView


class TranscriptState(rx.State):
    """The transcript of the conversation with the id `conversation`.

    The pairs:

    - `pairs`: the pairs in view that the page has loaded (its window), oldest first.
    - `earlier`, `later`: there are older or newer pairs outside the window.
    - `known`: the pairs in view have been read, so an empty `pairs` means an empty view.
    - `boundary`, `boundary_reason`: pairs with positions lower than `boundary` are not sent, for this reason; -1: there
      is no boundary.
    - `first_sent`: the position of the oldest pair that the next send includes, 0 for none.

    The replies:

    - `running`: the pair whose reply is running, "" for none.
    - `ended`: the pair whose reply ended last, "" for none.
    - `retry`: describes the next retry of a failed call, None if none is due.
    - `progress`: the progress of running tool calls.

    The conversation:

    - `gone`: it was deleted.
    - `stopped`: an error ended the updates of the page.
    - `changes`: grows with every change of the conversation itself.
    - `damaged`: its settings that cannot be read.
    """

    conversation: rx.Field[str] = rx.field("")
    known: rx.Field[bool] = rx.field(default=False)
    gone: rx.Field[bool] = rx.field(default=False)
    stopped: rx.Field[bool] = rx.field(default=False)
    pairs: rx.Field[tuple[ScreenPairView, ...]] = rx.field(())
    earlier: rx.Field[bool] = rx.field(default=False)
    later: rx.Field[bool] = rx.field(default=False)
    boundary: rx.Field[int] = rx.field(-1)
    boundary_reason: rx.Field[OutReason | None] = rx.field(None)
    first_sent: rx.Field[int] = rx.field(0)
    running: rx.Field[str] = rx.field("")
    ended: rx.Field[str] = rx.field("")
    retry: rx.Field[RetryView | None] = rx.field(None)
    progress: rx.Field[tuple[ToolProgressView, ...]] = rx.field(())
    changes: rx.Field[int] = rx.field(0)
    damaged: rx.Field[tuple[DamagedSettingView, ...]] = rx.field(())

    @rx.event
    async def open(self) -> rx.event.EventType[()] | None:
        """Show the conversation that the address names, and start to follow its changes."""
        return await self._open()

    async def _open(self) -> rx.event.EventType[()] | None:
        conversation_id = conversation_in(self.router.url.path)
        if conversation_id != self.conversation or position_in(self.router.url.query):
            await self._clear(conversation_id)
        set_changed(self, gone=False, stopped=False)
        token = self.router.session.client_token
        forget_watcher(token, conversation_id)
        if not conversation_id:
            return None
        with suppress(Exception):  # `follow` then makes the watcher, and shows the error
            ctx = await context_for(current(), conversation_id)
            prepare_watcher(token, await self._make_watcher(ctx, conversation_id))
        return TranscriptState.follow

    async def _make_watcher(self, ctx: AppContext, conversation_id: str) -> Watcher:
        """Return a new watcher with the choices of this tab, such as its filter and its draft.

        The caller registers it before it releases the lock of the state, so that no handler changes a choice meanwhile.
        """
        filters, composer = await self.get_state(FilterState), await self.get_state(ComposerState)
        at = position_in(self.router.url.query)
        parameters = replace(await send_parameters_of(self, conversation_id), reply_schema=composer.schema or None)
        watcher = Watcher(ctx, LOCAL_OWNER, conversation_id, filters.view_options, composer.text, parameters, at=at)
        watcher.view.edition, watcher.view.models = composer.edition, composer.next_models
        if files := ids_of(composer.files):
            watcher.attach(tuple(upload.part for upload in await find_uploads(current(), LOCAL_OWNER, files)))
        return watcher

    @rx.event(background=True)
    async def follow(self) -> AsyncGenerator[rx.event.EventType[()], None]:
        """Copy every change of the conversation into the vars, until the page shows another conversation."""
        conversation_id = conversation_in(self.router.url.path)
        if not conversation_id:
            return
        try:
            with ExitStack() as registrations:  # the tab's other handlers find a watcher at any time
                ctx = await context_for(current(), conversation_id)
                if not await self._follow(ctx, conversation_id, registrations):
                    return
                # the conversation was temporary and is stored now
                if (moved := await context_for(current(), conversation_id)) is not ctx:
                    yield ChatState.open
                    if not await self._follow(moved, conversation_id, registrations):
                        return
        except Exception:
            async with self:
                self.stopped = self.conversation == conversation_id
            raise
        async with self:
            self.gone = self.conversation == conversation_id
        yield ChatState.open

    async def _follow(self, ctx: AppContext, conversation_id: str, registrations: ExitStack) -> bool:
        """Follow the conversation in this app context until it ends there or the page shows another one.

        The watcher remains registered until `registrations` is closed or another watcher replaces it.

        Return True if the conversation no longer exists in this app context, False if the page shows another one.
        """
        token = self.router.session.client_token
        watcher = take_prepared(token, conversation_id)
        if watcher is not None and watcher.ctx is ctx:
            registrations.enter_context(registered(token, watcher))
        else:
            if watcher is not None:
                watcher.release()  # it never runs
            async with self:
                watcher = await self._make_watcher(ctx, conversation_id)
                registrations.enter_context(registered(token, watcher))
        shown: Screen | None = None
        noted = -1  # the `turn` that was reported last
        async with watcher:
            while (screen := await watcher.next_screen()) is not None:
                # a reply streams, so only pairs have changed
                only_pairs = shown is not None and screen.differs_in_pairs_alone(shown)
                turn = watcher.view.turn
                is_moment = not only_pairs or noted != turn
                if is_moment or not self._is_served(watcher, token) or not await append(self, "pairs", screen.pairs):
                    async with self:
                        if not self._is_served(watcher, token):
                            return False  # the page shows another conversation by now, or has a newer watcher
                        if only_pairs:
                            self.pairs = screen.pairs
                        else:
                            self._show(screen, shown)
                            await self._show_around(screen, shown)
                        if is_moment:
                            note_moment(await self.get_state(PreviewState))
                shown = screen
                if is_moment:
                    noted = turn
                    note_change(token)
                await drained(token)  # so a slow reader gets larger pieces and not a longer queue
        return True

    def _is_served(self, watcher: Watcher, token: str) -> bool:
        """Return True if the page still shows the conversation of this watcher, and has no newer watcher."""
        return self.conversation == watcher.conversation_id and serves(watcher, token)

    @rx.event(background=True)
    async def show_earlier(self) -> None:
        """Load older pairs into the window."""
        if (watcher := watcher_of(self)) is not None:
            await watcher.show_earlier()

    @rx.event(background=True)
    async def show_later(self) -> None:
        """Load newer pairs into the window."""
        if (watcher := watcher_of(self)) is not None:
            await watcher.show_later()

    @rx.event(background=True)
    async def show_newest(self) -> None:
        """Go to the newest pairs, and from then on show new pairs as they arrive."""
        if (watcher := watcher_of(self)) is not None:
            await watcher.show_newest()

    @rx.event(background=True)
    async def show_position(self, position: int) -> None:
        """Go to the pair at this position or, if it is hidden, the next one in view. 0: the first pair."""
        if (watcher := watcher_of(self)) is not None and (valid_position := whole_in(position)) is not None:
            await watcher.show_position(valid_position)

    async def _clear(self, conversation_id: str) -> None:
        """Clear the data of the previous conversation."""
        self.reset()
        self.conversation = conversation_id
        clear_composer(await self.get_state(ComposerState))
        clear_parameters(await self.get_state(ParametersState))
        clear_comparison(await self.get_state(ComparisonState))
        clear_permissions(await self.get_state(PermissionsState))
        clear_queue(await self.get_state(QueueState))

    async def _show_around(self, screen: Screen, shown: Screen | None) -> None:
        """Let the states of other regions copy their data from the screen, unless all of it is unchanged."""
        if shown is not None and screen.has_same_surroundings(shown):
            return
        show_filter(await self.get_state(FilterState), screen, shown)
        show_composer(await self.get_state(ComposerState), screen, shown)
        show_parameters(await self.get_state(ParametersState), screen, shown)
        if not screen.has_panels:  # a page that connects again keeps its content, because a form may be open in it
            return
        if shown is not None and not shown.has_panels:
            shown = None
        await show_comparison(await self.get_state(ComparisonState), screen, shown)
        show_permissions(await self.get_state(PermissionsState), screen, shown)
        show_queue(await self.get_state(QueueState), screen, shown)

    def _show(self, screen: Screen, shown: Screen | None) -> None:
        """Copy the values that differ from `shown`, the screen that was copied last."""
        if shown is None or screen.pairs is not shown.pairs:
            self.pairs = screen.pairs
        if shown is not None:
            streamed = replace(screen, pairs=shown.pairs, compared=shown.compared)
            if streamed == shown:
                return
        set_changed(self, known=True, **{name: getattr(screen, name) for name in _COPIED})
        if (context := screen.context) is not None:
            boundary = -1 if context.boundary is None else context.boundary
            set_changed(self, boundary=boundary, boundary_reason=context.boundary_reason, first_sent=context.first_sent)


async def clear_other_transcript(state: TranscriptState, conversation_id: str) -> None:
    """Remove the data of every conversation except this one, which the page will show."""
    if conversation_id != state.conversation:
        await state._clear(conversation_id)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - as below


async def open_transcript(state: TranscriptState) -> rx.event.EventType[()] | None:
    """Show the conversation that the address names. Return the event that follows its changes."""
    return await state._open()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - public methods are for browsers


_COPIED: Final = ("earlier", "later", "damaged", "running", "ended", "retry", "progress", "changes")
"""The vars that are copied unchanged from the fields of a screen with the same names."""
