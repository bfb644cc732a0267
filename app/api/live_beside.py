"""What a browser at the live socket is told besides pairs: the queue, the comparison, calls that wait for permission.

    await tell_beside(pairs, conversation_id)        # to one that has just connected
    await tell_queue(pairs, conversation_id)         # … and each again when it has changed

Not here: when that is (`live.py`), and the pairs themselves (`live_pairs.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from app.api.live_frames import control
from app.api.live_pairs import LivePairs
from app.domain.comparing import Comparison
from app.domain.permission_requests import PermissionRequest
from app.domain.queueing import Queue
from app.store.comparisons import load_open
from app.store.permissions import list_pending
from app.store.queues import load_queue
from app.views.comparison import describe_comparison
from app.views.permission import describe_permission
from app.views.queue import describe_queue


async def tell_beside(pairs: LivePairs, conversation_id: str) -> None:
    """All of it, as far as there is any: a browser that has just connected takes each for nothing, unless told."""
    async with pairs.wb.store.read() as session:
        queue = await load_queue(session, pairs.owner, conversation_id)
        comparison = await load_open(session, pairs.owner, conversation_id)
        pending = await list_pending(session, pairs.owner, conversation_id)
    if queue.items:
        await _send_queue(pairs, queue)
    if comparison is not None:
        await _send_comparison(pairs, comparison)
    if pending:
        await _send_permissions(pairs, pending)


async def tell_queue(pairs: LivePairs, conversation_id: str) -> None:
    """What waits for the reply that runs."""
    async with pairs.wb.store.read() as session:
        queue = await load_queue(session, pairs.owner, conversation_id)
    await _send_queue(pairs, queue)


async def tell_comparison(pairs: LivePairs, conversation_id: str) -> None:
    """The comparison that is open, if one is. Its replies are watched where they are made."""
    async with pairs.wb.store.read() as session:
        comparison = await load_open(session, pairs.owner, conversation_id)
    await _send_comparison(pairs, comparison)


async def tell_permissions(pairs: LivePairs, conversation_id: str) -> None:
    """The calls that wait for permission."""
    async with pairs.wb.store.read() as session:
        pending = await list_pending(session, pairs.owner, conversation_id)
    await _send_permissions(pairs, pending)


async def _send_queue(pairs: LivePairs, queue: Queue) -> None:
    await pairs.send(control("queue", queue=describe_queue(queue)))


async def _send_comparison(pairs: LivePairs, comparison: Comparison | None) -> None:
    shown = None if comparison is None else describe_comparison(comparison)
    await pairs.send(control("comparison", comparison=shown))


async def _send_permissions(pairs: LivePairs, pending: Sequence[PermissionRequest]) -> None:
    at = pairs.wb.desk.clock()
    await pairs.send(control("permissions", permissions=[describe_permission(request, at) for request in pending]))
