"""The most memory that this process used since a moment, as Linux counts it."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

_STATUS: Final = Path("/proc/self/status")


@dataclass(frozen=True)
class Memory:
    """The memory in use at a moment, in MB."""

    used: float

    @classmethod
    def now(cls) -> Self:
        gc.collect()
        Path("/proc/self/clear_refs").write_text("5")  # resets the peak: see proc(5)
        return cls(_read("VmRSS"))

    def growth(self) -> float:
        """The peak since then, less what was in use, in MB."""
        return _read("VmHWM") - self.used


def _read(name: str) -> float:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) / 1024
