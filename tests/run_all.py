"""`make test` and `make test-all`: the checks, then the tests.

    python -m tests.run_all          # the gate: without tests marked `exhaustive`, and with few random cases
    python -m tests.run_all --all    # everything (`effort.py` has the numbers)

The checks come first, two at a time, and the build of the page is one of them. A run whose checks fail ends there.
While pyright still checks the types, the other core imports all modules of the tests once, so that they are compiled.
Three processes share the files of a suite: a test often waits for a browser or for a program that it started, so two
processes would leave a core idle. Browser tests are a separate suite (synchronous Playwright and asyncio cannot share a
process). The first words of each line name its source.

Tests that fail run once more, one after the other. A test that fails again fails the run. A test that then passes is
unsteady: the last lines and the file `unsteady.txt` name it with its error. It fails a run of everything, not the gate.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
NO_TESTS = 5  # pytest's exit code for "collected nothing"
UNSTEADY = ROOT / "unsteady.txt"
"""The unsteady tests of the last run, one per line. Empty after a run without any."""


@dataclass(frozen=True)
class Count:
    """The results of tests. `failed` and `unsteady` map a test's name to the first line of its error."""

    passed: int = 0
    failed: Mapping[str, str] = field(default_factory=dict[str, str])
    skipped: int = 0
    unsteady: Mapping[str, str] = field(default_factory=dict[str, str])

    def __add__(self, other: Count) -> Count:
        return Count(
            self.passed + other.passed,
            {**self.failed, **other.failed},
            self.skipped + other.skipped,
            {**self.unsteady, **other.unsteady},
        )

    def __str__(self) -> str:
        said = f"{self.passed} passed, {len(self.failed)} failed, {self.skipped} skipped"
        return f"{said}, {len(self.unsteady)} unsteady" if self.unsteady else said

    def name_all(self) -> str:
        """Return a line for each unsteady and each failed test, then the count."""
        unsteady = [f"unsteady: {line}" for line in describe_tests(self.unsteady)]
        failed = [f"failed: {line}" for line in describe_tests(self.failed)]
        return "\n".join([*unsteady, *failed, str(self)])


CHECKS = {
    "types": ["pyright"],
    "page": ["inview", "build"],
    "lint": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "."],
    "import contracts": ["lint-imports", "--no-cache"],
    "TypeScript": ["python", "-m", "tests.islands.checks"],
    "test modules": ["python", "-m", "tests.collect_all"],
}
SUITES = {
    "all else": ["tests", "--ignore=tests/e2e", "-n3", "--dist=loadfile", "--no-loadscope-reorder"],
    "browser": ["tests/e2e", "-n3", "--dist=loadfile"],
}
"""Suites run one after the other. The long files come first: by the mark `slow`, or by their number of tests."""
GATE = ["-m", "not bench and not exhaustive", "--ignore=tests/bench"]
"""All tests of the instruments are `exhaustive`. Each process would import them, and with them the SDKs of vendors."""
ALL = ["-m", "not bench"]
DIED = "pytest itself"


def main(*, tries_all: bool) -> int:
    """Run the gate, or everything. Return the exit code."""
    started = time.monotonic()
    if tries_all:
        os.environ["EFFORT"] = "all"
    with ThreadPoolExecutor(2) as pool:  # each check has one thread
        total = sum(pool.map(_check, CHECKS), Count())
    if not total.failed:
        with TemporaryDirectory() as folder:
            total = sum((_test(Path(folder), name, ALL if tries_all else GATE) for name in SUITES), total)
    UNSTEADY.write_text("".join(f"{line}\n" for line in describe_tests(total.unsteady)))
    print(f"\n{time.monotonic() - started:.0f} s\n{total.name_all()}", flush=True)
    return 1 if total.failed or (tries_all and total.unsteady) else 0


def describe_tests(tests: Mapping[str, str]) -> list[str]:
    """Return a line for each test: its name and its error."""
    return [f"{name}: {error}" if error else name for name, error in tests.items()]


def _test(folder: Path, name: str, marked: Sequence[str]) -> Count:
    report = folder / f"{name}.xml"
    counted = run_suite(name, [*SUITES[name], *marked, "--durations=20"], report)
    return _report(name, run_failed_again(name, counted, report))


def _check(name: str) -> Count:
    started = time.monotonic()
    command, *arguments = CHECKS[name]
    code = _run(name, [str(BIN / command), *arguments])
    return _report(name, (Count(failed={name: ""}) if code else Count(passed=1), time.monotonic() - started))


def _report(name: str, counted: tuple[Count, float]) -> Count:
    count, seconds = counted
    _say(name, f"--- {count} in {seconds:.0f} s")
    return count


def _run(name: str, command: Sequence[str]) -> int:
    """Run a command and print its output. Return its exit code."""
    _say(name, f"--- {' '.join(command)}")
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        for line in process.stdout or ():
            _say(name, line.rstrip())
    return process.returncode


def run_failed_again(name: str, first: tuple[Count, float], report: Path) -> tuple[Count, float]:
    """Run the failed tests of a suite again, each by its name, and return the combined results."""
    count, seconds = first
    if DIED in count.failed or not count.failed:
        return first
    again, more = run_suite(name, list(count.failed), report.with_name(f"{name} again.xml"))
    if again.passed + len(again.failed) != len(count.failed):
        return first  # other tests ran than those that had failed
    unsteady = {test: error for test, error in count.failed.items() if test not in again.failed}
    return Count(count.passed, again.failed, count.skipped, unsteady), seconds + more


def run_suite(name: str, arguments: Sequence[str], report: Path) -> tuple[Count, float]:
    """Run pytest once. A run that dies, or finds no test, counts as a failure even if none of its tests failed."""
    started = time.monotonic()
    place = [f"--rootdir={ROOT}", f"--config-file={ROOT / 'pyproject.toml'}"]
    options = [*place, f"--junit-xml={report}", "-o", "junit_family=xunit1"]
    code = _run(name, [sys.executable, "-u", "-m", "pytest", *arguments, *options])
    count = _read_report(report) if report.exists() else Count()
    if code not in {0, 1} or (code == 1 and not count.failed):
        count += Count(failed={DIED: f"ended with {code}{' (no test was found)' if code == NO_TESTS else ''}"})
    return count, time.monotonic() - started


def _say(name: str, line: str) -> None:
    print(f"{name:16} | {line}", flush=True)


def _read_report(path: Path) -> Count:
    """Return the results by the names that pytest accepts, with the first line of each error."""
    suite = ET.parse(path).getroot().find("testsuite")
    if suite is None:
        raise ValueError(f"{path} is no report of pytest.")
    failed = dict[str, str]()
    for case in suite.iter("testcase"):
        for fault in (*case.iter("failure"), *case.iter("error")):
            failed.setdefault(
                f"{case.attrib['file']}::{case.attrib['name']}", fault.get("message", "").partition("\n")[0]
            )
    total, skipped = int(suite.attrib["tests"]), int(suite.attrib["skipped"])
    return Count(total - skipped - len(failed), failed, skipped)


if __name__ == "__main__":
    sys.exit(main(tries_all="--all" in sys.argv))
