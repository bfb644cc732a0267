"""The wiring: builds the workbench and its background work at the start of a process, and closes them at its end.

    async with open_workbench(settings) as wb:
        conversation = await create_conversation(wb, LOCAL_OWNER)

Closing it ends the replies that are on, with what they received stored, within two seconds.

The one module that names what a command must not know: what follows a reply, who calls its tools, what is at work in
the background. Only `temporary.py` and who opens a workbench import it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import structlog

from app.domain.conversation.conversation import Pair
from app.domain.conversation.parts import ToolCall
from app.domain.errors import StoreError
from app.domain.run.events import ToolFinished
from app.domain.run.state import lifecycle_of
from app.json_schemas.checker import close as end_checking
from app.language.choice import prefer_language
from app.providers.base import Timeouts
from app.providers.models.model_lists import ModelLists
from app.providers.models.remembered_lists import LISTS_FILE, read_remembered
from app.providers.tokens.token_counts import end_if_idle
from app.providers.transport import Transport
from app.runs.cache.keep_alive import keep_resuming, resume_keeping
from app.runs.caller import act_as_process
from app.runs.derived.delegation import delegate_tool
from app.runs.derived.post_run import follow_up
from app.runs.engine.engine import Engine, NextRound
from app.runs.engine.live import LiveRun
from app.runs.engine.permission_broker import PermissionBroker
from app.runs.engine.turns import CallTurns, limit_turns
from app.runs.engine.writer import Writer
from app.runs.library.preference_commands import read_preferences
from app.runs.library.retention import expire_temporary
from app.runs.measures.measures import Measures, RunTraces
from app.runs.people.open_connections import keep_ending_revoked
from app.runs.process.catalogue import Catalogue
from app.runs.process.collector import give_memory_back, tune_collector
from app.runs.process.event_bus import EventBus
from app.runs.process.ids import new_id, now
from app.runs.process.memory_cache import IDLE_SECONDS
from app.runs.process.shielded import finish_under_way
from app.runs.recovery.reaper import Reaper
from app.runs.recovery.restored import enter_restored
from app.runs.request.damages import Damages
from app.runs.request.indexes import Indexer
from app.runs.send.commands import LOCAL_OWNER
from app.runs.tools.conversation_search import search_tool
from app.runs.tools.server_changes import follow_change
from app.runs.tools.server_commands import connect_servers
from app.runs.tools.tool_calls import RecordedToolExecutor
from app.runs.tools.tool_rounds import plan_round
from app.runs.upkeep import run_upkeep
from app.runs.usage.budgets import admit_call
from app.runs.usage.measured_costs import note_cost
from app.runs.workbench import Workbench, in_use
from app.settings import Settings
from app.store.conversation.pairs import load_pair
from app.store.database.claim import claim
from app.store.database.database import Store, open_store
from app.store.database.encryption import Cipher, key_path
from app.store.database.migrations import upgrade
from app.store.ledger.ledger import Call
from app.tools.clock import current_time
from app.tools.fetching import fetch_page
from app.tools.toolbox import Toolbox

if TYPE_CHECKING:
    from app.runs.cluster.cluster import Cluster, FollowServers
    from app.runs.cluster.link import Link

log = structlog.get_logger(__name__)

COMMAND_SECONDS = 0.4
"""How long the end of the process waits for commands; what runs is stored after that, within two seconds in all."""

EXPIRE_SECONDS = 60.0
"""From one look for what nobody uses any more to the next."""


@asynccontextmanager
async def open_workbench(settings: Settings) -> AsyncGenerator[Workbench, None]:
    """Migrate and open the database, end what a dead process left running, and keep saving until the end.

    Raises:
        StoreError: the database cannot be used.
    """
    act_as_process()
    tune_collector()
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    await asyncio.to_thread(upgrade, settings.database_url)
    process_id = new_id()
    async with AsyncExitStack() as stack:
        shared = settings.redis_url is not None
        alone = await stack.enter_async_context(claim(settings.database_url, shared=shared)) and not shared
        opened = open_store(settings.database_url, slow_seconds=settings.slow_statement)
        store = await stack.enter_async_context(opened)
        transport = Transport()
        stack.push_async_callback(transport.close)
        remembered = await asyncio.to_thread(read_remembered, settings.data_dir / LISTS_FILE)
        catalogue = Catalogue(settings, Cipher(key_path(settings)), ModelLists(transport, remembered))
        stack.callback(end_checking)
        toolbox = Toolbox()
        stack.push_async_callback(toolbox.close)
        toolbox.register((current_time(), fetch_page(), search_tool(store)))
        measures = Measures(traces=_open_traces(stack, settings))
        link = await _open_link(stack, settings, process_id)
        wb = equip(settings, process_id, store, catalogue, transport, toolbox, measures=measures, link=link)
        store.companions.append(wb.trail)
        toolbox.register((delegate_tool(wb),))
        reaper = Reaper(store, catalogue, wb.engine.writer, wb.event_bus, shared=shared)
        await reaper.reap(alone=alone)
        await enter_restored(wb)
        stack.push_async_callback(wb.trail.enter, store)
        work = (reaper.keep_reaping(), store.keep_on_disk(), run_upkeep(wb), keep_resuming(wb), keep_ending_revoked(wb))
        if wb.cluster is not None:
            await wb.cluster.join()
            keep_going(stack, *wb.cluster.list_work())
            stack.push_async_callback(wb.cluster.leave)
        keep_at_work(stack, wb, *work, wb.measures.keep_watching_loop(), wb.trail.keep_entering(store))
        stack.push_async_callback(wb.beside.closing.aclose)
        stack.push_async_callback(finish_under_way, COMMAND_SECONDS)
        stack.enter_context(in_use(wb))
        prefer_language((await read_preferences(wb, LOCAL_OWNER)).language or "")
        await connect_servers(wb)
        await resume_keeping(wb, alone=alone)
        yield wb


def _open_traces(stack: AsyncExitStack, settings: Settings) -> RunTraces | None:
    if settings.traces_url is None:
        return None
    from app.runs.measures.traces import open_traces  # noqa: PLC0415 - its packages are an extra

    traces = open_traces(settings.traces_url)
    stack.push_async_callback(traces.close)
    return traces


async def _open_link(stack: AsyncExitStack, settings: Settings, process_id: str) -> Link | None:
    if settings.redis_url is None:
        return None
    from app.runs.cluster.link import open_link  # noqa: PLC0415 - the client of Redis is for those who have one

    return await stack.enter_async_context(open_link(settings.redis_url, process_id))


@asynccontextmanager
async def open_quietly(settings: Settings, *, offline: bool = False) -> AsyncGenerator[Workbench, None]:
    """A workbench for one command, on a database that is up to date, also beside a server.

    Nothing is at work in it: nobody is ended, swept, connected or asked. `offline`: see `Catalogue`.

    Raises:
        StoreError: the database cannot be used.
    """
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(open_store(settings.database_url))
        transport = Transport()
        stack.push_async_callback(transport.close)
        remembered = await asyncio.to_thread(read_remembered, settings.data_dir / LISTS_FILE)
        cipher = Cipher(key_path(settings))
        catalogue = Catalogue(settings, cipher, ModelLists(transport, remembered), offline)
        stack.callback(end_checking)
        wb = equip(settings, new_id(), store, catalogue, transport, Toolbox())
        store.companions.append(wb.trail)
        stack.push_async_callback(wb.trail.enter, store)
        stack.push_async_callback(wb.indexer.close)
        stack.enter_context(in_use(wb))
        yield wb


def equip(  # noqa: PLR0913, PLR0917 - what a workbench is made of
    settings: Settings,
    process_id: str,
    store: Store,
    catalogue: Catalogue,
    transport: Transport,
    toolbox: Toolbox,
    lists_of: EventBus | None = None,
    measures: Measures | None = None,
    link: Link | None = None,
) -> Workbench:
    """A workbench on a store, with nothing at work yet. `lists_of`: see `EventBus`. `measures` None: its own. `link`:
    the way to other processes.
    """
    measures = measures or Measures()
    traces = measures.traces
    event_bus = EventBus(lists_of)
    damages = Damages(event_bus)
    indexer = Indexer(store, event_bus, damages)

    def ended(run: LiveRun) -> None:
        indexer.catch_up(run.place)
        wb.measures.note_run(lifecycle_of(run.state), run.chunks)
        if traces is not None:
            traces.note_run(run)
        _follow_up(wb, run)

    def called(run: LiveRun, call: Call) -> None:
        heard = run.first_heard_at
        first = None if heard is None else max(0.0, (heard - run.attempt_started_at).total_seconds())
        wb.measures.note_call(call, first)
        if traces is not None:
            traces.note_call(call, first)
        if call.usage is not None:
            _in_background(wb, note_cost(wb, call), f"cost of run {run.run_id}")

    async def admit(run: LiveRun) -> None:
        await admit_call(wb, run.place, run.state.start.model)

    engine = Engine(
        transport,
        Writer(store, process_id, event_bus),
        event_bus,
        Timeouts(read=settings.timeout),
        ended,
        _LateToolExecutor(lambda: wb),
        settings.max_reply_bytes,
        called,
        CallTurns(limit_turns(settings.calls_at_once)),
        admit,
    )
    broker = PermissionBroker()
    wb = Workbench(
        settings,
        process_id,
        store,
        catalogue,
        engine,
        event_bus,
        indexer,
        toolbox,
        damages,
        measures=measures,
        permission_broker=broker,
        cluster=_make_cluster(link, store, catalogue, engine, broker, lambda change: follow_change(wb, change)),
    )
    return wb


def _make_cluster(  # noqa: PLR0913, PLR0917 - what a cluster is made of
    link: Link | None,
    store: Store,
    catalogue: Catalogue,
    engine: Engine,
    broker: PermissionBroker,
    follow_servers: FollowServers,
) -> Cluster | None:
    if link is None:
        return None
    from app.runs.cluster.cluster import Cluster  # noqa: PLC0415 - as above

    async def load(owner: str, pair_id: str) -> Pair:
        async with store.read() as session:
            return await load_pair(session, owner, pair_id)

    cluster = Cluster(link, engine.event_bus, engine, load, broker.notify, catalogue.forget, follow_servers)
    catalogue.forgotten = cluster.tell_settings
    return cluster


@dataclass(frozen=True)
class _LateToolExecutor:
    """The executor of tools, which takes a workbench, for an engine, which a workbench is made of."""

    workbench: Callable[[], Workbench]

    async def call_tool(self, run: LiveRun, call: ToolCall) -> ToolFinished:
        return await RecordedToolExecutor(self.workbench()).call_tool(run, call)

    async def plan_round(self, run: LiveRun) -> NextRound:
        return await plan_round(self.workbench(), run)


def keep_at_work(stack: AsyncExitStack, wb: Workbench, *work: Coroutine[Any, Any, None]) -> None:
    """Keep saving, and do this other work, until the stack is left: then replies end with what they received stored."""
    own = (wb.engine.writer.keep_saving(), _keep_expiring(wb))
    stack.push_async_callback(
        lambda: _stop({*wb.warming.values(), *wb.background, *(keeper.task for keeper in wb.keeping.values())})
    )
    keep_going(stack, *own, *work)  # ends before what it begins: else it begins it anew while the rest closes
    stack.push_async_callback(wb.indexer.close)
    stack.push_async_callback(wb.engine.interrupt_all)


def keep_going(stack: AsyncExitStack, *work: Coroutine[Any, Any, None]) -> None:
    """Do this until the stack is left."""
    stack.push_async_callback(_stop, {asyncio.create_task(each, name=each.__name__) for each in work})


async def _keep_expiring(wb: Workbench) -> None:
    while True:
        await asyncio.sleep(EXPIRE_SECONDS)
        await _expire_temporary(wb)
        if wb.expire(IDLE_SECONDS):
            await asyncio.to_thread(give_memory_back)
        if not wb.event_bus.any_watched:  # who has a page open may write the next moment
            await asyncio.to_thread(end_if_idle, IDLE_SECONDS)


async def _expire_temporary(wb: Workbench) -> None:
    try:
        await expire_temporary(wb, now())
    except StoreError as error:
        log.warning("temporary conversations could not be looked at", fault=str(error))


def _follow_up(wb: Workbench, run: LiveRun) -> None:
    _in_background(wb, follow_up(wb, run), f"after run {run.run_id}")


def _in_background(wb: Workbench, work: Coroutine[Any, Any, None], name: str) -> None:
    task = asyncio.create_task(work, name=name)
    wb.background.add(task)
    task.add_done_callback(wb.background.discard)


async def _stop(tasks: set[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
