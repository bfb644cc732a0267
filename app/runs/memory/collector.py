"""Settings of the garbage collector for a long-lived process with many values.

See docs/decisions/0015-garbage-collector.md. Nearly all values are immutable and free of cycles. Reference counting
frees them, so the collector finds little to do, while a full collection delays every reply that streams.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from functools import cache
from typing import Final

THRESHOLDS: Final = (10_000, 20, 20)
"""The thresholds of the garbage collector, for `gc.set_threshold`. Python's defaults are 700, 10 and 10.

A young collection starts after the first number of new objects, a middle one after the second number of young
collections, and a full one after the third number of middle collections.
"""


@cache
def tune_collector() -> None:
    """Exclude all objects that exist now from garbage collection for good, and collect new objects less often.

    Later calls in the same process do nothing.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)


LARGE: Final = 1024 * 1024
"""Size in bytes from which a freed block of memory is returned to the system immediately."""
_MMAP_THRESHOLD: Final = -3
"""The number of the parameter M_MMAP_THRESHOLD of the C function mallopt(3)."""


def return_large_blocks() -> None:
    """Make glibc return large blocks of memory to the system when they are freed.

    A separate process calls this before its work. By default, glibc keeps freed large blocks of up to 32 MB and splits
    them for small ones: a server kept 330 MB after three imports of 8, 16 and 16 MB. Other C libraries have no such
    setting and need none.
    """
    if (choose := getattr(ctypes.CDLL(None), "mallopt", None)) is not None:
        choose(_MMAP_THRESHOLD, LARGE)


def give_memory_back() -> None:
    """Return freed memory to the system.

    Only glibc keeps freed memory for later. With another C library, such as musl, do nothing.
    """
    if (trim := _find_trim()) is not None:
        trim(0)


@cache
def _find_trim() -> Callable[[int], int] | None:
    return getattr(ctypes.CDLL(None), "malloc_trim", None)
