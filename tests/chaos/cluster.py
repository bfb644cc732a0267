"""Several processes under hundreds of replies. One is killed every few seconds; PostgreSQL and Redis are restarted.

    python -m tests.chaos.cluster                                  # 500 replies at a time for five minutes
    python -m tests.chaos.cluster --streams 40 --seconds 60 --seed 7

Everyone sends each text with a key of its own. When an answer is lost, they send it again with that key to
another process. One process reaches PostgreSQL and Redis by lines that are cut once, for longer than its claims on
replies hold: it still receives them when others have ended them. At the end what the provider saw is compared with what
is stored:

- every pair has ended, and each text that was taken is one pair;
- the provider was called once for each of them, and that call is recorded and in the ledger once;
- a reply that succeeded is whole, any other is the beginning of it;
- `inview verify` finds nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import httpx2
import orjson
from sqlalchemy import make_url, text

from app.store.database.database import make_blocking_engine
from tests import postgres
from tests.bench.script import model_name, script_of
from tests.bench.targets import Stub, start_stub
from tests.chaos.line import Line
from tests.cluster import ServedCluster, cluster_serving
from tests.serving import INVIEW, free_port, server_environment

MODEL: Final = model_name(60, 2)
REPLY_SECONDS: Final = 30.0
PARTITION_SECONDS: Final = 25.0
"""Longer than a claim on a reply holds: 15 to 18 s."""
CALM_SECONDS: Final = 90.0
MAX_PATIENCE: Final = 10.0
"""Seconds from one attempt at a text to the next, at most: hundreds a second would keep two cores busy with that."""
CUT_OFF: Final = 2
"""The process whose lines are cut."""
ENDED: Final = ("succeeded", "error", "canceled")


@dataclass
class Talker:
    """Someone in a conversation of their own. `taken`: the texts that a process has taken."""

    number: int
    conversation: str = ""
    taken: list[str] = field(default_factory=list[str])
    refused: Counter[str] = field(default_factory=Counter[str])


@dataclass(frozen=True)
class Found:
    """What is stored of a text: its pair, its reply, and how many calls and entries in the ledger its runs have."""

    lifecycle: str
    reply: str
    calls: int
    entries: int


@dataclass
class Chaos:
    cluster: ServedCluster
    stub: Stub
    lines: tuple[Line, ...]
    random: random.Random
    until: float
    down: set[int] = field(default_factory=set[int])
    done: Counter[str] = field(default_factory=Counter[str])

    async def talk(self, talker: Talker, client: httpx2.AsyncClient) -> None:
        """Send one text after the other, each until a process has taken it."""
        await asyncio.sleep(self.random.uniform(0, REPLY_SECONDS / 2))
        body = {"model": f"stub:{MODEL}"}
        if (made := await self._ask(client, "/conversations", body, talker)) is None:
            return
        talker.conversation = made["id"]
        while time.monotonic() < self.until:
            said = f"{talker.number} says {len(talker.taken)}"
            path = f"/conversations/{talker.conversation}/send"
            if await self._ask(client, path, {"text": said}, talker, key=said) is None:
                return
            talker.taken.append(said)
            await asyncio.sleep(REPLY_SECONDS * self.random.uniform(0.9, 1.2))

    async def _ask(
        self, client: httpx2.AsyncClient, path: str, body: dict[str, Any], talker: Talker, key: str = ""
    ) -> dict[str, Any] | None:
        """Post until it is taken, each time to any process; None: it never was. Events of a send are not awaited."""
        patience = 0.5
        headers = {"Idempotency-Key": f'"{key}"'} if key else {}
        while time.monotonic() < self.until + CALM_SECONDS:
            process = self.random.choice(self.cluster.processes)
            try:
                async with client.stream("POST", f"{process.url}/api/v1{path}", json=body, headers=headers) as answer:
                    if answer.is_success and key:
                        return {}
                    if answer.is_success:
                        return orjson.loads(await answer.aread())
                    problem = (await answer.aread()).decode()
                    talker.refused[f"{answer.status_code}"] += 1
                    if answer.status_code not in (409, 423, 429, 500, 503):
                        raise AssertionError(f"{path} was refused with {answer.status_code}: {problem}")
            except httpx2.TransportError as error:
                talker.refused[type(error).__name__] += 1
            await asyncio.sleep(patience * self.random.uniform(0.7, 1.3))
            patience = min(2 * patience, MAX_PATIENCE)
        self.done["texts given up"] += 1
        return None

    async def kill_some(self) -> None:
        """Kill a process every few seconds, and start it again."""
        while time.monotonic() < self.until:
            await asyncio.sleep(self.random.uniform(3, 6))
            number = self.random.randrange(len(self.cluster.processes))
            if self.down:
                continue
            self.down.add(number)
            await asyncio.to_thread(self.cluster.kill, number)
            self.done["processes killed"] += 1
            await asyncio.sleep(self.random.uniform(0, 2))
            await self._start(number)
            self.down.discard(number)

    async def _start(self, number: int) -> None:
        """Start a process as a supervisor does: again and again, while it does not reach its servers."""
        while True:
            try:
                await asyncio.to_thread(self.cluster.start, number)
            except AssertionError:  # it ended; its line says why
                self.done["starts in vain"] += 1
                await asyncio.sleep(1)
            else:
                return

    async def trouble(self, seconds: float) -> None:
        """Once each, spread over the time: PostgreSQL restarts, Redis loses everything, a process is cut off."""
        events: list[Callable[[], Awaitable[None]]] = [self._restart_postgres, self._restart_redis, self._cut_off]
        for event in events:
            await asyncio.sleep(seconds / (len(events) + 1))
            await event()

    async def _restart_postgres(self) -> None:
        await asyncio.to_thread(postgres.restart, self.cluster.settings["INVIEW_DATABASE_URL"])
        self.done["restarts of PostgreSQL"] += 1

    async def _restart_redis(self) -> None:
        await asyncio.to_thread(self.cluster.redis.restart)
        self.done["restarts of Redis, which forgot everything"] += 1

    async def _cut_off(self) -> None:
        for line in self.lines:
            line.cut()
        await asyncio.sleep(PARTITION_SECONDS)
        for line in self.lines:
            line.mend()
        self.done["processes cut off"] += 1


@asynccontextmanager
async def troubled(folder: Path, seed: int, seconds: float) -> AsyncGenerator[Chaos]:
    """A cluster of three, one of them by lines of its own, and a provider."""
    async with AsyncExitStack() as stack:
        stub = await start_stub(free_port())
        stack.push_async_callback(stub.process.stop)
        settings = {"INVIEW_COMPATIBLE": f"stub={stub.base_url}"}
        serving = cluster_serving(folder, settings, count=CUT_OFF)
        cluster = await asyncio.to_thread(serving.__enter__)
        stack.push_async_callback(asyncio.to_thread, serving.__exit__, None, None, None)
        url = make_url(cluster.settings["INVIEW_DATABASE_URL"])
        to_database = await stack.enter_async_context(Line.to_socket(Path(str(url.query["host"])), ".s.PGSQL.5432"))
        to_redis = await stack.enter_async_context(Line.to_port(cluster.redis.port))
        cluster.own[CUT_OFF] = {
            "INVIEW_DATABASE_URL": url.set(query={"host": str(to_database.folder)}).render_as_string(
                hide_password=False
            ),
            "INVIEW_REDIS_URL": f"redis://127.0.0.1:{to_redis.port}/0",
        }
        await asyncio.to_thread(cluster.add, free_port())
        yield Chaos(cluster, stub, (to_database, to_redis), random.Random(seed), time.monotonic() + seconds)


async def run(streams: int, seconds: float, seed: int) -> tuple[dict[str, int], list[str]]:
    """What was done and seen, in numbers; and the faults that were found."""
    with TemporaryDirectory(prefix="inview-chaos-") as folder:
        async with troubled(Path(folder), seed, seconds) as chaos:
            talkers = [Talker(number) for number in range(streams)]
            limits = httpx2.Limits(max_connections=None, max_keepalive_connections=0)
            async with httpx2.AsyncClient(trust_env=False, timeout=40, limits=limits) as client:
                async with asyncio.TaskGroup() as everything:
                    everything.create_task(chaos.kill_some())
                    everything.create_task(chaos.trouble(seconds))
                    for talker in talkers:
                        everything.create_task(chaos.talk(talker, client))
                await _calm(chaos)
                log = await client.get(chaos.stub.base_url.removesuffix("/v1") + "/log", timeout=120)
            stored = await asyncio.to_thread(_read, chaos.cluster)
            taken = [said for talker in talkers for said in talker.taken]
            called = Counter(call["key"] for call in log.json())
            faults = judge(stored, taken, called) + await asyncio.to_thread(_verify, chaos.cluster)
            refused = sum((talker.refused for talker in talkers), Counter[str]())
            lives = Counter(each.lifecycle for found in stored.values() for each in found)
            numbers = {
                "texts taken": len(taken),
                "calls of the provider": called.total(),
                **{f"pairs {lifecycle}": count for lifecycle, count in sorted(lives.items())},
                **chaos.done,
                **{f"answers {kind}, sent again": count for kind, count in sorted(refused.items())},
            }
    return numbers, faults


async def _calm(chaos: Chaos) -> None:
    """Wait until nothing runs any more."""
    due = time.monotonic() + CALM_SECONDS
    while time.monotonic() < due:
        found = await asyncio.to_thread(_read, chaos.cluster)
        if all(each.lifecycle in ENDED for pairs in found.values() for each in pairs):
            return
        await asyncio.sleep(2)


def judge(stored: Mapping[str, Sequence[Found]], taken: Sequence[str], called: Mapping[str, int]) -> list[str]:
    """The faults: what is stored, by text, against what was taken, and against how often the provider was called."""
    faults = [f"{said!r} was taken and is stored nowhere" for said in taken if said not in stored]
    faults += [
        f"the provider was called for {said!r}, which is stored nowhere" for said in called if said not in stored
    ]
    faults += [f"the provider was called {times} times for {said!r}" for said, times in called.items() if times > 1]
    for said, pairs in stored.items():
        if len(pairs) > 1:
            faults.append(f"{said!r} is stored {len(pairs)} times")
        for pair in pairs:
            faults += [f"{said!r}: {fault}" for fault in _judge_pair(pair, called.get(said, 0))]
    return faults


def _verify(cluster: ServedCluster) -> list[str]:
    """What `inview verify` finds."""
    environment = server_environment(cluster.folder / "process-0", free_port(), cluster.settings)
    verified = subprocess.run([INVIEW, "verify"], env=environment, capture_output=True, text=True, check=False)
    return [f"inview verify: {verified.stdout[-2000:]}{verified.stderr[-2000:]}"] if verified.returncode else []


def _judge_pair(pair: Found, called: int) -> list[str]:
    whole = script_of(MODEL).text
    faults: list[str] = []
    if pair.lifecycle not in ENDED:
        faults.append(f"it is {pair.lifecycle} for ever")
    if pair.lifecycle == "succeeded" and pair.reply != whole:
        faults.append(f"it succeeded with {len(pair.reply)} characters of {len(whole)}")
    if not whole.startswith(pair.reply):
        faults.append(f"its reply is none: {pair.reply[:200]!r}")
    if pair.calls < called:
        faults.append(f"{called} calls were made, {pair.calls} recorded")
    if pair.calls > 1:
        faults.append(f"{pair.calls} calls are recorded")
    if pair.entries != pair.calls:
        faults.append(f"{pair.calls} calls are recorded, {pair.entries} in the ledger")
    return faults


def _read(cluster: ServedCluster) -> dict[str, list[Found]]:
    """What is stored, by the text of the request."""
    engine = make_blocking_engine(cluster.settings["INVIEW_DATABASE_URL"])
    query = text(
        "SELECT asked.parts AS asked, pair.lifecycle, replied.parts AS replied,"
        " (SELECT count(*) FROM sent_call WHERE sent_call.pair_id = pair.id) AS calls,"
        " (SELECT count(*) FROM ledger JOIN run ON run.id = ledger.run_id WHERE run.pair_id = pair.id) AS entries"
        " FROM pair JOIN message AS asked ON asked.id = pair.request_id"
        " LEFT JOIN message AS replied ON replied.id = pair.reply_id"
    )
    found: dict[str, list[Found]] = {}
    with engine.connect() as connection:
        for row in connection.execute(query):
            pair = Found(row.lifecycle, _text(row.replied), row.calls, row.entries)
            found.setdefault(_text(row.asked), []).append(pair)
    engine.dispose()
    return found


def _text(parts: str | None) -> str:
    """The texts in a column of parts."""
    return "".join(part["text"] for part in orjson.loads(parts or "[]") if part["type"] == "text")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.cluster", description="Several processes in trouble.")
    parser.add_argument("--streams", type=int, default=500, help="replies at a time")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=random.randrange(10_000))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    numbers, faults = asyncio.run(run(options.streams, options.seconds, options.seed))
    for name, number in numbers.items():
        print(f"{number:8,} {name}")
    for fault in faults[:50]:
        print(fault)
    print(f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
