"""Post-run tasks: background tasks that are started for every run when its end has been stored.

The end of the reply is already published, so no subscriber waits for these tasks. They are independent: if one fails,
the failure is logged and the others continue.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from app.runs.app_context import AppContext
from app.runs.child_calls.titles import title_first_success
from app.runs.engine.live import LiveRun
from app.runs.send.queue import go_on_after
from app.runs.settings.provider_commands import note_key
from app.runs.usage.rate_limits import count_address

AFTERWARDS: tuple[Callable[[AppContext, LiveRun], Awaitable[None]], ...] = (
    go_on_after,
    title_first_success,
    note_key,
    count_address,
)
"""The post-run tasks. Each is called for every run that ended: a reply, a summary, or a run with another `purpose`."""

_log = structlog.get_logger(__name__)


async def follow_up(ctx: AppContext, run: LiveRun) -> None:
    """Perform the post-run tasks of a run that ended, all at the same time."""
    results = await asyncio.gather(*(task(ctx, run) for task in AFTERWARDS), return_exceptions=True)
    for task, result in zip(AFTERWARDS, results, strict=True):
        if isinstance(result, Exception):
            _log.error("a step after a reply failed", task=task.__name__, pair_id=run.place.pair_id, exc_info=result)
