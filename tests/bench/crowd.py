"""Many people signed in, many replies at once, and a flood of attempts to sign in beside them.

    python -m tests.bench.crowd                                        # 100 people, 50 streams, 10,000 attempts
    python -m tests.bench.crowd --people 20 --streams 5 --attempts 200

Tells the lag of chunks (from the provider's sending to the page of the person) without a flood, and with one. The
attempts name another account each, and come from one address or, as a proxy would tell them, from many. Everything
is on 127.0.0.1, and ends by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from typing import Any, Final

import httpx2
from websockets.asyncio.client import connect

from app.api.http.sign_in_gate import COOKIE
from app.domain.people.people import Device, Person, Role
from app.runs.people.sessions import begin_session
from app.runs.process.ids import now
from app.runs.wiring import open_workbench
from app.settings import load_settings
from app.store.database.migrations import upgrade
from app.store.people.people import insert_person
from tests.bench.clients import Watch, lags, opened, receive_replies
from tests.bench.machine import Spent
from tests.bench.script import Script, script_of
from tests.bench.targets import App, Process, Stub, app_environment, start_stub

MODEL: Final = "t300-r20"
"""Of the stub: 300 chunks, 20 a second."""
AT_ONCE: Final = 50
"""Attempts to sign in that are under way at once."""
REST: Final = 1.0
PORT: Final = 8593
COMMAND: Final = [sys.executable, "-m", "tests.bench.without_page"]


@dataclass(frozen=True)
class Flood:
    """`addresses`: the attempts come from so many."""

    attempts: int
    addresses: int


@dataclass(frozen=True)
class Measured:
    """Milliseconds, seconds of the server's processor, cores that others used, and answers to attempts by status."""

    p50: float
    p95: float
    slowest: float
    processor: float
    foreign: float
    answers: Mapping[int, int]
    flood_seconds: float


async def settle_people(data_dir: Path, count: int) -> list[str]:
    """Store so many persons, each signed in; the tokens of their sessions."""
    settings = load_settings({"INVIEW_DATA_DIR": str(data_dir), "INVIEW_ACCOUNTS": "on", "INVIEW_TITLES": "off"})
    upgrade(settings.database_url)
    tokens: list[str] = []
    async with open_workbench(settings) as wb:
        for number in range(count):
            name, role = f"p{number}", Role.MEMBER if number else Role.OWNER
            person = Person(name, name, f"{name}@example.org", role, disabled=False, created_at=now())
            async with wb.store.write() as session:
                await insert_person(session, person, "")
            tokens.append(await begin_session(wb, person, Device("bench", "127.0.0.1")))
    return tokens


async def start_server(stub: Stub, data_dir: Path, port: int) -> App:
    environment = app_environment(stub.base_url, data_dir, port)
    process = Process([*COMMAND, str(port)], {**environment, "INVIEW_ACCOUNTS": "on", "INVIEW_RATE_LIMITS": "off"})
    await process.answers(f"http://127.0.0.1:{port}/api/v1/health")
    return App(process, f"127.0.0.1:{port}")


async def measure(app: App, stub: Stub, tokens: list[str], streams: int, flood: Flood | None) -> Measured:
    """Stream a reply to each of the first persons, with all others' pages open and a flood if there is one."""
    script = script_of(MODEL)
    async with AsyncExitStack() as stack:
        for token in tokens[streams:]:
            watch = await app.watch(MODEL, cookie=cookie_of(token))
            socket = await stack.enter_async_context(
                connect(watch.url, additional_headers=watch.headers, compression="deflate", max_size=None)
            )
            if watch.prepare is not None:
                await watch.prepare(socket)
        watches = [await app.watch(MODEL, cookie=cookie_of(token)) for token in tokens[:streams]]
        keys = [uuid.uuid4().hex[:8] for _ in watches]
        with Spent(app.process.pid) as spent:
            streaming = asyncio.create_task(_stream(stub, script, watches, keys))
            answers, seconds = await _flood(app, flood or Flood(0, 1), streaming)
            found = await streaming
    marks = quantiles(found, n=100)
    return Measured(
        marks[49] * 1000, marks[94] * 1000, max(found) * 1000, spent.seconds, spent.foreign, answers, seconds
    )


def cookie_of(token: str) -> str:
    return f"{COOKIE}={token}"


async def _stream(stub: Stub, script: Script, watches: list[Watch], keys: list[str]) -> list[float]:
    async with opened(watches, settle=REST) as sockets:
        arrivals = await receive_replies(sockets, script, keys)
    return [lag for key in keys for lag in lags(script, (await stub.call(key)).sent, arrivals[key])]


async def _flood(app: App, flood: Flood, streaming: asyncio.Task[list[float]]) -> tuple[Mapping[int, int], float]:
    """Try to sign in so often, or as long as replies stream, with a password that is wrong.

    Gives the answers by status, and the seconds it took.
    """
    answers: Counter[int] = Counter()
    numbers = iter(range(flood.attempts))
    began = time.monotonic()

    async def attempt(client: httpx2.AsyncClient) -> None:
        for number in numbers:
            origin = number % flood.addresses
            headers = {"x-forwarded-for": f"10.{origin >> 16}.{origin >> 8 & 255}.{origin & 255}"}
            form = {"email": f"n{number}@example.org", "password": "a wrong password"}
            answer = await client.post(f"http://{app.address}/sign-in", data=form, headers=headers)
            answers[answer.status_code] += 1

    async with httpx2.AsyncClient(trust_env=False, timeout=None) as client:
        attempts = [asyncio.create_task(attempt(client)) for _ in range(AT_ONCE)]
        every = asyncio.gather(*attempts, return_exceptions=True)
        await asyncio.wait({every, streaming}, return_when=asyncio.FIRST_COMPLETED)
        for each in attempts:
            each.cancel()
        await every
    return answers, time.monotonic() - began


async def main(people: int, streams: int, attempts: int, addresses: int) -> None:
    stub = await start_stub()
    try:
        with tempfile.TemporaryDirectory() as folder:
            tokens = await settle_people(Path(folder), people)
            app = await start_server(stub, Path(folder), PORT)
            try:
                for name, flood in (
                    ("without a flood", None),
                    ("flood from one address", Flood(attempts, 1)),
                    (f"flood from {addresses} addresses", Flood(attempts, addresses)),
                ):
                    print(f"{name}: {describe(await measure(app, stub, tokens, streams, flood))}", flush=True)
            finally:
                await app.process.stop()
    finally:
        await stub.process.stop()


def describe(one: Measured) -> str:
    answers = ", ".join(f"{count} × {status}" for status, count in sorted(one.answers.items()))
    flood = f"; {answers} in {one.flood_seconds:.1f} s" if answers else ""
    return (
        f"lag p50 {one.p50:.1f}, p95 {one.p95:.1f}, slowest {one.slowest:.1f} ms; "
        f"server {one.processor:.1f} s of processor, others {one.foreign:.2f} cores{flood}"
    )


if __name__ == "__main__":
    options: Any = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--people", type=int, default=100)
    options.add_argument("--streams", type=int, default=50)
    options.add_argument("--attempts", type=int, default=10_000)
    options.add_argument("--addresses", type=int, default=1_000)
    given = options.parse_args()
    asyncio.run(main(given.people, given.streams, given.attempts, given.addresses))
