from __future__ import annotations

import gc
import subprocess
import sys

from app.runs.app_context import AppContext
from app.runs.memory.collector import THRESHOLDS


def test_an_open_app_context_has_what_was_imported_out_of_the_collectors_sight(ctx: AppContext) -> None:
    assert gc.get_threshold() == THRESHOLDS
    assert gc.get_freeze_count() > 10_000


MAPPED = """
import ctypes
from app.runs.memory.collector import LARGE, return_large_blocks

class Figures(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd usmblks f u k c".split()]

mallinfo = ctypes.CDLL(None).mallinfo2
mallinfo.restype = Figures
return_large_blocks()
block = bytearray(8 * LARGE)
del block  # from here on, glibc as it comes keeps blocks of this size
before = mallinfo().hblkhd
block = bytearray(4 * LARGE)
print((mallinfo().hblkhd - before) // LARGE)
"""


def test_a_large_block_goes_back_to_the_system_when_it_is_free_whatever_was_freed_before() -> None:
    done = subprocess.run([sys.executable, "-c", MAPPED], capture_output=True, text=True, check=True)

    assert int(done.stdout) == 4
