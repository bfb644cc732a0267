from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock

import pytest

from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import FINAL, Lifecycle
from app.domain.conversation.parts import plain_text
from app.domain.errors import ErrorClass
from app.runs.wiring import open_app_context
from tests.databases import lay_database
from tests.effort import EFFORT
from tests.runs.dying import Report, stream
from tests.runs.saves import Save
from tests.runs.steps import a_conversation, calls_of, pairs_of, settings_of
from tests.seeds import choose_seed

KILLS = EFFORT.kills
SIDE_BY_SIDE = 2
MAX_LIFE = 2.6
"""Maximum seconds from the send to the kill. The reply takes about 2 seconds, so some kills come at its end or later.
"""
EARLY = 0.2
"""Share of the kills that come before the pair is stored or while it is."""
MAX_EARLY_LIFE = 0.5
"""Maximum seconds from the start of the process to an early kill."""

_ONE_AT_A_TIME = Lock()
"""Starting a process reaps the ended children of all threads, and the exit status of a process can be read only once.
"""


@dataclass(frozen=True)
class Death:
    """The reports of a killed process."""

    reports: tuple[Report, ...]

    @property
    def pair_id(self) -> str | None:
        return next((report.pair_id for report in self.reports if report.pair_id), None)

    @property
    def saves(self) -> list[Save]:
        return [report.save for report in self.reports if report.save]

    @property
    def promised(self) -> str:
        """Return the text that had been received when the last complete save started."""
        return max((text for save in self.saves for text in save.received.values()), key=len, default="")


def live_and_die(data: Path, conversation_id: str, text: str, chance: random.Random) -> Death:
    """Stream in a new process and kill it: early, or after a random time from the send."""
    early = chance.random() < EARLY
    seconds = chance.uniform(0, MAX_EARLY_LIFE if early else MAX_LIFE)
    server = multiprocessing.get_context("forkserver")
    ours, theirs = server.Pipe(duplex=False)
    process = server.Process(target=stream, args=(data, conversation_id, text, theirs))
    with _ONE_AT_A_TIME:
        process.start()
    theirs.close()
    heard: list[Report] = [ours.recv() for _ in range(1 if early else 2)]
    time.sleep(max(0.0, heard[-1].at + seconds - time.monotonic()))
    assert process.pid is not None
    with _ONE_AT_A_TIME:
        os.kill(process.pid, signal.SIGKILL)
        process.join()
    assert process.exitcode == -signal.SIGKILL
    return Death((*heard, *drain(ours)))


def drain(connection: Connection) -> list[Report]:
    reports: list[Report] = []
    with connection:
        while True:
            try:
                reports.append(connection.recv())
            except (EOFError, OSError):  # also when the kill cut a report in two
                return reports


@dataclass
class Toll:
    """Outcome of the kills on one database."""

    ends: Counter[str] = field(default_factory=Counter[str])
    before_the_pair: int = 0
    promised: int = 0


async def live_and_die_again(data: Path, kills: int, seed: int) -> Toll:
    """Kill one process after the other on one database, and check the state that each has left."""
    chance = random.Random(seed)
    async with open_app_context(settings_of(data)) as ctx:
        conversation_id = await a_conversation(ctx, model="offline:demo")
    before: tuple[Pair, ...] = ()
    toll = Toll()

    for number in range(kills):
        said = f"{number}: " + " ".join(chance.choice(("kill", "ünï", "日本", "🎈", "word")) for _ in range(400))
        text = f"/rate 200\n/echo {said}"
        death = await asyncio.to_thread(live_and_die, data, conversation_id, text, chance)
        where = f"seed {seed}, kill {number}"

        async with open_app_context(settings_of(data)) as ctx:
            pairs = await pairs_of(ctx, conversation_id)
            calls = await calls_of(ctx, conversation_id)

        assert pairs[: len(before)] == before, where
        assert len(pairs) in {len(before), len(before) + 1}, where
        assert [pair.position for pair in pairs] == list(range(1, len(pairs) + 1)), where
        assert sorted(call.pair_id for call in calls) == sorted(pair.id for pair in pairs), where
        if death.pair_id is not None:
            assert pairs[-1].id == death.pair_id, where
        if len(pairs) == len(before):
            toll.before_the_pair += 1
        else:
            pair = pairs[-1]
            assert pair.reply is not None, where
            stored = plain_text(pair.reply.parts)
            assert pair.lifecycle in FINAL, where
            assert said.startswith(stored), where
            assert stored.startswith(death.promised), where
            assert all(save.is_in_time for save in death.saves), where
            toll.promised += bool(death.promised)
            if pair.lifecycle is Lifecycle.SUCCEEDED:
                assert stored == said, where
            else:
                assert pair.failure is not None, where
                assert pair.failure.error_class is ErrorClass.INTERRUPTED, where
            toll.ends[f"{pair.lifecycle}, {'some' if stored else 'no'} text"] += 1
        before = pairs
    return toll


@pytest.mark.slow
@pytest.mark.timeout(100 + 10 * KILLS)
async def test_after_kill_9_at_any_moment_every_pair_is_final_and_no_text_of_a_complete_save_is_lost(
    tmp_path: Path,
) -> None:
    """Two databases are used at the same time, because a process mostly waits."""
    multiprocessing.get_context("forkserver").set_forkserver_preload(["tests.runs.dying"])
    seed = choose_seed("KILL_SEED")
    folders = [tmp_path / f"{number}" for number in range(SIDE_BY_SIDE)]
    for folder in folders:
        lay_database(folder)

    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(live_and_die_again(folder, KILLS // SIDE_BY_SIDE, seed + number))
            for number, folder in enumerate(folders)
        ]
    tolls = [task.result() for task in tasks]

    ends = sum((toll.ends for toll in tolls), Counter[str]())
    early, promised = (sum(each) for each in zip(*((one.before_the_pair, one.promised) for one in tolls), strict=True))
    print(f"{KILLS} kills, seed {seed}: {dict(ends)}, {early} before the pair; text was saved before {promised}")
    assert ends["error, some text"] >= KILLS // 4, ends
    assert promised >= KILLS // 4
