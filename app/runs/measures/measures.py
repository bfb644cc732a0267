"""The figures of this process since it began, as plain numbers that `/metrics` writes out and the status page shows.

    wb.measures.note_call(call, first_chunk=0.4)

Counting costs an addition, and nothing at all per chunk: what a call received is counted when it has ended. No figure
is of a person or a conversation. A model gets a name of its own once its provider has answered in it, and only so many
do; the others are `other`.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from time import monotonic
from typing import Final, Protocol

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.errors import ErrorClass
from app.domain.usage import COUNTERS
from app.runs.engine.live import LiveRun
from app.runs.measures.histogram import Histogram
from app.runs.process.ids import now
from app.store.ledger.ledger import Call

_DISJOINT: Final = tuple(name for name in COUNTERS if name != "reasoning_tokens")
"""Counters that add up: reasoning is a part of the output."""
MAX_MODELS: Final = 200
OTHER: Final = "other"
LAG_SECONDS: Final = 1.0
"""From one look at the event loop to the next."""


@dataclass(frozen=True, slots=True)
class ProviderStanding:
    """When a provider last answered, and when and how it last failed; None: not since the process began."""

    answered_at: datetime | None = None
    failed_at: datetime | None = None
    error_class: ErrorClass | None = None


@dataclass(frozen=True, slots=True)
class FileChecked:
    """What the last check of the database's file found: sentences of SQLite, "" for nothing."""

    at: datetime
    wrong: str


@dataclass(frozen=True, slots=True)
class Swept:
    """What a task of the last round of upkeep did. `count` None: it failed."""

    at: datetime
    count: int | None


class RunTraces(Protocol):
    """What is told to a collector of traces (`traces.py`)."""

    def note_call(self, call: Call, first_chunk: float | None) -> None: ...

    def note_run(self, run: LiveRun) -> None: ...


@dataclass
class Measures:
    """All figures. `lag` is by how much the event loop was late at the last look, in seconds.

    `traces` is None if none are sent. `checked` is None if the database was not checked since the process began.
    """

    began_at: datetime = field(default_factory=now)
    began: float = field(default_factory=monotonic)
    runs: Counter[str] = field(default_factory=Counter[str])
    calls: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    errors: Counter[str] = field(default_factory=Counter[str])
    tokens: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    cost: dict[str, Decimal] = field(default_factory=dict[str, Decimal])
    chunks: int = 0
    first_chunk: Histogram = field(default_factory=Histogram)
    reply: Histogram = field(default_factory=Histogram)
    loop_lag: Histogram = field(default_factory=Histogram)
    lag: float = 0.0
    traces: RunTraces | None = None
    checked: FileChecked | None = None
    providers: dict[str, ProviderStanding] = field(default_factory=dict[str, ProviderStanding])
    sweeps: dict[str, Swept] = field(default_factory=dict[str, Swept])
    _models: set[str] = field(default_factory=set[str])

    @property
    def uptime(self) -> float:
        """Return the seconds since the process began, by a clock that cannot be set."""
        return monotonic() - self.began

    def note_run(self, outcome: Lifecycle, chunks: int) -> None:
        """Count a run that has ended, and how often its provider sent something."""
        self.runs[outcome] += 1
        self.chunks += chunks

    def note_call(self, call: Call, first_chunk: float | None) -> None:
        """Count a provider call that has ended. `first_chunk`: seconds until it sent something; None: it did not."""
        model = self.name_model(call)
        self.calls[model, call.outcome] += 1
        if first_chunk is not None:
            self.first_chunk.add(first_chunk)
        if call.outcome is Lifecycle.SUCCEEDED:
            self.reply.add(max(0.0, (call.ended_at - call.started_at).total_seconds()))
        if call.error_class is not None:
            self.errors[call.error_class] += 1
        if call.usage is not None:
            for counter in _DISJOINT:
                self.tokens[model, counter.removesuffix("_tokens")] += getattr(call.usage, counter)
        self._note_provider(call)

    def note_cost(self, call: Call, dollars: Decimal) -> None:
        """Add what a call cost, in US dollars."""
        model = self.name_model(call)
        self.cost[model] = self.cost.get(model, Decimal(0)) + dollars

    def note_sweep(self, task: str, count: int | None) -> None:
        """Remember what a task of upkeep did; None: it failed."""
        self.sweeps[task] = Swept(now(), count)

    def name_model(self, call: Call) -> str:
        """The name under which a call's model is counted."""
        if call.outcome is Lifecycle.SUCCEEDED and len(self._models) < MAX_MODELS:
            self._models.add(call.model)
        return call.model if call.model in self._models else OTHER

    def _note_provider(self, call: Call) -> None:
        name = call.model.partition(":")[0]
        known = self.providers.get(name, ProviderStanding())
        if call.error_class is not None:
            known = ProviderStanding(known.answered_at, call.ended_at, call.error_class)
        elif call.outcome is Lifecycle.SUCCEEDED:
            known = ProviderStanding(call.ended_at, known.failed_at, known.error_class)
        if name in self.providers or len(self.providers) < MAX_MODELS:
            self.providers[name] = known

    async def keep_watching_loop(self) -> None:
        """Look every second how late the event loop is, as long as the process lives."""
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + LAG_SECONDS
            await asyncio.sleep(LAG_SECONDS)
            self.lag = max(0.0, loop.time() - due)
            self.loop_lag.add(self.lag)
