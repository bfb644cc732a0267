"""The panels of a conversation's page besides its pairs: queue, comparison, permissions, nodes."""

from __future__ import annotations

from dataclasses import dataclass

from app.runs.usage.prices import learn_tariffs
from app.runs.workbench import Workbench
from app.store.conversation.derived import load_derived
from app.store.conversation.nodes import load_accounting
from app.store.run.comparisons import load_open
from app.store.run.queues import load_queue
from app.store.tools.permissions import list_pending
from app.views.screen.node import ScreenNodeView, show_nodes
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
    at = wb.permission_broker.clock()
    return Panels(
        show_queue(queue),
        None if comparison is None else show_comparison(comparison),
        tuple(show_permission(request, at) for request in pending),
    )


async def read_nodes(wb: Workbench, owner: str, conversation_id: str) -> tuple[ScreenNodeView, ...]:
    """What stands between the pairs and is never sent."""
    async with wb.store.read() as session:
        accounting = await load_accounting(session, owner, conversation_id)
        derived = await load_derived(session, owner, conversation_id)
    tariffs = await learn_tariffs(wb, owner, {call.made.model for call in derived if call.made is not None})
    return show_nodes(accounting, derived, tariffs)


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
    at = wb.permission_broker.clock()
    return tuple(show_permission(request, at) for request in pending)
