"""`make test-faults`: plants one fault after the other in a copy of the project. The tests of its area must fail.

python -m tests.faults                # all of them
python -m tests.faults budget queue   # these
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.faults.planted import ROOT, Fault, read_faults

LEFT_OUT = shutil.ignore_patterns(".git", ".venv", ".web", ".pages", ".states", "data", "node_modules", "__pycache__")
LINKED = ("tests/islands/node_modules", "tests/third_party/node_modules", "app/node_modules")
TESTS_FAILED = 1  # pytest's exit code; 2 to 5 mean that no test was judged


def main(names: list[str]) -> int:
    """Plant the faults with these names, or all. Return 1 if a fault is not found, else 0."""
    faults = [each for each in read_faults() if not names or each.name in names]
    missing = set(names) - {each.name for each in faults}
    if missing:
        print(f"There is no planted fault {', '.join(sorted(missing))}.")
        return 1
    lost = list[str]()
    with TemporaryDirectory() as folder:
        copy = copy_project(Path(folder) / "project")
        for fault in faults:
            started = time.monotonic()
            found = find(fault, copy)
            print(f"{found or 'NOT FOUND':90} {time.monotonic() - started:5.0f} s  {fault.name}", flush=True)
            lost += [] if found else [fault.name]
    print(f"{len(faults) - len(lost)} of {len(faults)} faults were found." + "".join(f"\nnot found: {x}" for x in lost))
    return 1 if lost else 0


def copy_project(copy: Path) -> Path:
    """Copy the files on disk. The copy uses the installed packages of this project."""
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT, symlinks=True)
    for name in LINKED:
        (copy / name).unlink(missing_ok=True)
        (copy / name).symlink_to((ROOT / name).resolve())
    return copy


def find(fault: Fault, copy: Path) -> str:
    """Return the first test that fails with the fault, or ""."""
    fault.apply(copy)
    try:
        ran = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-x", "--tb=no", "-m", "not bench and not exhaustive", *fault.tests],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": str(copy)},
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        fault.apply(copy, "--reverse")
    if ran.returncode != TESTS_FAILED:
        print(ran.stdout[-2_000:])
        return ""
    failed = [line for line in ran.stdout.splitlines() if line.startswith("FAILED ")]
    if not failed:  # an error of a fixture says nothing about the fault
        print(ran.stdout[-2_000:])
        return ""
    return failed[0].partition(" - ")[0].removeprefix("FAILED ")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
