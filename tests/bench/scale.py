"""A simulation of many processes with many replies: where it breaks first. `python -m tests.bench.scale`, a minute.

    figures = simulate(Installation(processes=100, streams=10_000), COSTS)
    figures.used["turn to write"]        # 1.0: all of what there is

Replies begin and end one by one, processes die, and others find their replies by their leases, as `app/runs` does it.
What each second costs is added up from `COSTS`: each says whether it is measured or assumed. No network and no database
is in it: it answers how costs grow, not how long anybody waits for a page.
"""

from __future__ import annotations

import heapq
import sys
from collections import deque
from dataclasses import dataclass, field, replace
from random import Random
from time import monotonic
from typing import Final

from app.runs.cluster.cluster import ANNOUNCE_SECONDS
from app.runs.engine.writer import PAUSE_SECONDS, SAVE_SECONDS
from app.runs.recovery.reaper import HEARTBEAT_SECONDS, SHARED_SECONDS

FULL: Final = 0.7
"""What of a resource can be used before waits grow."""
PEOPLE: Final = 50
"""People who want turns, one of them as much as all the others."""


@dataclass(frozen=True)
class Costs:
    """Seconds of a processor, unless it says otherwise. Where they are from: `docs/scale.md`."""

    stream_second: float = 0.0065
    """Of a process, for a second of a reply of 20 pieces a second that a page shows. Measured at 50 a second."""
    send: float = 0.030
    """Of a process, for a reply's beginning and end. Measured."""
    save: float = 0.0066
    """By the clock, the turn to write of a save, whatever is in it. Measured."""
    saved_stream: float = 0.00015
    """By the clock, the turn to write, for each reply in a save. Measured."""
    write: float = 0.0066
    """By the clock, the turn to write of a transaction of a send: there are four. Assumed as a save's."""
    lease: float = 0.0000019
    """Of a process, for each run of others that it looks at. Measured."""
    deliver: float = 0.00000045
    """Of Redis, for each process that gets a message. Measured."""
    receive: float = 0.000026
    """Of a process, for each message that it gets. Measured."""
    page: float = 0.6e6
    """Bytes of a process, for an open page of 120 pairs. Measured."""
    process: float = 207e6
    """Bytes of a process with a page. Measured."""


COSTS: Final = Costs()


@dataclass(frozen=True)
class Installation:
    """What is simulated. `seconds` of a reply are their mean; `events` is how many a reply has, from beginning to end.

    `turns`: one writer at a time in a database (1), or one in each of so many parts of it. `all_hear`: events go to
    all processes, not to those alone that show the conversation. `one_reaps`: one process looks for runs whose process
    died. `calls_at_once` is what can be on of the calls that are wanted.
    """

    processes: int
    streams: int
    seconds: float = 30.0
    events: int = 6
    lifetime: float = 7 * 24 * 3600.0
    turns: int = 1
    all_hear: bool = True
    one_reaps: bool = False
    calls_at_once: float = 1.0


@dataclass
class Figures:
    """`used` is what of a resource is used in the busiest second; 1.0 is all of it, and more cannot be had.

    `ended` replies, `lost` those whose process died, `found` after how many seconds others ended these at the latest.
    `waited`: the mean wait for a turn of those who want little, and of the one who wants most, in seconds.
    """

    used: dict[str, float] = field(default_factory=dict[str, float])
    ended: int = 0
    lost: int = 0
    found: float = 0.0
    waited: tuple[float, float] = (0.0, 0.0)
    memory: float = 0.0

    @property
    def first(self) -> str:
        """What breaks first; "": nothing does."""
        name = max(self.used, key=lambda one: self.used[one])
        return name if self.used[name] > FULL else ""


def simulate(of: Installation, costs: Costs = COSTS, seconds: int = 10, seed: int = 1) -> Figures:
    """So many seconds of an installation that has been at work for long."""
    random = Random(seed)
    figures = Figures()
    streams = [0] * of.processes
    ends: list[tuple[float, int]] = []
    for _ in range(of.streams):
        _begin(random, of, streams, ends, 0.0)
    heapq.heapify(ends)
    used: dict[str, float] = {}
    for second in range(seconds):
        begun, sends = 0, [0] * of.processes
        while ends and ends[0][0] <= second + 1:
            at, process = heapq.heappop(ends)
            streams[process] -= 1
            figures.ended += 1
            begun += 1
            process = _begin(random, of, streams, None, at)
            heapq.heappush(ends, (at + random.expovariate(1 / of.seconds), process))
            sends[process] += 1
        dead = _die(random, of)
        if dead:
            gone = set(dead)
            figures.lost += sum(streams[process] for process in dead)
            ends = [(at, random.randrange(of.processes) if process in gone else process) for at, process in ends]
            heapq.heapify(ends)
            streams = [0] * of.processes
            for _, process in ends:
                streams[process] += 1
            # Others look every three seconds, and take it for dead once its heartbeat has stood still for so long.
            looks = [HEARTBEAT_SECONDS + SHARED_SECONDS * random.random() for _ in dead]
            figures.found = max(figures.found, *looks)
        for name, value in _cost(of, costs, streams, sends, begun).items():
            used[name] = max(used.get(name, 0.0), value)
    figures.used = used
    figures.waited = take_turns(random, of)
    figures.memory = costs.process + max(streams) * costs.page
    return figures


def _begin(
    random: Random, of: Installation, streams: list[int], ends: list[tuple[float, int]] | None, at: float
) -> int:
    process = random.randrange(of.processes)
    streams[process] += 1
    if ends is not None:
        ends.append((at + random.expovariate(1 / of.seconds), process))
    return process


def _die(random: Random, of: Installation) -> list[int]:
    """The processes that die in a second, and are back at once."""
    expected = of.processes / of.lifetime
    count = int(expected) + (random.random() < expected % 1)
    return random.sample(range(of.processes), count) if count else []


def _cost(of: Installation, costs: Costs, streams: list[int], sends: list[int], begun: int) -> dict[str, float]:
    events = begun * of.events
    hear = of.processes if of.all_hear else min(of.processes, 2)
    announced = of.processes / ANNOUNCE_SECONDS * (of.processes if of.all_hear else 1)
    turns = [costs.save + costs.saved_stream * count for count in streams if count]
    saving = sum(turn / (SAVE_SECONDS + PAUSE_SECONDS + turn) for turn in turns)
    heard = events * hear / of.processes + announced / of.processes
    looked = of.streams / SHARED_SECONDS
    reaping = looked * (1 if of.one_reaps else of.processes)
    busiest = max(count * costs.stream_second + sent * costs.send for count, sent in zip(streams, sends, strict=True))
    return {
        "busiest process": busiest,
        "messages to a process": heard * costs.receive,
        "Redis": (events * hear + announced) * costs.deliver,
        "turn to write": (saving + begun * 4 * costs.write) / of.turns,
        "leases, in a process": looked * costs.lease,
        "leases, in the database": reaping * costs.lease,
    }


def take_turns(random: Random, of: Installation, rounds: int = 20_000) -> tuple[float, float]:
    """Mean waits for a turn, people by turns: of those who want little, and of one who wants as much as all of them.

    `calls_at_once` is what can be on of what is wanted.
    """
    wanted, slots = 200, max(1, int(200 * of.calls_at_once))
    waiting: dict[int, deque[float]] = {}
    order: deque[int] = deque()
    busy: list[float] = []
    waits: dict[bool, list[float]] = {True: [], False: []}
    at = 0.0
    for _ in range(rounds):
        at += random.expovariate(wanted / of.seconds)
        person = 0 if random.random() < 0.5 else 1 + random.randrange(PEOPLE - 1)
        while busy and busy[0] <= at:
            free = heapq.heappop(busy)
            if order:
                _give(random, of, free, order, waiting, busy, waits)
        queue = waiting.setdefault(person, deque())
        queue.append(at)
        if len(queue) == 1:
            order.append(person)
        if len(busy) < slots:
            _give(random, of, at, order, waiting, busy, waits)
    few, many = (sum(found) / max(1, len(found)) for found in (waits[False], waits[True]))
    return few, many


def _give(  # noqa: PLR0917 - what a queue is made of
    random: Random,
    of: Installation,
    at: float,
    order: deque[int],
    waiting: dict[int, deque[float]],
    busy: list[float],
    waits: dict[bool, list[float]],
) -> None:
    person = order.popleft()
    waits[person == 0].append(at - waiting[person].popleft())
    if waiting[person]:
        order.append(person)
    heapq.heappush(busy, at + random.expovariate(1 / of.seconds))


SIZES: Final = ((1, 50), (3, 150), (10, 500), (30, 1_500), (100, 10_000), (1_000, 100_000), (10_000, 1_000_000))
"""Processes and streams."""
MENDED: Final = Installation(1, 1, turns=64, all_hear=False, one_reaps=True)
PART: Final = 4
"""Processes that share a database and a Redis, where an installation is parted by owner."""


def main() -> int:
    began = monotonic()
    names = ("busiest process", "messages to a process", "Redis", "turn to write", "leases, in a process")
    print(f"{'processes':>9} {'streams':>9}  " + "  ".join(f"{name:>21}" for name in names) + "   breaks first")
    for title, of in (
        ("as it is", Installation(1, 1)),
        ("64 writers at a time, events to those who show them, one process that reaps", MENDED),
    ):
        print(title)
        for processes, streams in SIZES:
            _print(simulate(replace(of, processes=processes, streams=streams)), processes, streams, names)
    print(f"parts of {PART} processes by owner, each with its own PostgreSQL and Redis, as they are")
    for streams in (50, 100, 150, 200):
        _print(simulate(Installation(PART, streams)), PART, streams, names)
    for share in (1.1, 0.9, 0.7):
        few, many = take_turns(Random(1), Installation(1, 1, calls_at_once=share))
        print(f"{share:.0%} of the calls that are wanted can be on: others wait {few:.1f} s, the heaviest {many:.1f} s")
    print(f"{monotonic() - began:.0f} s")
    return 0


def _print(figures: Figures, processes: int, streams: int, names: tuple[str, ...]) -> None:
    shown = "  ".join(f"{figures.used[name]:>20.0%} " for name in names)
    print(f"{processes:>9,} {streams:>9,}  {shown}  {figures.first or '-'}")


if __name__ == "__main__":
    sys.exit(main())
