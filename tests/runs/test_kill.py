from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from app.domain.conversation import Pair
from app.domain.errors import ErrorClass
from app.domain.lifecycle import FINAL, Lifecycle
from app.domain.parts import plain_text
from app.runs.workbench import open_workbench
from tests.runs.dying import stream
from tests.runs.steps import a_conversation, calls_of, pairs_of, settings_of

KILLS = 50
LONGEST_LIFE = 2.6
"""Seconds; the reply takes about 2, so that some kills come before it, some at its end, some after."""
BEHIND = 1.5
"""Seconds that what is stored may be behind what had been received."""

Report = tuple[str, float, int]


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


def live_and_die(data: Path, conversation_id: str, text: str, seconds: float) -> Death:
    """Stream in a process of its own and kill it after so many seconds of life."""
    server = multiprocessing.get_context("forkserver")
    ours, theirs = server.Pipe(duplex=False)
    process = server.Process(target=stream, args=(data, conversation_id, text, theirs))
    process.start()
    theirs.close()
    first: Report = ours.recv()
    time.sleep(max(0.0, first[1] + seconds - time.monotonic()))
    killed_at = time.monotonic()
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert process.exitcode == -signal.SIGKILL
    return Death(killed_at, (first, *drain(ours)))


def drain(connection: Connection) -> list[Report]:
    reports: list[Report] = []
    with connection:
        while True:
            try:
                reports.append(connection.recv())
            except (EOFError, OSError):  # also when the death cut a report in two
                return reports


@pytest.mark.slow
@pytest.mark.timeout(400)
async def test_after_kill_9_at_any_moment_every_pair_is_final_and_no_text_older_than_a_moment_is_lost(
    data: Path,
) -> None:
    multiprocessing.get_context("forkserver").set_forkserver_preload(["tests.runs.dying"])
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    async with open_workbench(settings_of(data)) as wb:
        conversation_id = await a_conversation(wb, model="offline:demo")
    before: tuple[Pair, ...] = ()
    ends: dict[str, int] = {}
    worst = 0.0

    for number in range(KILLS):
        said = f"{number}: " + " ".join(chance.choice(("kill", "ünï", "日本", "🎈", "word")) for _ in range(400))
        death = live_and_die(data, conversation_id, f"/rate 200\n/echo {said}", chance.uniform(0, LONGEST_LIFE))
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
        if len(pairs) > len(before):
            pair = pairs[-1]
            assert pair.reply is not None, where
            stored = plain_text(pair.reply.parts)
            assert pair.lifecycle in FINAL, where
            assert said.startswith(stored), where
            assert death.behind(len(stored)) <= BEHIND, where
            worst = max(worst, death.behind(len(stored)))
            if pair.lifecycle is Lifecycle.SUCCEEDED:
                assert stored == said, where
            else:
                assert pair.failure is not None, where
                assert pair.failure.error_class is ErrorClass.INTERRUPTED, where
            end = f"{pair.lifecycle}, {'some' if stored else 'no'} text"
            ends[end] = ends.get(end, 0) + 1
        before = pairs

    print(
        f"{KILLS} kills, seed {seed}: {ends}, {KILLS - sum(ends.values())} before the pair; worst {worst:.2f} s behind"
    )
    assert ends.get("error, some text", 0) >= KILLS // 4, ends
