"""The panels of a conversation's page: queue, comparison, permission requests."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.compare.comparisons import Comparison
from app.domain.run.queue import Queue
from app.runs.app_context import AppContext
from app.store.compare.comparisons import load_open
from app.store.run.queues import load_queue
from app.store.tools.panels import find_filled
from app.store.tools.permissions import list_pending
from app.views.reply.panels import (
    PermissionItemView,
    ScreenComparisonView,
    ScreenQueueView,
    show_comparison,
    show_permission,
    show_queue,
)


@dataclass(frozen=True, slots=True)
class Panels:
    """The content of all panels of one page: queue, comparison, permission requests."""

    queue: ScreenQueueView
    comparison: ScreenComparisonView | None
    permissions: tuple[PermissionItemView, ...]


async def read_all(ctx: AppContext, owner: str, conversation_id: str) -> Panels:
    """Return the content of all panels, read in one database session."""
    async with ctx.store.read() as session:
        filled = await find_filled(session, owner, conversation_id)
        queue = await load_queue(session, owner, conversation_id) if filled.queue else Queue()
        comparison = await load_open(session, owner, conversation_id) if filled.comparison else None
        pending = await list_pending(session, owner, conversation_id) if filled.permissions else ()
        names = await _load_names(ctx, session, owner, queue, comparison)
    at = ctx.desk.clock()
    return Panels(
        show_queue(queue, names),
        None if comparison is None else show_comparison(comparison, names),
        tuple(show_permission(request, at) for request in pending),
    )


async def read_queue(ctx: AppContext, owner: str, conversation_id: str) -> ScreenQueueView:
    """Return the queue of the conversation."""
    async with ctx.store.read() as session:
        queue = await load_queue(session, owner, conversation_id)
        return show_queue(queue, await _load_names(ctx, session, owner, queue))


async def read_comparison(ctx: AppContext, owner: str, conversation_id: str) -> ScreenComparisonView | None:
    """Return the open comparison, or None if there is none."""
    async with ctx.store.read() as session:
        if (comparison := await load_open(session, owner, conversation_id)) is None:
            return None
        return show_comparison(comparison, await _load_names(ctx, session, owner, Queue(), comparison))


async def read_permissions(ctx: AppContext, owner: str, conversation_id: str) -> tuple[PermissionItemView, ...]:
    """Return the pending permission requests."""
    async with ctx.store.read() as session:
        pending = await list_pending(session, owner, conversation_id)
    at = ctx.desk.clock()
    return tuple(show_permission(request, at) for request in pending)


async def _load_names(
    ctx: AppContext, session: AsyncSession, owner: str, queue: Queue, comparison: Comparison | None = None
) -> dict[str, str]:
    """Return the names of all models in the queue and in the comparison, by model."""
    runs = () if comparison is None else comparison.runs
    models = {*(item.model for item in queue.items if item.model), *(run.model for run in runs)}
    return await ctx.catalogue.load_names(session, owner, sorted(models)) if models else {}
