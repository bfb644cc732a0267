"""Nothing is lost: random sequences of work on the real store and engine (the actions: `machine.py`)."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
import structlog
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from app.domain import retry_policy
from app.runs.watch import watcher
from tests.chaos.bench import open_bench
from tests.chaos.machine import Machine
from tests.databases import lay_database
from tests.effort import EFFORT
from tests.seeds import choose_seed

STEPS = 8
KINDS = (
    "branch", "break off", "bring a conversation back", "bring back", "compare", "compare again",
    "delete", "delete a conversation",
    "end by kill -9", "end in order", "finish", "fork", "one compared", "queue", "refuse", "restore", "say", "send",
    "send again", "send again as it was", "send again in two tabs at once", "send twice at once",
    "sent out of the queue", "stop", "stop as it finishes", "talk in private", "undelete",
)  # fmt: skip
"""Steps that occur at least once in two hundred sequences."""


@pytest.fixture
def without_waits(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """Remove the waits of retries and pages, as no person watches. Faults that the test causes are not logged."""
    monkeypatch.setattr(retry_policy, "MAX_BACKOFF", 0.0)
    monkeypatch.setattr(watcher, "SETTLE_SECONDS", 0.005)
    monkeypatch.setattr(watcher, "STARTED_SECONDS", 0.005)
    usual: Any = structlog.get_config()["wrapper_class"]
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    yield
    structlog.configure(wrapper_class=usual)


@pytest.mark.slow
@pytest.mark.timeout(600 + 4 * EFFORT.sequences)
@pytest.mark.usefixtures("without_waits")
def test_whatever_a_person_does_in_whatever_order_nothing_is_lost(tmp_path: Path) -> None:
    chosen = choose_seed("CHAOS_SEED")
    lay_database(tmp_path)
    with asyncio.Runner() as runner:
        Machine.runner, Machine.bench = runner, runner.run(open_bench(tmp_path))
        try:  # hypothesis does not make a failure smaller: over a network, it may not fail in the same way again
            run_state_machine_as_test(
                seed(chosen)(Machine),
                settings=settings(
                    max_examples=EFFORT.sequences,
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
        except Exception as error:
            raise AssertionError(f"seed {chosen}\n{''.join(Machine.failure) or repr(error)}") from error
        finally:
            runner.run(Machine.bench.close())

    print(f"seed {chosen}: {Machine.sequences} sequences, {sum(Machine.steps.values())} steps: {Machine.steps}")
    assert Machine.sequences >= EFFORT.sequences
    kinds = Counter[str]()
    for step, count in Machine.steps.items():
        kinds[step.partition(":")[0]] += count
    rare = {kind: kinds[kind] for kind in KINDS if kinds[kind] < EFFORT.sequences // 200}
    assert not rare, f"some steps were done too rarely to prove anything: {rare}"
