"""The wiring: opens the app context, with all its parts and background tasks, and closes it with the process.

    async with open_app_context(settings) as ctx:
        conversation = await create_conversation(ctx, LOCAL_OWNER)

Closing the app context ends the active replies and stores the text received so far, within two seconds.

Commands must not depend on post-run tasks, the tool executor and background tasks, so only this module imports them.
Only `temporary.py` and the code that opens an app context import this module.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import structlog

from app.config.settings import Settings
from app.domain.conversation.parts import ToolCall
from app.domain.errors import StoreError
from app.domain.run.run_events import ToolFinished
from app.providers.base import Timeouts
from app.providers.counts.token_counts import end_if_idle
from app.providers.models.model_lists import LISTS_FILE, read_remembered
from app.providers.models.models import ModelLists
from app.providers.wire.transport import Transport
from app.runs.app_context import AppContext, in_use
from app.runs.audit.access_log import AccessLog
from app.runs.cache.keep_alive import keep_resuming, resume_keeping
from app.runs.child_calls.delegation import delegate_tool
from app.runs.child_calls.post_run import follow_up
from app.runs.engine.engine import Engine, NextRound
from app.runs.engine.live import LiveRun
from app.runs.engine.writer import Writer
from app.runs.memory.collector import give_memory_back, tune_collector
from app.runs.memory.memory_cache import IDLE_SECONDS
from app.runs.recovery.reaper import Reaper
from app.runs.request.indexes import Indexer
from app.runs.runtime.catalogue import Catalogue
from app.runs.runtime.clock import STEADY, Clock
from app.runs.runtime.event_bus import EventBus
from app.runs.runtime.ids import new_id
from app.runs.runtime.rate_counter import RateCounter
from app.runs.runtime.shielded import finish_under_way
from app.runs.tools.conversation_search import search_tool
from app.runs.tools.server_commands import connect_servers
from app.runs.tools.tool_calls import RecordedToolExecutor
from app.runs.tools.tool_rounds import plan_round
from app.runs.trash.purge import keep_purging
from app.schema_check.checker import close as end_checking
from app.store.database.database import open_store
from app.store.database.encryption import KEY_FILE, Seal
from app.store.database.migrations import upgrade
from app.store.database.presence import claim
from app.tools.built_in.clock import current_time
from app.tools.built_in.fetching import fetch_page
from app.tools.toolbox import Toolbox

log = structlog.get_logger()

COMMAND_SECONDS = 0.4
"""Seconds that a shutdown waits for commands before the runs are stored.

The whole shutdown takes at most two seconds.
"""

EXPIRE_SECONDS = 60.0
"""Seconds between two searches for cached data that is unused."""


@asynccontextmanager
async def open_app_context(settings: Settings, clock: Clock = STEADY) -> AsyncGenerator[AppContext, None]:
    """Migrate and open the database, end the runs of dead processes, and yield the app context.

    Runs are saved until the context is left.

    Raises:
        StoreError: the database cannot be used.
    """
    tune_collector()
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    await asyncio.to_thread(upgrade, settings.database_url)
    process_id = new_id()
    async with AsyncExitStack() as stack:
        alone = stack.enter_context(claim(settings.database_url))
        store = await stack.enter_async_context(open_store(settings.database_url))
        transport = Transport()
        stack.push_async_callback(transport.close)
        remembered = await asyncio.to_thread(read_remembered, settings.data_dir / LISTS_FILE)
        catalogue = Catalogue(settings, Seal(settings.data_dir / KEY_FILE), ModelLists(transport, remembered))
        stack.callback(end_checking)
        toolbox = Toolbox()
        stack.push_async_callback(toolbox.close)
        toolbox.register((current_time(), fetch_page(), search_tool(store)))
        ctx = equip(settings, Writer(store, process_id, clock), catalogue, transport, toolbox)
        toolbox.register((delegate_tool(ctx),))
        reaper = Reaper(store, catalogue, ctx.engine.writer, ctx.event_bus)
        await reaper.reap(alone=alone)
        keep_at_work(stack, ctx, reaper.keep_reaping(), store.keep_on_disk(), keep_purging(ctx), keep_resuming(ctx))
        stack.push_async_callback(ctx.temporary.closing.aclose)
        stack.push_async_callback(finish_under_way, COMMAND_SECONDS)
        stack.enter_context(in_use(ctx))
        await connect_servers(ctx)
        await resume_keeping(ctx, alone=alone)
        yield ctx


def equip(  # noqa: PLR0913, PLR0917 - the parts of an app context
    settings: Settings,
    writer: Writer,
    catalogue: Catalogue,
    transport: Transport,
    toolbox: Toolbox,
    main: AppContext | None = None,
) -> AppContext:
    """Build an app context on the store of this writer, without background tasks.

    `main`: for temporary conversations, the app context of the stored conversations. Lists of conversations get the
    events of both app contexts, and rate limits count the sends of both.
    """
    event_bus = EventBus(None if main is None else main.event_bus)
    indexer = Indexer(writer.store, event_bus)

    def ended(run: LiveRun) -> None:
        indexer.catch_up(run.place)
        _follow_up(ctx, run)

    engine = Engine(
        transport,
        writer,
        event_bus,
        Timeouts(read=settings.timeout, whole=settings.max_call_seconds),
        ended,
        _Desk(lambda: ctx),
        settings.max_reply_bytes,
    )
    ctx = AppContext(
        settings,
        writer.process_id,
        writer.store,
        catalogue,
        engine,
        event_bus,
        indexer,
        toolbox,
        AccessLog(writer.store),
        rates=RateCounter() if main is None else main.rates,
    )
    return ctx


@dataclass(frozen=True)
class _Desk:
    """The tool executor of an engine. `context` returns the app context, which is made after the engine."""

    context: Callable[[], AppContext]

    async def call_tool(self, run: LiveRun, call: ToolCall) -> ToolFinished:
        return await RecordedToolExecutor(self.context()).call_tool(run, call)

    async def plan_round(self, run: LiveRun) -> NextRound:
        return await plan_round(self.context(), run)


def keep_at_work(stack: AsyncExitStack, ctx: AppContext, *work: Coroutine[Any, Any, None]) -> None:
    """Run the writer and the tasks `work` until the stack is left. Then end the active replies and store their text."""
    own = (ctx.engine.writer.keep_saving(), ctx.accesses.keep_writing(), _keep_expiring(ctx))
    loops = {asyncio.create_task(loop, name=loop.__name__) for loop in (*own, *work)}
    stack.push_async_callback(_stop, loops)
    stack.push_async_callback(_flush, ctx.accesses)  # before its loop is cancelled
    stack.push_async_callback(
        lambda: _stop({*ctx.warming.values(), *ctx.background, *(keeper.task for keeper in ctx.keeping.values())})
    )
    stack.push_async_callback(ctx.indexer.close)
    stack.push_async_callback(ctx.engine.interrupt_all)


async def drop_unused(ctx: AppContext, seconds: float) -> None:
    """Drop the cached data of conversations that were not used in the last `seconds`. If there was any, free memory."""
    if ctx.expire(seconds):
        await ctx.store.close_idle()
        await asyncio.to_thread(give_memory_back)


async def _keep_expiring(ctx: AppContext) -> None:
    while True:
        await asyncio.sleep(EXPIRE_SECONDS)
        await drop_unused(ctx, IDLE_SECONDS)
        if not ctx.event_bus.any_watched:  # while a page is open, a draft may need the counting process soon
            await asyncio.to_thread(end_if_idle, IDLE_SECONDS)


async def _flush(accesses: AccessLog) -> None:
    try:
        await accesses.flush()
    except StoreError:  # the rest of the shutdown must still run
        log.exception("accesses were not recorded in the audit trail")


def _follow_up(ctx: AppContext, run: LiveRun) -> None:
    ctx.start_background(follow_up(ctx, run), f"after run {run.run_id}")


async def _stop(tasks: set[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
