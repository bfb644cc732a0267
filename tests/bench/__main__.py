"""`python -m tests.bench`: run the scenarios, print the table, and write it to the docs only if asked.

python -m tests.bench                      # all, about twenty minutes
python -m tests.bench --only ab --floor    # two scenarios, the floors alone
python -m tests.bench --repeat 3 --write   # medians of three, into docs/bench.md
python -m tests.bench --only g --fresh     # also the first start from a clone (downloads everything)
"""

from __future__ import annotations

import argparse
import asyncio
import datetime as dt
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import mean
from typing import TextIO

from tests.bench import scenarios, starting
from tests.bench.instruments.driver import CHROMIUM
from tests.bench.instruments.machine import describe_machine
from tests.bench.report import Report
from tests.bench.scenarios import Bench
from tests.bench.seed import seed_stored_pairs
from tests.bench.servers.targets import ROOT, App, Target, start_app, start_floor, start_stub

# Memory first: it needs servers that have done nothing yet.
SCENARIOS = {
    "f": scenarios.memory,
    "a": scenarios.paced,
    "i": scenarios.first_words,
    "b": scenarios.full_speed,
    "c": scenarios.opening,
    "d": scenarios.crowd,
    "h": scenarios.browsers,
    "e": scenarios.first_visit,
    "k": scenarios.open_pages,
    "l": scenarios.acts,
}
FIGURES_BEGIN = "## The last whole run"
"""The heading of the figures in docs/bench.md. The text above it is written by hand."""
BUSY = 0.15  # cores used by other processes; above this, figures are unreliable


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure Inview against the floor.")
    parser.add_argument("--only", default="faibcdheklg", help="letters of the scenarios to run")
    parser.add_argument("--repeat", type=int, default=1, help="samples of each figure; the median is told")
    parser.add_argument("--floor", action="store_true", help="measure the floors alone")
    parser.add_argument("--fresh", action="store_true", help="with g: also the first start from a clone, empty caches")
    parser.add_argument("--samples", type=Path, help="write every sample to this JSON file")
    parser.add_argument("--write", action="store_true", help="write it into docs/bench.md")
    options = parser.parse_args()
    report = Report()
    try:
        asyncio.run(run(report, options.only, repeat=options.repeat, floor=options.floor, fresh=options.fresh))
    finally:  # also shows what was measured before an error
        text = describe(report)
        _say(text)
        if options.samples:
            options.samples.write_text(json.dumps({" ".join(key): values for key, values in report.samples.items()}))
    if options.write:
        write_down(text, ROOT / "docs/bench.md")


async def run(report: Report, only: str, *, repeat: int, floor: bool, fresh: bool) -> None:
    """Start the stub, the floors and (unless `floor`) the app, and run the scenarios one after the other."""
    with tempfile.TemporaryDirectory(prefix="inview-bench-data-") as data:
        stub = await start_stub()
        targets: list[Target] = []
        try:
            targets += [await start_floor(name, stub) for name in ("raw", "sdk")]
            app = None if floor else await start_app(stub, Path(data))
            if app is not None:
                targets.insert(0, app)
            stored = False
            for letter in (letter for letter in SCENARIOS if letter in only):
                if app is not None and letter != "f" and not stored:
                    await store_pairs(app, Path(data), only, repeat)
                    stored = True
                _say(f"{_now():%H:%M:%S} {SCENARIOS[letter].__doc__}", sys.stderr)
                await SCENARIOS[letter](Bench(stub, targets, report, repeat))
        finally:
            for target in targets:
                await target.process.stop()
            if "g" in only and not floor:
                await starting.restart(stub, report)
                if fresh:
                    await starting.first_start(report)
            await stub.process.stop()


async def store_pairs(app: App, data: Path, only: str, repeat: int) -> None:
    """Store the conversations that scenarios open. This uses the server, so its idle memory is measured before."""
    wanted: list[tuple[str, int]] = []
    if "c" in only:
        sizes = [*[1_000] * max(3, repeat), 10_000]
        wanted += [(scenarios.PACED, 1_000), *((scenarios.NEXT, size) for size in sizes)]
    elif "l" in only:
        wanted.append((scenarios.NEXT, 1_000))
    if "k" in only:
        wanted.append((scenarios.PACED, scenarios.OPEN_PAIRS))
    if wanted:
        await seed_stored_pairs(app, data, wanted)


def write_down(text: str, page: Path) -> None:
    """Replace the figures of the last run at the end of the page."""
    page.write_text(f"{page.read_text().partition(FIGURES_BEGIN)[0].rstrip()}\n\n{FIGURES_BEGIN}\n\n{text}\n")


def describe(report: Report) -> str:
    commit, chromium = _output("git", "describe", "--always", "--dirty"), _output(CHROMIUM, "--version")
    foreign = report.foreign or [0.0]
    quiet = "The machine was quiet" if max(foreign) < BUSY else "**The machine was busy with other work**"
    return f"""{report.table()}

Figures are medians. Lag is from the provider's sending of a chunk to its standing in the DOM.
{quiet}: of {os.cpu_count()} cores others used {mean(foreign):.2f} on average, {max(foreign):.2f} at most.

{_now():%Y-%m-%d %H:%M} UTC · commit {commit} · {describe_machine()} · {chromium}"""


def _output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


def _say(text: str, stream: TextIO | None = None) -> None:
    print(text, file=stream or sys.stdout, flush=True)


if __name__ == "__main__":
    main()
