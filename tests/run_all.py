"""`make test`: the checks, then every test, in as many pytest processes as they need; ends with one line for all.

Browser tests get a process of their own (synchronous Playwright and asyncio do not share one). A step that fails does
not stop the others: a run tells everything that is wrong.
"""

from __future__ import annotations

import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
NO_TESTS = 5  # pytest's exit code for "collected nothing"


@dataclass(frozen=True)
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


CHECKS = {
    "lint": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "."],
    "import contracts": ["lint-imports", "--no-cache"],
    "types": ["pyright"],
}
SUITES = {
    "unit, property, contract, third-party and real-model tests": ["tests", "--ignore=tests/e2e"],
    "browser tests": ["tests/e2e"],
}


def main() -> int:
    total = Count()
    for name, command in CHECKS.items():
        total += _report(name, _check(command))
    with TemporaryDirectory() as folder:
        for number, (name, arguments) in enumerate(SUITES.items()):
            total += _report(name, _suite(arguments, Path(folder) / f"{number}.xml"))
    print(f"\n{total}", flush=True)
    return 1 if total.failed else 0


def _report(name: str, counted: tuple[Count, float]) -> Count:
    count, seconds = counted
    print(f"--- {name}: {count} in {seconds:.0f} s\n", flush=True)
    return count


def _check(command: list[str]) -> tuple[Count, float]:
    print(f"--- {' '.join(command)}", flush=True)
    started = time.monotonic()
    code = subprocess.run([BIN / command[0], *command[1:]], cwd=ROOT, check=False).returncode
    return (Count(failed=1) if code else Count(passed=1)), time.monotonic() - started


def _suite(arguments: list[str], report: Path) -> tuple[Count, float]:
    """Run pytest once. One that dies, or finds no test, counts as a failure even if none of its tests failed."""
    print(f"--- pytest {' '.join(arguments)}", flush=True)
    started = time.monotonic()
    command = [sys.executable, "-m", "pytest", *arguments, f"--junit-xml={report}", "-m", "not bench"]
    code = subprocess.run(command, cwd=ROOT, check=False).returncode
    count = _read_report(report) if report.exists() else Count()
    if code not in {0, 1} or (code == 1 and not count.failed):
        print(f"pytest ended with {code}{' (no test was found)' if code == NO_TESTS else ''}.", flush=True)
        count += Count(failed=1)
    return count, time.monotonic() - started


def _read_report(path: Path) -> Count:
    suite = ET.parse(path).getroot().find("testsuite")
    if suite is None:
        raise ValueError(f"{path} is no report of pytest.")
    total, skipped = int(suite.attrib["tests"]), int(suite.attrib["skipped"])
    failed = int(suite.attrib["failures"]) + int(suite.attrib["errors"])
    return Count(total - skipped - failed, failed, skipped)


if __name__ == "__main__":
    sys.exit(main())
