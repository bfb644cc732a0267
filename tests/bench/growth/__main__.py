"""`python -m tests.bench.growth`: the cost of a send, a preview and a search as the stored data grows, as factors.

It also measures the longest wait of other requests during large operations, and the memory after them
(`waits.py`).

    python -m tests.bench.growth                              # what `make bench` measures; some minutes
    python -m tests.bench.growth --large                      # up to 200,000 pairs, 100,000 conversations: an hour
    python -m tests.bench.growth --pairs 1000 50000 --conversations 1000 --waits 50000 --repeat 9

No page and no HTTP: it measures our own work between request and answer, in one process. The database for each
measurement is written directly into its file, with all its indexes, before the measurement.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import Final

from app.cli.logs import configure_logs
from app.config.settings import load_settings
from app.domain.settings.preferences import OverBudget
from app.domain.text.search import parse_search
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.memory.collector import give_memory_back
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import preview_send, start_reply
from app.runs.send.context_selection import ViewOptions
from app.runs.send.send_request import SendRequest
from app.runs.watch.broadcast import follow
from app.runs.wiring import drop_unused, open_app_context
from app.store.conversation.lists import ListCriteria
from app.store.index.search import load_found, search
from tests.bench.growth.seed import enter_conversations, enter_pairs
from tests.bench.growth.waits import AT_REST, LIMIT_MS, measure_waits
from tests.bench.instruments.machine import proportional_megabytes

FEW, MANY, ALL = ViewOptions(filter="r20"), ViewOptions(filter="r1000"), ViewOptions(filter="")
PAIRS, LARGE_PAIRS = (1_000, 10_000), (1_000, 10_000, 50_000, 200_000)
CONVERSATIONS, LARGE_CONVERSATIONS = (1_000, 10_000), (1_000, 10_000, 100_000)
WAITS, LARGE_WAITS = (1_000, 10_000), (1_000, 10_000, 50_000, 200_000)
PAIRS_EACH = 10
FIRST_ESTIMATE_MS: Final[Mapping[int, float]] = MappingProxyType({10_000: 500.0})


@dataclass(frozen=True)
class Row:
    """A figure by size. `limits`: maximum as a factor of the smallest size; `most`: absolute maximum."""

    what: str
    unit: str
    values: dict[int, float]
    limits: Mapping[int, float] = field(default_factory=dict[int, float])
    most: Mapping[int, float] = field(default_factory=dict[int, float])

    def told(self) -> str:
        first = next(iter(self.values.values()))
        cells = [
            f"{value:,.1f} {self.unit} (x {value / first:.2f}{self._verdict(size, value / first)})"
            f"{self._judge(size, value)}"
            for size, value in self.values.items()
        ]
        return f"| {self.what} | {' | '.join(cells)} |"

    def _judge(self, size: int, value: float) -> str:
        most = self.most.get(size)
        return "" if most is None else f", at most {most:g} {self.unit}: {'met' if value <= most else '**missed**'}"

    def _verdict(self, size: int, factor: float) -> str:
        limit = self.limits.get(size)
        return "" if limit is None else f", at most {limit}: {'met' if factor <= limit else '**missed**'}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.growth", description="Measure growth as factors.")
    parser.add_argument("--large", action="store_true", help="the sizes that take an hour and 6 GB")
    parser.add_argument("--pairs", type=int, nargs="*")
    parser.add_argument("--conversations", type=int, nargs="*")
    parser.add_argument("--waits", type=int, nargs="*", help="pairs of what is at work while others wait")
    parser.add_argument("--repeat", type=int, default=9)
    options = parser.parse_args()
    asked: tuple[list[int] | None, ...] = (options.pairs, options.conversations, options.waits)
    usual = (LARGE_PAIRS, LARGE_CONVERSATIONS, LARGE_WAITS) if options.large else (PAIRS, CONVERSATIONS, WAITS)
    if any(asked):  # sizes of one kind on the command line switch the other kinds off
        usual = ((), (), ())
    pairs, conversations, waits = (one or list(of_usual) for one, of_usual in zip(asked, usual, strict=True))
    configure_logs("warning")  # a line for each message of a request would be a part of the measured time
    with tempfile.TemporaryDirectory(prefix="inview-growth-") as folder:
        asyncio.run(measure(Path(folder), pairs, conversations, waits, options.repeat))


async def measure(folder: Path, pairs: list[int], conversations: list[int], waits: list[int], repeat: int) -> None:
    if waits:
        say(f"| longest wait of others, by pairs | {' | '.join(f'{size:,}' for size in waits)} |")
        say("|---" * (len(waits) + 1) + "|")
        longest, memory, took = await measure_waits(folder / "waits", waits)
        for row in (
            *(Row(f"during: {name}", "ms", of, most=dict.fromkeys(waits, LIMIT_MS)) for name, of in longest.items()),
            *(Row(f"{name} took", "ms", of, most=FIRST_ESTIMATE_MS) for name, of in took.items()),
            *(
                Row(f"memory {name}, of that before", "times", of, most=_bound(name, waits))
                for name, of in memory.items()
            ),
        ):
            say(row.told())
        say("")
    if pairs:
        say(f"| pairs of a conversation | {' | '.join(f'{size:,}' for size in pairs)} |")
        say("|---" * (len(pairs) + 1) + "|")
        for row in await measure_pairs(folder / "pairs", pairs, repeat):
            say(row.told())
    if conversations:
        say("")
        told = " | ".join(f"{size:,}" for size in conversations)
        say(f"| conversations of {PAIRS_EACH} pairs | {told} |")
        say("|---" * (len(conversations) + 1) + "|")
        for row in await measure_search(folder / "conversations", conversations, repeat):
            say(row.told())


async def measure_search(folder: Path, sizes: list[int], repeat: int) -> list[Row]:
    """Measure searches of all conversations, with the first fifty results, by the number of conversations."""
    searches = ("garden bread", "lantern", "garden", '"what of garden"', "gard*", "nowhere")
    values: dict[str, dict[int, float]] = {f"search for {words}": {} for words in searches}
    settings = load_settings({"INVIEW_DATA_DIR": str(folder), "INVIEW_TITLES": "off"})
    async with open_app_context(settings) as ctx:
        there = 0
        for size in sizes:
            began = time.perf_counter()
            await asyncio.to_thread(enter_conversations, folder / "inview.db", there, size - there, PAIRS_EACH)
            note(f"{size - there:,} conversations entered in {time.perf_counter() - began:.1f} s")
            there = size
            for words in searches:
                found = [await timed(lambda one=words: find(ctx, one)) for _ in range(repeat)]
                values[f"search for {words}"][size] = median(found)
    most = {size: 30.0 if size * PAIRS_EACH <= 100_000 else 100.0 for size in sizes}
    return [Row(name, "ms", of, most=most) for name, of in values.items()]


async def measure_pairs(folder: Path, sizes: list[int], repeat: int) -> list[Row]:
    """Measure send and preview of the newest 20 pairs, and of all that fit, by the size of the conversation."""
    names = (
        "preview of r20",
        "send of r20",
        "send of r1000, all of it",
        "send of all that fits, some 430 pairs",
        "first preview of r20",
        "memory kept for it",
        "memory kept after five minutes without it",
    )
    values: dict[str, dict[int, float]] = {name: {} for name in names}
    settings = load_settings({"INVIEW_DATA_DIR": str(folder), "INVIEW_TITLES": "off"})
    async with open_app_context(settings) as ctx:
        ids = [(size, (await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")).id) for size in sizes]
        for size, conversation_id in ids:
            began = time.perf_counter()
            await asyncio.to_thread(enter_pairs, folder / "inview.db", conversation_id, size)
            note(f"{size:,} pairs entered in {time.perf_counter() - began:.1f} s")
        for size, conversation_id in ids:
            before = settled_megabytes()
            values["first preview of r20"][size] = await timed(lambda one=conversation_id: preview(ctx, one, FEW))
            values["memory kept for it"][size] = settled_megabytes() - before
            looks = [await timed(lambda one=conversation_id: preview(ctx, one, FEW)) for _ in range(repeat)]
            values["preview of r20"][size] = median(looks)
            values["send of r20"][size] = median([await timed_send(ctx, conversation_id, FEW) for _ in range(repeat)])
            for name, options in ((names[2], MANY), (names[3], ALL)):
                choice = OverBudget.FIT if options is ALL else OverBudget.FORCE
                sends = [await timed_send(ctx, conversation_id, options, choice) for _ in range(min(5, repeat))]
                values[name][size] = median(sends)
            await drop_unused(ctx, 0)
            values["memory kept after five minutes without it"][size] = settled_megabytes() - before
    limits, most = {50_000: 1.5, 200_000: 2.0}, dict.fromkeys(sizes, 30.0)
    return [
        Row(
            name,
            "MB" if "memory" in name else "ms",
            of,
            limits if name in names[:2] else {},
            most if name == names[2] else {},
        )
        for name, of in values.items()
    ]


def _bound(name: str, sizes: Sequence[int]) -> Mapping[int, float]:
    """Return the limits of the memory, as factors of the memory before. Data cached for five minutes has no limit."""
    return dict.fromkeys(sizes, 1.2) if name == AT_REST else {}


async def find(ctx: AppContext, words: str) -> None:
    """Search as the list of the page does."""
    looked_for = parse_search(words)
    async with ctx.store.read() as session:
        found = await search(session, LOCAL_OWNER, ListCriteria(), looked_for)
        await load_found(session, LOCAL_OWNER, looked_for, found.places[:50])


async def preview(ctx: AppContext, conversation_id: str, options: ViewOptions) -> None:
    await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest(f"/rate 0 /long 5 {time.time_ns()}", options))


async def timed_send(
    ctx: AppContext, conversation_id: str, options: ViewOptions, over_budget: OverBudget = OverBudget.FIT
) -> float:
    """Return the milliseconds until the reply is running. Then wait for its end."""
    began = time.perf_counter()
    started = await start_reply(
        ctx, LOCAL_OWNER, conversation_id, SendRequest("/rate 0 /long 5", options, over_budget=over_budget)
    )
    milliseconds = (time.perf_counter() - began) * 1_000
    async for _ in follow(ctx, LOCAL_OWNER, started.run_id):
        pass
    await asyncio.sleep(0.1)  # work after a reply must not count for the next send
    return milliseconds


async def timed(act: Callable[[], Awaitable[object]]) -> float:
    began = time.perf_counter()
    await act()
    return (time.perf_counter() - began) * 1_000


def settled_megabytes() -> float:
    give_memory_back()
    return proportional_megabytes(os.getpid())


def note(words: str) -> None:
    sys.stderr.write(words + "\n")


def say(words: str) -> None:
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
