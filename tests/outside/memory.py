"""The maximum memory that a process used since a moment, as Linux counts it."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

_PROC: Final = Path("/proc")


@dataclass(frozen=True)
class Memory:
    """The memory in use at a moment, in MB. `process` is the id of another process, or this one."""

    used: float
    process: str = "self"

    @classmethod
    def now(cls, process: str = "self") -> Self:
        gc.collect()
        (_PROC / process / "clear_refs").write_text("5")  # resets the peak: see proc(5)
        return cls(_read(process, "VmRSS"), process)

    def growth(self) -> float:
        """Return the peak since then, minus the memory in use then, in MB."""
        return _read(self.process, "VmHWM") - self.used


def _read(process: str, name: str) -> float:
    line = next(line for line in (_PROC / process / "status").read_text().splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) / 1024
