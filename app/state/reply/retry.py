"""The user's decision while Inview waits before it repeats a failed call: repeat it now, or give up.

    await tab.send(RetryState.try_now, pair_id="p1")

`TranscriptState.retry` describes the next retry.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

import reflex as rx

from app.domain.errors import InviewError
from app.runs.app_context import AppContext
from app.runs.send.commands import LOCAL_OWNER, cancel_run, hurry_run
from app.state.messages.toasts import show_fault
from app.state.tab.inputs import text_in
from app.state.tab.tab_watchers import watcher_of

MAX_ID: Final = 64


class RetryState(rx.State):
    """The handlers for a reply that waits for a retry. The state has no vars."""

    @rx.event(background=True)
    async def try_now(self, pair_id: str) -> None:
        """Retry the failed call at once, without waiting longer."""
        await self._decide(pair_id, hurry_run)

    @rx.event(background=True)
    async def give_up(self, pair_id: str) -> None:
        """End the reply without another retry."""
        await self._decide(pair_id, cancel_run)

    async def _decide(self, pair_id: object, act: Callable[[AppContext, str, str], Awaitable[None]]) -> None:
        async with self:
            watcher, valid_id = watcher_of(self), text_in(pair_id, MAX_ID)
        pair = None if watcher is None or not valid_id else watcher.pair(valid_id)
        if watcher is None or pair is None or pair.run_id is None:
            return
        try:
            await act(watcher.ctx, LOCAL_OWNER, pair.run_id)
        except InviewError as fault:
            async with self:
                await show_fault(self, fault)
