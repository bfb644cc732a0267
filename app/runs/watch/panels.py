"""The panels of a conversation's page besides its pairs: queue, comparison, permissions."""

from __future__ import annotations

from dataclasses import dataclass

from app.runs.workbench import Workbench
from app.store.run.comparisons import load_open
from app.store.run.queues import load_queue
from app.store.tools.permissions import list_pending
from app.views.screen.panels import (
    PermissionItemView,
    ScreenComparisonView,
    ScreenQueueView,
    show_comparison,
    show_permission,
    show_queue,
)


@dataclass(frozen=True, slots=True)
class Panels:
    """All of it."""

    queue: ScreenQueueView
    comparison: ScreenComparisonView | None
    permissions: tuple[PermissionItemView, ...]


async def read_all(wb: Workbench, owner: str, conversation_id: str) -> Panels:
    """All of it, in one visit to the database."""
    async with wb.store.read() as session:
        queue = await load_queue(session, owner, conversation_id)
        comparison = await load_open(session, owner, conversation_id)
        pending = await list_pending(session, owner, conversation_id)
    at = wb.desk.clock()
    return Panels(
        show_queue(queue),
        None if comparison is None else show_comparison(comparison),
        tuple(show_permission(request, at) for request in pending),
    )


async def read_queue(wb: Workbench, owner: str, conversation_id: str) -> ScreenQueueView:
    """What waits for the reply that runs."""
    async with wb.store.read() as session:
        return show_queue(await load_queue(session, owner, conversation_id))


async def read_comparison(wb: Workbench, owner: str, conversation_id: str) -> ScreenComparisonView | None:
    """The comparison that is open, if one is."""
    async with wb.store.read() as session:
        comparison = await load_open(session, owner, conversation_id)
    return None if comparison is None else show_comparison(comparison)


async def read_permissions(wb: Workbench, owner: str, conversation_id: str) -> tuple[PermissionItemView, ...]:
    """The calls that wait for a person."""
    async with wb.store.read() as session:
        pending = await list_pending(session, owner, conversation_id)
    at = wb.desk.clock()
    return tuple(show_permission(request, at) for request in pending)
