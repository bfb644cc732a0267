"""Planted faults: each file `NAME.patch` breaks one thing, and says which tests must fail then.

A queue continues after a person stopped the reply it waited for.

tests: tests/runs/send/test_queue.py

--- a/app/domain/run/queue.py
…
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]


@dataclass(frozen=True)
class Fault:
    """A planted fault. `tests` are arguments of pytest. `browser`: they drive the page."""

    patch: Path
    description: str
    tests: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.patch.stem

    @property
    def browser(self) -> bool:
        return any(each.startswith("tests/e2e") for each in self.tests)

    def apply(self, folder: Path, *options: str) -> None:
        """Run `git apply` in a copy of the project.

        Raises:
            subprocess.CalledProcessError: the code has changed, and the patch no longer fits.
        """
        subprocess.run(
            ["git", "apply", *options, str(self.patch)], cwd=folder, check=True, capture_output=True, text=True
        )


def read_faults() -> tuple[Fault, ...]:
    """Return all planted faults, by name."""
    return tuple(_read(path) for path in sorted(HERE.glob("*.patch")))


def _read(path: Path) -> Fault:
    description, tests, _ = path.read_text().split("\n\n", 2)
    return Fault(path, description, tuple(tests.removeprefix("tests: ").split()))
