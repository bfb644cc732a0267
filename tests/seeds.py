"""Which random cases a run of the tests sees, and how many: the same ones each time or, to look for more, others.

    EXPLORE=1 make test           # cases nobody has seen yet; one that fails tells the seed it was made from
    CHAOS_SEED=7 make test        # that one again
    make test-long                # LONG=1: as many cases as the tests promise (docs/decisions/0136)
    IDENTITY_CASES=50 make test   # so many of one test

A change is judged by the cases the one before it was judged by: what turns red was made by the change.
"""

from __future__ import annotations

import os
import random

EXPLORES = os.environ.get("EXPLORE") == "1"
IS_LONG = os.environ.get("LONG") == "1"
USUAL = 20251121


def choose_seed(name: str) -> int:
    """The seed of that name from the environment; else the usual one or, when exploring, any."""
    chosen = os.environ.get(name)
    if chosen is not None:
        return int(chosen)
    return random.randrange(1 << 32) if EXPLORES else USUAL


def choose_count(name: str, usual: int, promised: int) -> int:
    """How many cases: as the environment says by that name; else the usual number or, in a long run, the promised."""
    return int(os.environ.get(name, promised if IS_LONG else usual))
