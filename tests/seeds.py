"""The seeds of the random cases in a test run: the same ones each time or, when exploring, new ones.

    EXPLORE=1 make test           # new cases; a failed one reports its seed
    CHAOS_SEED=7 make test        # that case again

By default every change is tested with the cases of the change before it, so a new failure comes from the change.
"""

from __future__ import annotations

import os
import random

EXPLORES = os.environ.get("EXPLORE") == "1"
USUAL = 20251121


def choose_seed(name: str) -> int:
    """Return the seed of that name from the environment; else the usual one or, when exploring, a random one."""
    chosen = os.environ.get(name)
    if chosen is not None:
        return int(chosen)
    return random.randrange(1 << 32) if EXPLORES else USUAL
