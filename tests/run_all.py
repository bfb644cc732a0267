"""`make test`: the checks, then every test; ends with one line for all.

Browser tests are a suite of their own (synchronous Playwright and asyncio do not share a process). The page is built
first; then the suites run one after the other, each in a few processes that share its files, as tests wait a good part
of their time (docs/decisions/0118). The checks run beside them. The first words of a line say where it comes from. A
step that fails does not stop the others: a run reports all that is wrong.

A test that fails is run again when all others have ended, to find out which fault it has: it does not hold, or it is
unsteady. Those in `unsteady.toml`, each with a reason and a date, may be unsteady. Any other that is has failed.
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
        unsteady = len(self.known) + len(self.unsteady)
        return f"{said}, {unsteady} unsteady" if unsteady else said

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
PAGE = ["inview", "build"]
"""Made before the tests: each suite would make it in its first test, and wait for the other."""
SUITES = {
    "all else": ["tests", "--ignore=tests/e2e", "-n3", "--dist=loadfile", "--no-loadscope-reorder"],
    "browser": ["tests/e2e", "-n2", "--dist=loadfile"],
}
"""Suites run one after the other. The long files come first: by the mark `slow`, or by how many tests they have."""
UNSTEADY = ROOT / "tests/unsteady.toml"
DIED = "pytest itself"
MAX_RUN_AGAIN = 10
"""Failures of a suite beyond which nothing is run again: that is no matter of patience."""


def main() -> int:
    started = time.monotonic()
    with TemporaryDirectory() as folder, ThreadPoolExecutor(1) as beside:
        checks = beside.submit(lambda: sum((_check(name, command) for name, command in CHECKS.items()), Count()))
        page = _check("page", PAGE)
        reports = {name: Path(folder) / f"{name}.xml" for name in SUITES}
        first = {name: run_suite(name, SUITES[name], reports[name]) for name in SUITES}
        done = page + checks.result()
        again = [_report(name, run_failed_again(name, first[name], reports[name])) for name in SUITES]
    total = sum(again, done)
    print(f"\n{time.monotonic() - started:.0f} s\n{total.name_all()}", flush=True)
    return 1 if total.failed else 0


def _check(name: str, command: Sequence[str]) -> Count:
    started = time.monotonic()
    code = _run(name, [str(BIN / command[0]), *command[1:]])
    return _report(name, (Count(failures=(name,)) if code else Count(passed=1), time.monotonic() - started))


def _report(name: str, counted: tuple[Count, float]) -> Count:
    count, seconds = counted
    _say(name, f"--- {count} in {seconds:.0f} s")
    return count


def _run(name: str, command: Sequence[str]) -> int:
    """Run a command to its end, passing on what it prints. Returns its exit code."""
    _say(name, f"--- {' '.join(command)}")
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        for line in process.stdout or ():
            _say(name, line.rstrip())
    return process.returncode


def run_failed_again(name: str, first: tuple[Count, float], report: Path) -> tuple[Count, float]:
    """What came of a suite once those tests that failed have been run again, each by its name."""
    count, seconds = first
    if DIED in count.failures or not 0 < count.failed <= MAX_RUN_AGAIN:
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
    started = time.monotonic()
    place = [f"--rootdir={ROOT}", f"--config-file={ROOT / 'pyproject.toml'}"]
    options = [*place, f"--junit-xml={report}", "-o", "junit_family=xunit1", "-m", "not bench"]
    code = _run(name, [sys.executable, "-u", "-m", "pytest", *arguments, *options])
    count = _read_report(report) if report.exists() else Count()
    if code not in {0, 1} or (code == 1 and not count.failed):
        _say(name, f"pytest ended with {code}{' (no test was found)' if code == NO_TESTS else ''}.")
        count += Count(failures=(DIED,))
    return count, time.monotonic() - started


def _say(name: str, line: str) -> None:
    print(f"{name:16} | {line}\n", end="", flush=True)  # one write a line: two of them print at the same time


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
