"""The app context: one value with everything that exists once per process. Every command takes it as an argument.

    ctx = current()
    ctx = await context_for(ctx, conversation_id)     # a different one for a temporary conversation

Not here: opening and closing it (`wiring.py`), commands (`runs/send/commands.py`) and watching
(`runs/watch/broadcast.py`).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Coroutine, Generator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from app.config.settings import Settings
from app.runs.audit.access_log import AccessLog
from app.runs.engine.engine import Engine
from app.runs.engine.permission_broker import PermissionBroker
from app.runs.engine.update_rate import Throttle
from app.runs.request.context_snapshots import SnapshotCache
from app.runs.request.indexes import Indexer
from app.runs.request.prepared import PreparedRequests
from app.runs.request.sent_pairs import SentPairs
from app.runs.request.sizes import Sizes
from app.runs.runtime.catalogue import Catalogue
from app.runs.runtime.event_bus import EventBus
from app.runs.runtime.rate_counter import RateCounter
from app.store.database.database import Store
from app.store.temporary.temporary_database import holds
from app.tools.toolbox import Toolbox

Result = TypeVar("Result")

MAX_ELSEWHERE = 10_000


@dataclass(eq=False)
class TemporaryContext:
    """The app context of temporary conversations (`temporary.py`), which is opened when it is first needed.

    - `ctx`: that app context; None until it is opened.
    - `elsewhere`: ids of conversations, pairs and runs that are known not to be in the database of temporary
      conversations.
    - `opening`: a lock, so that the app context is opened only once.
    - `closing`: closes that app context.
    """

    ctx: AppContext | None = None
    elsewhere: set[str] = field(default_factory=set[str], repr=False)
    opening: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)
    closing: AsyncExitStack = field(default_factory=AsyncExitStack, repr=False)


@dataclass(frozen=True)
class CacheRefresher:
    """The task that keeps the prompt cache of a conversation alive (`runs/cache/keep_alive.py`).

    `wake` makes the task check the cache at once.
    """

    task: asyncio.Task[None]
    wake: asyncio.Event


@dataclass(frozen=True)
class AppContext:
    """The parts of Inview that commands and watchers use.

    - `process_id`: the id of this process in the database.
    - `warming`: tasks that prepare the next send (`runs/send/prefetch.py`), by conversation.
    - `background`: other tasks. They and the tasks in `warming` are cancelled when the process ends.
    - `keeping`: the cache keep-alive tasks of this process, by conversation.
    - `counting`: the number of exact counts that wait for a provider, by conversation.
    - `accesses`: notes for the audit trail.
    - `rates`: counts sends for the rate limits. The main and the temporary app context share this counter.
    """

    settings: Settings
    process_id: str
    store: Store
    catalogue: Catalogue
    engine: Engine
    event_bus: EventBus
    indexer: Indexer
    toolbox: Toolbox
    accesses: AccessLog
    sent_pairs: SentPairs = field(default_factory=SentPairs)
    sizes: Sizes = field(default_factory=Sizes)
    snapshots: SnapshotCache = field(default_factory=SnapshotCache)
    throttle: Throttle = field(default_factory=Throttle)
    prepared: PreparedRequests = field(default_factory=PreparedRequests)
    warming: dict[str, asyncio.Task[None]] = field(default_factory=dict[str, asyncio.Task[None]])
    background: set[asyncio.Task[Any]] = field(default_factory=set[asyncio.Task[Any]])

    keeping: dict[str, CacheRefresher] = field(default_factory=dict[str, CacheRefresher])
    counting: Counter[str] = field(default_factory=Counter[str])

    rates: RateCounter = field(default_factory=RateCounter)
    temporary: TemporaryContext = field(default_factory=TemporaryContext)
    desk: PermissionBroker = field(default_factory=PermissionBroker)

    def start_background(self, work: Coroutine[Any, Any, Result], name: str) -> asyncio.Task[Result]:
        """Start a task that outlives its caller, and return it. It is cancelled when the process ends."""
        task = asyncio.create_task(work, name=name)
        self.background.add(task)
        task.add_done_callback(self.background.discard)
        return task

    def expire(self, seconds: float) -> int:
        """Drop the cached data of conversations that were not used in the last `seconds`.

        Return the number of dropped entries.
        """
        return sum(one.kept.expire(seconds) for one in (self.sent_pairs, self.sizes, self.snapshots))


_open: list[AppContext] = []


def current() -> AppContext:
    """Return the app context of this process.

    Raises:
        RuntimeError: no app context is open, because the server has not started or has ended.
    """
    if not _open:
        raise RuntimeError("No app context is open. Call this inside `async with open_app_context(settings)`.")
    return _open[-1]


def is_open(ctx: AppContext) -> bool:
    """Return True until this app context is closed. Long tasks call this from time to time, and end on False."""
    return any(one is ctx for one in _open)


@contextmanager
def in_use(ctx: AppContext) -> Generator[None]:
    """Make `ctx` the app context of the process until the `with` block ends."""
    _open.append(ctx)
    try:
        yield
    finally:
        _open.remove(ctx)


async def context_for(ctx: AppContext, *ids: str) -> AppContext:
    """Return the app context whose store has the conversations, pairs or runs with these ids: temporary or main.

    For unknown ids, return the main app context. Its queries then report that the ids do not exist.
    """
    temporary = ctx.temporary
    if temporary.ctx is None or temporary.elsewhere.issuperset(ids):
        return ctx
    async with temporary.ctx.store.read() as session:
        if await holds(session, ids):
            return temporary.ctx
    if len(temporary.elsewhere) > MAX_ELSEWHERE:
        temporary.elsewhere.clear()
    temporary.elsewhere.update(ids)
    return ctx
