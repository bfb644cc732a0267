"""Settings of the garbage collector for a long-lived process with many values.

See docs/decisions/0015-garbage-collector.md.

Nearly all values are immutable and free of cycles: reference counting frees them, and the collector finds nothing
among them. A full collection delays every reply that streams.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from functools import cache
from typing import Final

THRESHOLDS: Final = (10_000, 20, 20)
"""New objects before a young collection, young ones before a middle one, middle ones before a full one.

Python's defaults: 700, 10, 10.
"""


@cache
def tune_collector() -> None:
    """Exclude all imported objects from collection permanently, and collect the rest less often. Runs once."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)


LARGE: Final = 1024 * 1024
"""Size in bytes of a block of memory that is returned to the system immediately when it is free."""
_MMAP_THRESHOLD: Final = -3
"""The parameter's number in mallopt(3)."""


def return_large_blocks() -> None:
    """Make glibc return each large block when it is free. Call it in a separate process before its work.

    By default, after a block of up to 32 MB was freed, glibc keeps blocks of that size in pieces among small ones: a
    server kept 330 MB after three imports of 8, 16 and 16 MB. Other C libraries have no such setting and need none.
    """
    if (choose := getattr(ctypes.CDLL(None), "mallopt", None)) is not None:
        choose(_MMAP_THRESHOLD, LARGE)


def give_memory_back() -> None:
    """Return freed memory to the system if its C library keeps it for later (glibc does, musl does not)."""
    if (trim := _find_trim()) is not None:
        trim(0)


@cache
def _find_trim() -> Callable[[int], int] | None:
    return getattr(ctypes.CDLL(None), "malloc_trim", None)
