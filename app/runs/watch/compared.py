"""The replies of the open comparison, followed for a page that shows them.

    compared = ComparedReplies(ctx, owner, spawn, changed)
    compared.open(comparison)                # or None if no comparison is open
    compared.look(on=True)                   # the page shows its replies
    compared.show(permissions, standing)     # the current replies

Each reply is a separate run. While the page does not show the replies, no run is followed. But replies that a crash
interrupted are read, because an open page may have more of their text (`runs/recovery/recovery.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from app.domain.costs.costs import price_pair
from app.domain.errors import ErrorClass, NotFoundError
from app.domain.run.growth import Growth
from app.domain.run.run import RunState
from app.runs.app_context import AppContext
from app.runs.watch.broadcast import follow_states
from app.runs.watch.facts import learn_prices
from app.store.conversation.pairs import load_pair
from app.views.compare.compared import (
    ComparedColumnsView,
    ComparedColumnView,
    begin_column,
    end_column,
    grow_column,
    show_compared,
)
from app.views.reply.pair import ScreenPairView, show_grown
from app.views.reply.panels import ComparedReplyView, PermissionItemView, ScreenComparisonView

Spawn = Callable[[Coroutine[None, None, None]], asyncio.Task[None]]


@dataclass(eq=False)
class ComparedReplies:
    """The replies of the comparison on one page. `spawn` starts a task of the watcher.

    `changed` is called whenever a reply has changed.
    """

    ctx: AppContext
    owner: str
    spawn: Spawn
    changed: Callable[[], None]
    comparison: ScreenComparisonView | None = None
    _looked_at: bool = False
    _columns: dict[str, ComparedColumnView] = field(default_factory=dict[str, ComparedColumnView])  # by run id
    _tasks: list[asyncio.Task[None]] = field(default_factory=list[asyncio.Task[None]])
    _shown: ComparedColumnsView | None = None

    def open(self, comparison: ScreenComparisonView | None) -> None:
        """Set the open comparison; None: no comparison is open.

        If `comparison` is already the open one, its finished replies are read again.
        """
        before, self.comparison = self.comparison, comparison
        if (before and before.id) != (comparison and comparison.id):
            self._follow_anew()
        elif comparison is not None:
            followed = {run_id for run_id, column in self._columns.items() if column.running}
            self._tasks += [self.spawn(self._read(run)) for run in comparison.runs if run.run_id not in followed]

    def look(self, *, on: bool) -> None:
        """Start or stop following the compared replies, because the page shows or hides them."""
        if on != self._looked_at:
            self._looked_at = on
            if self.comparison is not None:  # otherwise nothing changes, and the page may have no screen yet
                self._follow_anew()

    def show(
        self, permissions: Sequence[PermissionItemView], standing: ScreenPairView | None
    ) -> ComparedColumnsView | None:
        """Return the compared replies; the same object while nothing has changed. None: the page does not show them.

        `standing` is the pair that is answered again, if the comparison is for an existing pair.
        """
        is_damaged = self._looked_at and self.comparison is not None and not self.comparison.runs
        if self.comparison is None or not (self._columns or is_damaged):
            self._shown = None
            return None
        columns = tuple(self._columns.values())
        asking = {request.run_id for request in permissions}
        found = show_compared(len(self.comparison.runs), columns, asking, standing)
        if found != self._shown:
            self._shown = found
        return self._shown

    def _follow_anew(self) -> None:
        for task in self._tasks:
            task.cancel()
        runs = () if self.comparison is None else self.comparison.runs
        show = self._follow if self._looked_at else self._read
        self._columns = {run.run_id: begin_column(run) for run in runs if self._looked_at}
        self._tasks = [self.spawn(show(run)) for run in runs]
        self.changed()

    async def _follow(self, run: ComparedReplyView) -> None:
        with suppress(NotFoundError):  # the run was deleted or the comparison closed: another event reports that
            async for state, growth in follow_states(self.ctx, self.owner, run.run_id):
                self._grow(run.run_id, state, growth)
        await self._read(run)

    def _grow(self, run_id: str, state: RunState, growth: Growth) -> None:
        column = self._columns[run_id]
        parts = show_grown(column.parts, state.parts, growth.unchanged)
        waits = state.phase == "retrying" and state.retries
        self._columns[run_id] = grow_column(column, parts, state.retries[-1].seconds if waits else None)
        self.changed()

    async def _read(self, run: ComparedReplyView) -> None:
        """Read a stored reply for the page. While the page hides the replies, keep it only if a crash cut it off."""
        with suppress(NotFoundError):
            async with self.ctx.store.read() as session:
                pair = await load_pair(session, self.owner, run.pair_id)
            is_cut = pair.failure is not None and pair.failure.error_class is ErrorClass.INTERRUPTED
            if not self._looked_at and not is_cut:
                return
            tariffs = await learn_prices(self.ctx, self.owner, (pair,))
            cost = price_pair(pair, tariffs.get(pair.model))
            column = self._columns.get(run.run_id) or begin_column(run)
            self._columns[run.run_id] = end_column(column, run, pair, cost)
            self.changed()
