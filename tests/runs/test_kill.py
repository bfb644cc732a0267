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
from statistics import median
from threading import Lock

import pytest

from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import FINAL, Lifecycle
from app.domain.conversation.parts import plain_text
from app.domain.errors import ErrorClass
from app.runs.wiring import open_workbench
from tests.databases import lay_database
from tests.effort import EFFORT
from tests.runs.dying import stream
from tests.runs.steps import a_conversation, calls_of, pairs_of, settings_of
from tests.seeds import choose_seed

KILLS = EFFORT.kills
SIDE_BY_SIDE = 2
MAX_LIFE = 2.6
"""Seconds from the send; the reply takes about 2, so that some kills come at its end, some after."""
EARLY = 0.2
"""The share of kills that come before or while the pair is stored."""
MAX_EARLY_LIFE = 0.5
"""Seconds from the beginning of the process."""
BEHIND = 1.5
"""Seconds that what is stored may be behind what had been received, at worst, on a machine with other things to do."""
USUALLY_BEHIND = 0.3
"""The same in the middle of all kills."""

Report = tuple[str, float, int]

_ONE_AT_A_TIME = Lock()
"""Whoever starts a process asks after the dead ones of all threads, and how one ended can be read once."""


@dataclass(frozen=True)
class Death:
    """What a killed process had said, and when it was killed."""

    at: float
    reports: tuple[Report, ...]

    @property
    def pair_id(self) -> str | None:
        return next((said for said, _, _ in self.reports if said not in {"alive", "received"}), None)

    def behind(self, stored: int) -> float:
        """How old the oldest character was that had been received and is not among those stored, in seconds."""
        return self.at - min(
            (at for said, at, length in self.reports if said == "received" and length > stored), default=self.at
        )


def live_and_die(data: Path, conversation_id: str, text: str, chance: random.Random) -> Death:
    """Stream in a process of its own and kill it: early, or at a moment counted from when it had sent."""
    early = chance.random() < EARLY
    seconds = chance.uniform(0, MAX_EARLY_LIFE if early else MAX_LIFE)
    server = multiprocessing.get_context("forkserver")
    ours, theirs = server.Pipe(duplex=False)
    process = server.Process(target=stream, args=(data, conversation_id, text, theirs))
    with _ONE_AT_A_TIME:
        process.start()
    theirs.close()
    heard: list[Report] = [ours.recv() for _ in range(1 if early else 2)]
    time.sleep(max(0.0, heard[-1][1] + seconds - time.monotonic()))
    assert process.pid is not None
    with _ONE_AT_A_TIME:
        killed_at = time.monotonic()
        os.kill(process.pid, signal.SIGKILL)
        process.join()
    assert process.exitcode == -signal.SIGKILL
    return Death(killed_at, (*heard, *drain(ours)))


def drain(connection: Connection) -> list[Report]:
    reports: list[Report] = []
    with connection:
        while True:
            try:
                reports.append(connection.recv())
            except (EOFError, OSError):  # also when the death cut a report in two
                return reports


@dataclass
class Toll:
    """What came of the kills of one database."""

    ends: Counter[str] = field(default_factory=Counter[str])
    before_the_pair: int = 0
    behind: list[float] = field(default_factory=list[float])


async def live_and_die_again(data: Path, kills: int, seed: int) -> Toll:
    """Kill one process after the other on one database, and look what each has left."""
    chance = random.Random(seed)
    async with open_workbench(settings_of(data)) as wb:
        conversation_id = await a_conversation(wb, model="offline:demo")
    before: tuple[Pair, ...] = ()
    toll = Toll()

    for number in range(kills):
        said = f"{number}: " + " ".join(chance.choice(("kill", "ünï", "日本", "🎈", "word")) for _ in range(400))
        text = f"/rate 200\n/echo {said}"
        death = await asyncio.to_thread(live_and_die, data, conversation_id, text, chance)
        where = f"seed {seed}, kill {number}"

        async with open_workbench(settings_of(data)) as wb:
            pairs = await pairs_of(wb, conversation_id)
            calls = await calls_of(wb, conversation_id)

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
            assert death.behind(len(stored)) <= BEHIND, where
            toll.behind.append(death.behind(len(stored)))
            if pair.lifecycle is Lifecycle.SUCCEEDED:
                assert stored == said, where
            else:
                assert pair.failure is not None, where
                assert pair.failure.error_class is ErrorClass.INTERRUPTED, where
            toll.ends[f"{pair.lifecycle}, {'some' if stored else 'no'} text"] += 1
        before = pairs
    return toll


@pytest.mark.slow
@pytest.mark.timeout(400)
async def test_after_kill_9_at_any_moment_every_pair_is_final_and_no_text_older_than_a_moment_is_lost(
    tmp_path: Path,
) -> None:
    """On two databases side by side: a process that lives its seconds mostly waits."""
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
    early, behind = sum(toll.before_the_pair for toll in tolls), [one for toll in tolls for one in toll.behind if one]
    print(f"{KILLS} kills, seed {seed}: {dict(ends)}, {early} before the pair; ", end="")
    print(f"{median(behind):.2f} s behind, at worst {max(behind):.2f}")
    assert ends["error, some text"] >= KILLS // 4, ends
    assert median(behind) <= USUALLY_BEHIND
