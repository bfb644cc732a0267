"""What several processes cost each other, measured on this machine: `python -m tests.bench.scale_costs`, half a minute.

Prints the fields of `scale.Costs` that it measures. PostgreSQL and Redis are those of Debian's packages, started for it
on this machine, and do not wait for the disk. Nothing else should run meanwhile: it says how busy the machine was.
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, Final

import orjson
import redis.asyncio
from sqlalchemy import text

from app.cli.logs import configure_logs
from app.runs.cluster.link import open_link
from app.runs.send.commands import LOCAL_OWNER, create_conversation, start_reply, stop_replies
from app.runs.send.intents import NewSend
from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench
from app.settings import load_settings
from tests import postgres
from tests.redis_server import PROGRAM as REDIS
from tests.redis_server import redis_serving

RUNS: Final = (1, 20, 60)
RATE: Final = 20
"""Pieces a second of each reply."""
SECONDS: Final = 4.0
HEARTBEATS: Final = 20_000
MESSAGES: Final = 2_000
LISTENERS: Final = 50


async def measure_runs(wb: Workbench, count: int) -> tuple[float, float, float]:
    """Replies that nobody watches: processor of each a second, the fastest save, processor of a send."""
    ids = [(await create_conversation(wb, LOCAL_OWNER, model="offline:demo")).id for _ in range(count)]
    began = process_time()
    for one in ids:
        await start_reply(wb, LOCAL_OWNER, NewSend(one, f"/long 4000 /rate {RATE}"))
    sending = (process_time() - began) / count
    await asyncio.sleep(1)
    saves: list[float] = []
    write = wb.engine.writer.save

    async def timed(*, beats: bool = True) -> None:
        at = perf_counter()
        await write(beats=beats)
        saves.append(perf_counter() - at)

    wb.engine.writer.__dict__["save"] = timed
    began = process_time()
    await asyncio.sleep(SECONDS)
    each = (process_time() - began) / SECONDS / count
    del wb.engine.writer.__dict__["save"]
    for one in ids:
        await stop_replies(wb, LOCAL_OWNER, one)
    return each, min(saves), sending


async def measure_heartbeats(wb: Workbench) -> float:
    """Processor time of this process for each run of others that it looks at, on rows that the server makes up."""
    query = text(f"SELECT md5(n::text), now() FROM generate_series(1, {HEARTBEATS}) n")
    began = process_time()
    async with wb.store.read() as session:
        seen = {row[0]: row[1] for row in await session.execute(query)}
    return (process_time() - began) / len(seen)


async def measure_redis(url: str) -> tuple[float, float]:
    """Processor time of Redis for each message it delivers, and of a process for each that it receives and leaves."""
    event = {"kind": "PairsChanged", "pair_ids": ["i" * 32]}
    message = orjson.dumps({"from": "p" * 32, "owner": "o" * 32, "conversation": "c" * 32, "event": event})
    client: Any = redis.asyncio.from_url(url)  # its types are in part unknown
    listeners = [client.pubsub() for _ in range(LISTENERS)]
    for one in listeners:
        await one.subscribe("cost")
    before = await _redis_seconds(client)
    for _ in range(MESSAGES // 10):
        async with client.pipeline(transaction=False) as pipeline:
            for _ in range(10):
                pipeline.publish("cost", message)
            await pipeline.execute()
    delivering = (await _redis_seconds(client) - before) / (MESSAGES // 10 * 10 * LISTENERS)
    for one in listeners:
        await one.aclose()
    await client.aclose()

    got, all_here = 0, asyncio.Event()

    def take(data: bytes) -> None:
        nonlocal got
        got += orjson.loads(data)["from"] != "me"
        if got == 5 * MESSAGES:
            all_here.set()

    async with open_link(url, "one") as link, open_link(url, "other") as other:
        await link.listen("cost", take)
        tasks = [asyncio.create_task(work) for work in (link.keep_receiving(), other.keep_sending())]
        await asyncio.sleep(0.3)
        began = process_time()
        for _ in range(5 * MESSAGES):
            other.send("cost", message)
        await all_here.wait()
        receiving = (process_time() - began) / got
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return delivering, receiving


async def _redis_seconds(client: Any) -> float:
    used = await client.info("cpu")
    return float(used["used_cpu_user"]) + float(used["used_cpu_sys"])


async def measure(folder: Path, database: str, redis_url: str) -> None:
    settings = load_settings(
        {
            "INVIEW_DATA_DIR": str(folder),
            "INVIEW_DATABASE_URL": database,
            "INVIEW_REDIS_URL": redis_url,
            "INVIEW_TITLES": "off",
        }
    )
    configure_logs("error", "text")
    print(f"load before: {os.getloadavg()[0]:.2f}")
    async with open_workbench(settings) as wb:
        for count in RUNS:
            each, save, sending = await measure_runs(wb, count)
            print(
                f"{count:3} replies of {RATE} pieces a second: {each * 1e3:.2f} ms of processor a second each, "
                f"the fastest save {save * 1e3:.2f} ms, a send {sending * 1e3:.1f} ms of processor"
            )
        print(f"a run of others that is looked at: {await measure_heartbeats(wb) * 1e6:.2f} µs of processor")
    delivering, receiving = await measure_redis(redis_url)
    print(f"a message: {delivering * 1e6:.2f} µs of Redis for each that gets it")
    print(f"a message: {receiving * 1e6:.1f} µs of a process, sending it included")
    print(f"load after: {os.getloadavg()[0]:.2f}")


def main() -> int:
    programs = postgres.find_programs()
    if programs is None or REDIS is None:
        print("PostgreSQL and Redis are needed. On Debian: apt-get install postgresql redis-server")
        return 1
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="inview-costs-")))
        database = stack.enter_context(postgres.serving(programs))
        asyncio.run(measure(folder, database, stack.enter_context(redis_serving()).url))
    return 0


if __name__ == "__main__":
    sys.exit(main())
