"""The user's decision while Inview waits before it repeats a failed call: repeat it now, or give up.

    await tab.send(RetryState.try_now, pair_id="p1")

`TranscriptState.retry` describes the next retry.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import reflex as rx

from app.domain.errors import InviewError
from app.runs.app_context import AppContext, context_for, current
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.stopping import cancel_run, hurry_run
from app.state.messages.toasts import show_fault
from app.state.reply.pair_lookup import find_pair_in_background


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
        pair = await find_pair_in_background(self, pair_id)
        if pair is None or pair.run_id is None:
            return
        try:
            await act(await context_for(current(), pair.id), LOCAL_OWNER, pair.run_id)
        except InviewError as fault:
            async with self:
                await show_fault(self, fault)
