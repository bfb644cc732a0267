"""The longest wait of another request during a large operation, by the size of the operation; and the memory after it.

It measures the longest turn of the event loop, with everything in one process as in the server: the smallest request
would wait this long. `quiet` is the same without an operation: the share of the machine itself.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import orjson
from sqlalchemy import delete

from app.config.settings import load_settings
from app.domain.filters.language.commands import Export
from app.domain.settings.preferences import OverBudget
from app.domain.text.search import parse_search
from app.providers.counts.token_counts import end_if_idle
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.memory.collector import give_memory_back
from app.runs.request.indexes import Indexer
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import start_reply
from app.runs.send.composition import compose_view
from app.runs.send.context_selection import ViewOptions
from app.runs.send.send_request import SendRequest
from app.runs.transfer.exporting import export_conversation
from app.runs.transfer.importing import import_file
from app.runs.watch.broadcast import follow
from app.runs.watch.watcher import Watcher
from app.runs.wiring import drop_unused, open_app_context
from app.store.conversation.lists import ListCriteria, list_conversations
from app.store.index.rows_index import PAIR_SIZE, PAIR_TEXT
from app.store.index.search import load_found, search
from tests.bench.growth.seed import make_words
from tests.bench.instruments.machine import proportional_megabytes

LIMIT_MS: Final = 50.0
QUIET_SECONDS: Final = 1.0
FIRST_ESTIMATE: Final = "first estimate after the import"
AT_REST: Final = "after five minutes without it"

Values = dict[str, dict[int, float]]


async def measure_waits(folder: Path, sizes: list[int]) -> tuple[Values, Values, Values]:
    """Return by operation and size: longest waits with their processor time, memory, and durations.

    Times are in milliseconds, the memory is a factor of the memory before. Only the first estimate has a duration.

    The memory before is that of a process that has done each operation once, with three pairs.
    """
    waits: Values = {}
    memory: Values = {}
    took: Values = {}
    for size in sizes:
        settings = load_settings({"INVIEW_DATA_DIR": str(folder / str(size)), "INVIEW_TITLES": "off"})
        async with open_app_context(settings) as ctx:
            await _measure_size(ctx, 3)
            await drop_unused(ctx, 0)
            end_if_idle(0)
            before = settled_megabytes()
            found, estimated = await _measure_size(ctx, size)
            kept = settled_megabytes() / before
            await drop_unused(ctx, 0)
            end_if_idle(0)
            rest = {"after it": kept, AT_REST: settled_megabytes() / before}
        for values, measured in ((waits, found), (memory, rest), (took, {FIRST_ESTIMATE: estimated})):
            for name, value in measured.items():
                values.setdefault(name, {})[size] = value
    return waits, memory, took


async def _measure_size(ctx: AppContext, size: int) -> tuple[dict[str, float], float]:
    """Do each operation with a conversation of this size, and return the longest wait during each.

    Also returns the duration of the first estimate after the import.
    """
    waits: dict[str, float] = {}

    async def during(name: str, act: Callable[[], Awaitable[None]]) -> None:
        waits[name], waits[f"{name}: own processor"] = await longest_turns(act())

    await during("quiet", lambda: asyncio.sleep(QUIET_SECONDS))
    await during("import", lambda: _import(ctx, a_file(size)))
    async with ctx.store.read() as session:
        one = (await list_conversations(session, LOCAL_OWNER, limit=1))[0].conversation.id
    began = time.perf_counter()
    await during(FIRST_ESTIMATE, lambda: _estimate(ctx, one))
    estimated = (time.perf_counter() - began) * 1_000
    await during("opening its page", lambda: _open_page(ctx, one))
    await during("send of r20", lambda: _send(ctx, one))
    await during("first send of all pairs", lambda: _send_all(ctx, one))
    await during("second send of all pairs", lambda: _send_all(ctx, one))
    await during("a reply up to its limit", lambda: _reply_to_the_limit(ctx))
    await during("export", lambda: _export(ctx, one))
    await during("search", lambda: _search(ctx))
    async with ctx.store.write() as session:
        await session.execute(delete(PAIR_TEXT))
        await session.execute(delete(PAIR_SIZE))
    ctx.expire(0)
    ctx = replace(ctx, indexer=Indexer(ctx.store, ctx.event_bus))
    await during("first estimate, nothing counted yet", lambda: _estimate(ctx, one))
    return waits, estimated


async def longest_turns(going_on: Awaitable[None]) -> tuple[float, float]:
    """Return the longest turn of the event loop during a task, in milliseconds, and the longest by processor time."""
    work, longest, busiest = asyncio.ensure_future(going_on), 0.0, 0.0
    while not work.done():
        began, used = time.monotonic(), time.thread_time()
        await asyncio.sleep(0.001)
        longest, busiest = max(longest, time.monotonic() - began), max(busiest, time.thread_time() - used)
    await work
    return longest * 1_000, busiest * 1_000


def a_file(size: int) -> bytes:
    """Build an import file with `size` pairs of about 1 KB."""
    words = (make_words(number) for number in range(size))
    pairs = [{"user_text": asked, "reply_text": answer, "model": "offline:demo"} for asked, answer, _ in words]
    return orjson.dumps({"title": "Growth", "model": "offline:demo", "pairs": pairs})


def settled_megabytes() -> float:
    give_memory_back()
    return proportional_megabytes(os.getpid())


async def _import(ctx: AppContext, body: bytes) -> None:
    await import_file(ctx, LOCAL_OWNER, body)


async def _estimate(ctx: AppContext, conversation_id: str) -> None:
    await compose_view(ctx, LOCAL_OWNER, conversation_id, ViewOptions(filter=""))


async def _open_page(ctx: AppContext, conversation_id: str) -> None:
    async with Watcher(ctx, LOCAL_OWNER, conversation_id) as watcher:
        while (screen := await watcher.next_screen()) is not None and screen.context is None:
            pass


async def _send(ctx: AppContext, conversation_id: str) -> None:
    await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest("/rate 0 /long 5", ViewOptions(filter="r20")))
    await asyncio.sleep(0.5)


async def _send_all(ctx: AppContext, conversation_id: str) -> None:
    """Send all pairs and wait for the end of the reply: by then the content of the call is recorded."""
    request = SendRequest("/rate 0 /long 5", ViewOptions(filter=""), over_budget=OverBudget.FORCE)
    started = await start_reply(ctx, LOCAL_OWNER, conversation_id, request)
    async for _ in follow(ctx, LOCAL_OWNER, started.run_id):
        pass


async def _reply_to_the_limit(ctx: AppContext) -> None:
    """Receive a reply of the maximum size, whatever the size of the measured conversation."""
    one = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    started = await start_reply(ctx, LOCAL_OWNER, one.id, SendRequest("/rate 0 /long 3000000"))
    async for _ in follow(ctx, LOCAL_OWNER, started.run_id):
        pass


async def _export(ctx: AppContext, conversation_id: str) -> None:
    exported = await export_conversation(ctx, LOCAL_OWNER, conversation_id, Export())
    async for _ in exported.chunks:
        pass


async def _search(ctx: AppContext) -> None:
    looked_for = parse_search("garden bread")
    async with ctx.store.read() as session:
        found = await search(session, LOCAL_OWNER, ListCriteria(), looked_for)
        await load_found(session, LOCAL_OWNER, looked_for, found.places[:50])
