"""`make test`: the checks, then every test; ends with one line for all.

Browser tests get a process of their own (synchronous Playwright and asyncio do not share one), beside the other: what
they print is told apart by its first word. A step that fails does not stop the others: a run tells everything that is
wrong.

A test that fails is run once more, alone, to tell which fault it has: it does not hold, or it is unsteady. Both have
failed. Only those in `unsteady.toml`, each with a reason and a date, may pass at the second try: they are named and
counted.
"""

from __future__ import annotations

import subprocess
import sys
import time
import tomllib
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
NO_TESTS = 5  # pytest's exit code for "collected nothing"


@dataclass(frozen=True)
class Count:
    """What came of tests; by name those that failed, and those that passed when run again, which some may (`known`)."""

    passed: int = 0
    failures: tuple[str, ...] = ()
    skipped: int = 0
    unsteady: tuple[str, ...] = ()
    known: tuple[str, ...] = ()

    @property
    def failed(self) -> int:
        return len(self.failures) + len(self.unsteady)

    def __add__(self, other: Count) -> Count:
        return Count(
            self.passed + other.passed,
            self.failures + other.failures,
            self.skipped + other.skipped,
            self.unsteady + other.unsteady,
            self.known + other.known,
        )

    def __str__(self) -> str:
        said = f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"
        return f"{said}, {len(self.known)} unsteady" if self.known else said

    def name_all(self) -> str:
        """A line for each test that failed or was unsteady, then the count."""
        named = [
            *(f"failed: {name}" for name in self.failures),
            *(f"failed, then passed: {name} (mend it; or list it in tests/unsteady.toml)" for name in self.unsteady),
            *(f"unsteady, as known: {name}" for name in self.known),
        ]
        return "\n".join([*named, str(self)])


@dataclass(frozen=True)
class Unsteady:
    """A test that may pass at its second try only. `name` is without parameters."""

    name: str
    since: date
    reason: str


CHECKS = {
    "lint": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "."],
    "import contracts": ["lint-imports", "--no-cache"],
    "types": ["pyright"],
    "TypeScript": ["python", "-m", "tests.islands.checks"],
}
SUITES = {"all else": ["tests", "--ignore=tests/e2e"], "browser": ["tests/e2e"]}
UNSTEADY = ROOT / "tests/unsteady.toml"
DIED = "pytest itself"
MOST_RUN_AGAIN = 10
"""Failures of a suite beyond which nothing is run again: that is no matter of patience."""


def main() -> int:
    total = Count()
    for name, command in CHECKS.items():
        total += _report(name, _check(name, command))
    with TemporaryDirectory() as folder, ThreadPoolExecutor(len(SUITES)) as lanes:
        total += sum(lanes.map(partial(_run, Path(folder)), SUITES), Count())
    print(f"\n{total.name_all()}", flush=True)
    return 1 if total.failed else 0


def _run(folder: Path, name: str) -> Count:
    report = folder / f"{name}.xml"
    counted = run_suite(name, SUITES[name], report)
    return _report(name, run_failed_again(name, counted, report))


def _report(name: str, counted: tuple[Count, float]) -> Count:
    count, seconds = counted
    print(f"--- {name}: {count} in {seconds:.0f} s\n", flush=True)
    return count


def _check(name: str, command: list[str]) -> tuple[Count, float]:
    print(f"--- {' '.join(command)}", flush=True)
    started = time.monotonic()
    code = subprocess.run([BIN / command[0], *command[1:]], cwd=ROOT, check=False).returncode
    return (Count(failures=(name,)) if code else Count(passed=1)), time.monotonic() - started


def run_failed_again(name: str, first: tuple[Count, float], report: Path) -> tuple[Count, float]:
    """What came of a suite once those tests that failed have been run again, each by its name."""
    count, seconds = first
    if DIED in count.failures or not 0 < count.failed <= MOST_RUN_AGAIN:
        return first
    again, more = run_suite(name, count.failures, report.with_name(f"{name} again.xml"))
    if again.passed + again.failed != count.failed:
        return first  # what was run again is not what had failed
    listed = {each.name for each in read_unsteady()}
    passed = [test for test in count.failures if test not in again.failures]
    known = tuple(test for test in passed if test.partition("[")[0] in listed)
    unsteady = tuple(test for test in passed if test not in known)
    return Count(count.passed + len(known), again.failures, count.skipped, unsteady, known), seconds + more


def read_unsteady() -> tuple[Unsteady, ...]:
    """The tests that may pass at their second try.

    Raises:
        TypeError: an entry has other fields than it should.
    """
    return tuple(Unsteady(**entry) for entry in tomllib.loads(UNSTEADY.read_text()).get("test", ()))


def run_suite(name: str, arguments: Sequence[str], report: Path) -> tuple[Count, float]:
    """Run pytest once. One that dies, or finds no test, counts as a failure even if none of its tests failed."""
    _say(name, f"--- pytest {' '.join(arguments)}")
    started = time.monotonic()
    place = [f"--rootdir={ROOT}", f"--config-file={ROOT / 'pyproject.toml'}"]
    options = [*place, f"--junit-xml={report}", "-o", "junit_family=xunit1", "-m", "not bench"]
    command = [sys.executable, "-u", "-m", "pytest", *arguments, *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        for line in process.stdout or ():
            _say(name, line.rstrip())
    code = process.returncode
    count = _read_report(report) if report.exists() else Count()
    if code not in {0, 1} or (code == 1 and not count.failed):
        _say(name, f"pytest ended with {code}{' (no test was found)' if code == NO_TESTS else ''}.")
        count += Count(failures=(DIED,))
    return count, time.monotonic() - started


def _say(name: str, line: str) -> None:
    print(f"{name:8} | {line}\n", end="", flush=True)  # one write a line: two of them print at the same time


def _read_report(path: Path) -> Count:
    """Failures by the names pytest takes."""
    suite = ET.parse(path).getroot().find("testsuite")
    if suite is None:
        raise ValueError(f"{path} is no report of pytest.")
    failures = dict.fromkeys(
        f"{case.attrib['file']}::{case.attrib['name']}"
        for case in suite.iter("testcase")
        if case.find("failure") is not None or case.find("error") is not None
    )
    total, skipped = int(suite.attrib["tests"]), int(suite.attrib["skipped"])
    return Count(total - skipped - len(failures), tuple(failures), skipped)


if __name__ == "__main__":
    sys.exit(main())
