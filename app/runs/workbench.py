"""The workbench: everything there is once per process, opened at its start and closed at its end.

    async with open_workbench(settings) as wb:
        conversation = await create_conversation(wb, LOCAL_OWNER)

Closing it ends the replies that are on, with what they received stored, within two seconds.

Not here: what can be done with it (`commands.py`) or seen of it (`broadcast.py`).
"""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import make_url

from app.providers.base import Timeouts
from app.providers.models import ModelLists
from app.providers.transport import Transport
from app.runs.catalogue import Catalogue
from app.runs.collector import tune_collector
from app.runs.engine import Engine
from app.runs.feeds import Feeds
from app.runs.history import Histories
from app.runs.ids import new_id
from app.runs.pace import Pace
from app.runs.reaper import Reaper
from app.runs.to_the_end import finish_under_way
from app.runs.writer import Writer
from app.settings import Settings
from app.store.database import Store, open_store
from app.store.migrations import upgrade
from app.store.sealing import KEY_FILE, Seal


@dataclass(frozen=True)
class Workbench:
    """What commands and watchers work with. `process_id` names this process in the database."""

    settings: Settings
    process_id: str
    store: Store
    catalogue: Catalogue
    engine: Engine
    feeds: Feeds = field(default_factory=Feeds)
    histories: Histories = field(default_factory=Histories)
    pace: Pace = field(default_factory=Pace)
    warming: dict[str, asyncio.Task[None]] = field(default_factory=dict[str, asyncio.Task[None]])


COMMAND_SECONDS = 0.4
"""How long the end of the process waits for commands; what runs is stored after that, within two seconds in all."""

_open: list[Workbench] = []


def current() -> Workbench:
    """The workbench of this process.

    Raises:
        RuntimeError: none is open: the server has not started, or has ended.
    """
    if not _open:
        raise RuntimeError("No workbench is open. Use it inside `async with open_workbench(settings)`.")
    return _open[-1]


@asynccontextmanager
async def open_workbench(settings: Settings) -> AsyncGenerator[Workbench, None]:
    """Migrate and open the database, end what a dead process left running, and keep saving until the end.

    Raises:
        StoreError: the database cannot be used.
    """
    tune_collector()
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    await asyncio.to_thread(upgrade, settings.database_url)
    process_id = new_id()
    async with AsyncExitStack() as stack:
        alone = stack.enter_context(_claim(settings.database_url))
        store = await stack.enter_async_context(open_store(settings.database_url))
        transport = Transport()
        stack.push_async_callback(transport.close)
        feeds = Feeds()
        histories = Histories()
        writer = Writer(store, process_id)
        catalogue = Catalogue(settings, Seal(settings.data_dir / KEY_FILE), ModelLists(transport))
        engine = Engine(transport, writer, feeds, Timeouts(read=settings.timeout))
        reaper = Reaper(store, catalogue, histories, writer, feeds)
        wb = Workbench(settings, process_id, store, catalogue, engine, feeds, histories)
        await reaper.reap(alone=alone)
        work = (writer.keep_saving(), reaper.keep_reaping(), store.keep_on_disk())
        loops = {asyncio.create_task(loop, name=loop.__name__) for loop in work}
        stack.push_async_callback(_stop, loops)
        stack.push_async_callback(lambda: _stop(set(wb.warming.values())))
        stack.push_async_callback(engine.interrupt_all)
        stack.push_async_callback(finish_under_way, COMMAND_SECONDS)
        _open.append(wb)
        stack.callback(_open.remove, wb)
        yield wb


async def _stop(tasks: set[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@contextmanager
def _claim(database_url: str) -> Generator[bool]:
    """Whether this process is the only one on the database, now and until it ends, however it ends."""
    url = make_url(database_url)
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:":
        yield False
        return
    path = Path(f"{url.database}-owner")
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        alone = False
    else:
        alone = True
    try:
        yield alone
    finally:
        os.close(descriptor)
