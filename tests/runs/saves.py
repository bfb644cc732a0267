"""Saves of a process, reported by the process: for tests that kill it.

clock = SaveClock()
async with open_app_context(settings, clock) as ctx:
    report_saves(ctx, clock, lambda save: connection.send(save))
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from app.domain.conversation.parts import plain_text
from app.runs.app_context import AppContext
from app.runs.engine.live import LiveRun
from app.runs.runtime.clock import SteadyClock

PROMISED_SECONDS = 0.15
"""Maximum wait of the writer before a save, in seconds (docs/architecture.md)."""
ROUNDING = 1e-9


@dataclass(frozen=True)
class Save:
    """A complete save.

    Attributes:
        received: by run, the text that had been received when the save started. It is stored now.
        waited: the seconds that the writer asked its clock to wait before the save, however long it took.
    """

    received: Mapping[str, str]
    waited: float

    @property
    def is_in_time(self) -> bool:
        return self.waited <= PROMISED_SECONDS + ROUNDING


@dataclass
class SaveClock(SteadyClock):
    """The clock of this machine. It adds up the seconds that the task of the saves asked to wait."""

    runs: Mapping[str, LiveRun] = field(default_factory=dict[str, LiveRun])
    waited: float = 0.0

    async def sleep(self, seconds: float) -> None:
        self._add(seconds)
        await super().sleep(seconds)

    async def wait(self, event: asyncio.Event, seconds: float | None = None) -> None:
        if seconds is not None:
            self._add(seconds)
        elif self.runs:  # a wait without a limit while a run is active
            self._add(float("inf"))
        await super().wait(event, seconds)

    def _add(self, seconds: float) -> None:
        task = asyncio.current_task()
        if task is not None and task.get_name() == "keep_saving":
            self.waited += seconds


def report_saves(ctx: AppContext, clock: SaveClock, report: Callable[[Save], None]) -> None:
    """Report each complete save of this app context immediately."""
    writer = ctx.engine.writer
    save, clock.runs = writer.save, writer.runs

    async def save_and_report(*, beats: bool = True) -> None:
        received = {run: plain_text(run.state.parts) for run in writer.runs.values()}
        await save(beats=beats)
        # A run that ended during the save is not part of it: its end is stored separately.
        texts = {run.run_id: text for run, text in received.items() if run.state.outcome is None}
        report(Save(texts, clock.waited))
        clock.waited = 0.0

    writer.save = save_and_report
