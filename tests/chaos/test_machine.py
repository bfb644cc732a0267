"""Nothing is lost: random stretches of work on the real store and engine (what is done: `machine.py`)."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
import structlog
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from app.domain.conversation import retry_policy
from app.runs.watch import watcher
from app.store.database.migrations import upgrade
from tests.chaos.bench import open_bench
from tests.chaos.machine import Machine
from tests.seeds import choose_count, choose_seed

# Two thousand take a quarter of an hour on two cores: for a change of the engine, the store or the watcher of a page.
SEQUENCES = choose_count("CHAOS_SEQUENCES", 100, 300)
STEPS = int(os.environ.get("CHAOS_STEPS", "8"))
WORKERS = 2
"""Processes, each with a database and a provider of its own."""
KINDS = (
    "branch", "break off", "bring a conversation back", "bring back", "compare", "compare again",
    "delete", "delete a conversation",
    "end by kill -9", "end in order", "finish", "fork", "one compared", "queue", "refuse", "restore", "say", "send",
    "send again", "send again as it was", "send again in two tabs at once", "send twice at once",
    "sent out of the queue", "stop", "stop as it finishes", "talk in private", "undelete",
)  # fmt: skip
"""What is done at least once in two hundred stretches, which only a long run has."""


def work(folder: Path, number: int, sequences: int) -> tuple[int, dict[str, int], str]:
    """So many stretches of work, in this process; how many there were, of what, and what failed first."""
    retry_policy.MAX_BACKOFF = 0.0  # for providers and for eyes; here it would be most of the time
    settle: Any = watcher  # constants, but for this test
    settle.SETTLE_SECONDS = settle.STARTED_SECONDS = 0.005
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    upgrade(f"sqlite+aiosqlite:///{folder}/inview.db")
    with asyncio.Runner() as runner:
        Machine.runner, Machine.bench = runner, runner.run(open_bench(folder))
        try:  # without making a failure smaller: with a network in between, it need not fail in the same way again
            run_state_machine_as_test(
                seed(number)(Machine),
                settings=settings(
                    max_examples=sequences,
                    stateful_step_count=STEPS,
                    deadline=None,
                    database=None,
                    phases=(Phase.generate,),
                    suppress_health_check=(
                        HealthCheck.too_slow,
                        HealthCheck.filter_too_much,
                        HealthCheck.data_too_large,
                    ),
                ),
            )
        except Exception as error:  # noqa: BLE001 - it is told, with what led to it, by the process that waits
            return Machine.sequences, Machine.steps, f"seed {number}\n{''.join(Machine.failure) or repr(error)}"
        finally:
            runner.run(Machine.bench.close())
    return Machine.sequences, Machine.steps, ""


@pytest.mark.slow
@pytest.mark.timeout(1800 + 4 * SEQUENCES)
def test_whatever_a_person_does_in_whatever_order_nothing_is_lost(tmp_path: Path) -> None:
    chosen = choose_seed("CHAOS_SEED")
    print(f"seed {chosen}")
    share = -(-SEQUENCES // WORKERS)
    folders = [tmp_path / str(number) for number in range(WORKERS)]
    for folder in folders:
        folder.mkdir()
    started = time.monotonic()
    with ProcessPoolExecutor(WORKERS, get_context("spawn")) as pool:
        done = list(pool.map(work, folders, [chosen + number for number in range(WORKERS)], [share] * WORKERS))
    assert not (failures := [failure for *_, failure in done if failure]), "\n\n".join(failures)

    sequences = sum(count for count, *_ in done)
    steps = {
        step: sum(of.get(step, 0) for _, of, _ in done) for step in sorted({step for _, of, _ in done for step in of})
    }
    print(f"{sequences} sequences, {sum(steps.values())} steps in {time.monotonic() - started:.0f} s: {steps}")
    assert sequences >= SEQUENCES
    kinds = Counter[str]()
    for step, count in steps.items():
        kinds[step.partition(":")[0]] += count
    rare = {kind: kinds[kind] for kind in KINDS if kinds[kind] < SEQUENCES // 200}
    assert not rare, f"some steps were done too rarely to prove anything: {rare}"
