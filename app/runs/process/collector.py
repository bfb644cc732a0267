"""The garbage collector of a process that lives long and holds many values (docs/decisions/0015-garbage-collector.md).

Nearly all of ours are immutable and free of cycles: they go when nobody names them any more, and the collector finds
nothing among them however often it looks. A full look at everything holds up every reply that streams.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from functools import cache
from typing import Final

THRESHOLDS: Final = (10_000, 20, 20)
"""New objects until the young are looked at; such looks until the next older are; and again. Python's: 700, 10, 10."""


@cache
def tune_collector() -> None:
    """Take what was imported out of the collector's sight, for good, and let it look at the rest more rarely. Once."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)


LARGE: Final = 1024 * 1024
"""Bytes of a block of memory that goes back to the system as soon as it is free."""
_MMAP_THRESHOLD: Final = -3
"""Of mallopt(3)."""


def return_large_blocks() -> None:
    """Have glibc give back each large block when it is free. For a process of its own, before it works.

    As it comes, glibc keeps blocks of up to 32 MB from the first one on that was freed, in pieces among small ones: a
    server kept 330 MB after three imports of 8, 16 and 16 MB. Other C libraries have no such setting and need none.
    """
    if (choose := getattr(ctypes.CDLL(None), "mallopt", None)) is not None:
        choose(_MMAP_THRESHOLD, LARGE)


def give_memory_back() -> None:
    """Return freed memory to the system, where its C library keeps it for later (glibc does, musl does not)."""
    if (trim := _find_trim()) is not None:
        trim(0)


@cache
def _find_trim() -> Callable[[int], int] | None:
    return getattr(ctypes.CDLL(None), "malloc_trim", None)
