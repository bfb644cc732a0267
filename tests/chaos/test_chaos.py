"""Chaos: a provider that fails in all known ways, four persons who work, and kill -9 again and again.

After each kill the process is started again. Everything is compared with the reports of the killed process and with the
calls that the provider received: no pair is lost or stuck, nothing was sent twice, every call is in the ledger once.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import signal
import sqlite3
import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from app.runs.wiring import open_app_context
from app.store.database.migrations import upgrade
from tests.chaos.dying import READ_SECONDS, Report, work
from tests.chaos.puppet import BREAKS, REFUSALS, Call, Puppet, a_puppet
from tests.effort import EFFORT
from tests.runs.steps import settings_of
from tests.seeds import choose_seed

ROUNDS = EFFORT.kills
MANY = 100
MAX_LIFE = 1.5
"""Maximum seconds of work before the kill."""
ARRIVAL_SECONDS = 0.03
"""Seconds after which everything that a killed process had sent has arrived."""
ENDS = {"Succeeded": "succeeded", "Failed": "error", "Canceled": "canceled"}


@dataclass
class Provider:
    """A provider that answers at random. `heard` counts the calls by request text, `did` the kinds of answers."""

    puppet: Puppet
    chance: random.Random
    heard: Counter[str] = field(default_factory=Counter[str])
    did: Counter[str] = field(default_factory=Counter[str])

    async def answer_all(self) -> None:
        async with asyncio.TaskGroup() as answers:
            while True:
                call = await self.puppet.calls.get()
                self.heard[call.messages[-1]["content"]] += 1
                answers.create_task(self._answer(call))

    async def _answer(self, call: Call) -> None:
        try:
            await self._play(call)
        except ConnectionError:
            self.did["was left"] += 1

    async def _play(self, call: Call) -> None:
        chance = self.chance
        if chance.random() < 0.3:
            how = chance.choice(sorted(REFUSALS))
            self.did[how] += 1
            await call.refuse(REFUSALS[how])
            return
        for number in range(chance.randrange(1, 20)):
            await asyncio.sleep(chance.uniform(0, 0.02))
            await call.say(f"{number} {chance.choice(('ünï', '日本', '🎈', 'word'))} ")
        if chance.random() < 0.5:
            self.did["finishes"] += 1
            await call.finish()
        elif chance.random() < 0.2:
            self.did["falls silent"] += 1
            await call.left.wait()
        else:
            how = chance.choice(sorted(BREAKS))
            self.did[how] += 1
            await call.break_off(how)


@dataclass(frozen=True)
class Run:
    """A run as stored."""

    asked: str
    replied: str
    status: str
    calls: int


_WORDS = "(SELECT coalesce(group_concat(json_extract(value, '$.text'), ''), '') FROM json_each({}.parts))"
_RUNS = f"""
SELECT run.id, {_WORDS.format("asked")}, {_WORDS.format("reply")}, run.status,
    (SELECT count(*) FROM ledger WHERE ledger.run_id = run.id)
FROM run JOIN pair ON pair.id = run.pair_id LEFT JOIN version ON version.run_id = run.id
    JOIN message asked ON asked.id = coalesce(version.request_id, pair.request_id)
    JOIN message reply ON reply.id = run.reply_id
WHERE run.conversation_id > ?
"""
_STUCK = """
SELECT (SELECT count(*) FROM pair WHERE lifecycle IN ('idle', 'sending', 'awaiting')),
    (SELECT count(*) FROM run WHERE status = 'running'),
    (SELECT count(*) FROM pair WHERE run_id NOT IN (SELECT id FROM run)),
    (SELECT count(*) FROM ledger WHERE run_id NOT IN (SELECT id FROM run))
"""


def read_runs(database: Path, after: str) -> tuple[dict[str, Run], set[str], str]:
    """Return the runs and pairs of the conversations made after this one, and the newest conversation."""
    connection = sqlite3.connect(database)
    try:
        assert connection.execute(_STUCK).fetchone() == (0, 0, 0, 0), "pairs and runs that are stuck or lost"
        runs = {run_id: Run(*row) for run_id, *row in connection.execute(_RUNS, (after,))}
        pairs = {row[0] for row in connection.execute("SELECT id FROM pair WHERE conversation_id > ?", (after,))}
        newest = connection.execute("SELECT coalesce(max(id), '') FROM conversation").fetchone()[0]
    finally:
        connection.close()
    return runs, pairs, newest


async def live_and_die(data: Path, peer: str, name: str, seconds: float, *, early: bool) -> list[Report]:
    """Start a process and kill it `seconds` after it started to work, or, if `early`, after it started.

    Return its reports.
    """
    server = multiprocessing.get_context("forkserver")
    ours, theirs = server.Pipe(duplex=False)
    process = server.Process(target=work, args=(data, peer, name, theirs))
    process.start()
    theirs.close()
    begun: list[Report] = [await asyncio.to_thread(ours.recv)]
    while not early and begun[-1].what != "sent":
        begun.append(await asyncio.to_thread(ours.recv))
    await asyncio.sleep(max(0.0, begun[-1].at + seconds - time.monotonic()))
    assert process.pid is not None
    assert process.exitcode is None, "it ended by itself; its output says why"
    os.kill(process.pid, signal.SIGKILL)
    await asyncio.to_thread(process.join)
    return [*begun, *drain(ours)]


def drain(connection: Connection) -> list[Report]:
    reports: list[Report] = []
    with connection:
        while True:
            try:
                reports.append(connection.recv())
            except (EOFError, OSError):  # also when the kill cut a report in two
                return reports


@pytest.mark.slow
@pytest.mark.timeout(1800)
async def test_no_death_at_any_moment_loses_a_pair_leaves_one_stuck_or_sends_one_twice(tmp_path: Path) -> None:
    multiprocessing.get_context("forkserver").set_forkserver_preload(["tests.chaos.rehearsal"])
    seed = choose_seed("CHAOS_SEED")
    print(f"seed {seed}")
    chance = random.Random(seed)
    upgrade(f"sqlite+aiosqlite:///{tmp_path}/inview.db")
    newest, totals, started = "", Counter[str](), time.monotonic()
    async with a_puppet() as puppet:
        provider = Provider(puppet, chance)
        answering = asyncio.create_task(provider.answer_all())
        for number in range(ROUNDS):
            where = f"seed {seed}, round {number}"
            name = f"{seed}-{number}"
            life, early = chance.uniform(0, MAX_LIFE), chance.random() < 0.1
            reports = await live_and_die(tmp_path, puppet.url, name, life, early=early)
            await asyncio.sleep(ARRIVAL_SECONDS)
            heard = provider.heard.total()

            settings = settings_of(tmp_path, INVIEW_COMPATIBLE=f"peer={puppet.url}/v1", INVIEW_TIMEOUT=READ_SECONDS)
            async with open_app_context(settings):
                await asyncio.sleep(0.01)

            assert provider.heard.total() == heard, f"{where}: something was sent that nobody sent"
            runs, pairs, newest = read_runs(tmp_path / "inview.db", newest)
            totals["texts saved before the kill"] += compare(runs, pairs, reports, where)
            compare_calls(
                runs, {asked: of for asked, of in provider.heard.items() if asked.startswith(f"{name}-")}, where
            )
            totals.update(run.status for run in runs.values())
            totals["calls"] += sum(run.calls for run in runs.values())
        answering.cancel()
        await asyncio.gather(answering, return_exceptions=True)

    print(f"{ROUNDS} kills in {time.monotonic() - started:.0f} s: {dict(totals)}")
    print(f"the provider: {dict(provider.did)}")
    if ROUNDS >= MANY:  # in fewer rounds, chance may leave out an end
        assert min(totals[end] for end in ENDS.values()) >= ROUNDS / 4
    assert totals["texts saved before the kill"] >= ROUNDS / 4


def compare(runs: dict[str, Run], pairs: set[str], reports: list[Report], where: str) -> int:
    """Require that everything that was reported is stored. Return the number of replies with saved text."""
    saved: set[str] = set()
    for report in reports:
        run = runs.get(report.run_id)
        match report.what:
            case "sent":
                assert report.pair_id in pairs, f"{where}: pair {report.pair_id} is lost"
                assert run is not None, f"{where}: the run of {report.asked!r} is lost"
                assert run.asked == report.asked, where
            case "received":
                assert run is not None, where
                assert report.replied.startswith(run.replied) or run.replied.startswith(report.replied), where
            case "saved":
                assert report.in_time, where
                assert run is not None, where
                assert run.replied.startswith(report.replied), f"{where}: text of a complete save is lost"
                saved.update({report.run_id} if report.replied else ())
            case "ended":
                assert run is not None, where
                assert (run.status, run.replied) == (ENDS[report.stands], report.replied), where
            case _:
                pass
    return len(saved)


def compare_calls(runs: dict[str, Run], heard: dict[str, int], where: str) -> None:
    """Require that each received call is in the ledger once. A call that was cut off may not have been received."""
    booked = Counter[str]()
    for run in runs.values():
        booked[run.asked] += run.calls
    for asked, calls in heard.items():
        assert calls <= booked[asked], f"{where}: {asked!r} was heard {calls} times, {booked[asked]} calls are booked"
    for run in runs.values():
        unheard = booked[run.asked] - heard.get(run.asked, 0)
        cut_off = run.status in {"error", "canceled"}
        assert unheard == 0 or (unheard == 1 and cut_off), f"{where}: {run} has {unheard} calls that nobody heard"
