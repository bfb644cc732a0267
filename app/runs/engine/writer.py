"""The writer: stores the data that all active runs received, several times a second, and the end of each run.

One transaction stores the data of all runs. Most saves add the new text of a reply to a journal. About once a second
the whole reply is stored instead. The end of a run is stored at once; ends that wait for the database at the same time
are stored together.

A database error does not stop a reply: the reply continues in memory, saving is tried again, and each error is logged.
If the end of a run cannot be stored for a long time, subscribers are notified. Inview continues to try while the
process lives.

Not here: the stored rows (`store/run/runs.py`) and the end of a run (`engine.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import structlog

from app.domain.conversation.page_bytes import measure_parts
from app.domain.errors import ErrorClass, NotFoundError, StoreError, failure
from app.domain.run.growth import describe_growth
from app.domain.run.run import Failed, RunState, Succeeded
from app.domain.tools.tool_records import ToolCallRecord
from app.runs.engine.live import LiveRun
from app.runs.runtime.clock import STEADY, Clock
from app.runs.runtime.ids import now
from app.runs.runtime.shielded import shielded
from app.store.database.database import Store
from app.store.ledger.ledger import insert_missing_calls
from app.store.ledger.sent_calls import insert_sent_calls
from app.store.run.ends import EndedChild, end_children, finish_runs
from app.store.run.runs import Progress, save_heartbeat, save_progress
from app.store.run.snapshots import Snapshot, delete_snapshots, save_snapshot
from app.store.run.stored_runs import load_run
from app.store.tools.tool_calls import save_tool_calls

log = structlog.get_logger()

SAVE_SECONDS = 0.1
"""Seconds between two saves while runs are active.

With PAUSE_SECONDS, a received text waits at most 0.15 s until its save begins.
"""
PAUSE_SECONDS = 0.05
"""Seconds of pause before each save.

In this time, more urgent changes can arrive (see `hurry`), and the first text of a reply is shown before it is saved.
"""
BEAT_SECONDS = 0.8
"""Seconds between two heartbeats."""
WHOLE_SECONDS = 0.8
"""Seconds after which the whole reply is stored again: other processes read the stored message, not the journal."""
WHOLE_CHARACTERS = 250_000
"""Maximum number of characters of all replies that one transaction stores whole. More characters would delay the saves.

The last reply that is chosen for a transaction may exceed this limit.
"""
FIRST_DELAY = 0.1
MAX_DELAY = 5.0
PATIENCE_SECONDS = 30.0
"""Seconds after which subscribers are notified that the end of a run cannot be stored."""


@dataclass(eq=False)
class _End:
    """The end of a run that is being stored.

    - `claimed`: None until the end is stored. Then True, or False if another process or a deletion had ended the run.
    - `alone`: a transaction with this end and others has failed, so this end is now stored in a separate transaction.
    """

    run: LiveRun
    claimed: bool | None = None
    alone: bool = False


@dataclass(eq=False)
class Writer:
    """Saves the active runs of this process (`runs`, by id) to the database.

    - `_saving`: a lock, held during each transaction of this writer.
    - `_ends`: the ends that are being stored or wait for `_saving`, in order.
    """

    store: Store
    process_id: str
    clock: Clock = STEADY
    runs: dict[str, LiveRun] = field(default_factory=dict[str, LiveRun])
    _begun: asyncio.Event = field(default_factory=asyncio.Event)
    _due: asyncio.Event = field(default_factory=asyncio.Event)
    _saving: asyncio.Lock = field(default_factory=asyncio.Lock)
    _ends: list[_End] = field(default_factory=list[_End])
    _beat_at: float = -BEAT_SECONDS

    def take(self, run: LiveRun) -> None:
        """Save this run from now on.

        The next save is not urgent: the first state of the run is already stored, and its provider is being called.
        """
        self.runs[run.run_id] = run
        self._begun.set()

    def hurry(self) -> None:
        """Make the next save early, because of a first text, a retry or a tool result."""
        self._due.set()

    async def keep_saving(self) -> None:
        """Save the active runs several times a second, as long as the process lives."""
        while True:
            if not self.runs:
                await self.clock.wait(self._begun)
            self._begun.clear()
            await self.clock.wait(self._due, SAVE_SECONDS)
            await self.clock.sleep(PAUSE_SECONDS)
            self._due.clear()
            try:
                await self.save(beats=self.clock.now() - self._beat_at >= BEAT_SECONDS)
            except StoreError as error:
                log.warning(
                    "replies could not be saved; they continue in memory", runs=len(self.runs), fault=str(error)
                )
            except Exception:  # a defect of Inview in one save must not end all saving
                log.exception("saving failed because of a defect in Inview; Inview tries again", runs=len(self.runs))

    @shielded
    async def save(self, *, beats: bool = True) -> None:
        """Store the data that active runs have received and, if `beats`, a heartbeat of this process.

        The save finishes even if its caller is cancelled: the database commits in any case, and this process must know
        the stored state.

        Raises:
            StoreError: the database cannot be written.
        """
        async with self._saving:
            unsaved = [(run, run.state) for run in self.runs.values() if run.state.outcome is None]
            changed = [(run, state) for run, state in unsaved if state is not run.saved]
            calls = [(run, tuple(run.calls)) for run, _ in unsaved if run.calls]
            recorded = [(run, records) for run, _ in unsaved if (records := _list_untold(run))]
            contents = [(run, tuple(run.contents)) for run, _ in unsaved]
            began = self.clock.now()
            if not unsaved or not (changed or calls or recorded or beats):
                return
            whole = _choose_whole(changed, began)
            progress = [_describe_progress(run, state, whole=run in whole) for run, state in changed]
            async with self.store.write() as session:
                await save_progress(session, progress)
                # A save can report an error although it was committed. Calls that it stored are not stored again.
                await insert_missing_calls(session, [call for _, of_run in calls for call in of_run])
                # `contents` alone causes no save: the next heartbeat, text or end of a run stores it soon enough.
                await insert_sent_calls(session, [call for _, of_run in contents for call in of_run])
                for run, records in recorded:
                    await save_tool_calls(session, run.run_id, records.values())
                if beats:
                    await save_heartbeat(session, self.process_id, now())
            self._beat_at = began if beats else self._beat_at
            for run, state in changed:
                run.saved = state
                run.whole_at = began if run in whole else run.whole_at
            for run, records in recorded:
                run.recorded |= records
            for run, of_run in calls:
                del run.calls[: len(of_run)]
            for run, started in contents:
                del run.contents[: len(started)]
                if not run.contents:  # long texts take much memory, and the record of a retry needs only the hash
                    run.request = None

    async def finish(self, run: LiveRun) -> RunState:
        """Store the end of a run, however long it takes. Return the stored state."""
        # Long texts take much memory. The whole reply is stored now, and its request is needed only for tool calls.
        run.saved, run.request = run.state, None
        if not run.records:
            run.loop = None
        deadline = self.clock.now() + PATIENCE_SECONDS
        delay = FIRST_DELAY
        end = _End(run)
        while True:
            try:
                return await self._finish(end)
            except Exception as error:  # includes defects of Inview: without a stored end, the run would never end
                log.warning("the end of a reply could not be stored; trying again", run_id=run.run_id, fault=str(error))
                if self.clock.now() > deadline and run.shown.outcome is None:
                    log.exception("the end of a reply is still not stored", run_id=run.run_id)
                    message = f"The reply ended, but it could not be stored: {error}"
                    run.show(replace(run.state, outcome=Failed(failure(ErrorClass.UNKNOWN, message))))
            await self.clock.sleep(delay)
            delay = min(delay * 2, MAX_DELAY)

    async def _finish(self, end: _End) -> RunState:
        self._ends.append(end)
        try:
            async with self._saving:
                if end.claimed is None:  # not yet stored together with an end that waited longer
                    await self._store_with_others(end)
        finally:
            self._ends.remove(end)
        return end.run.state if end.claimed else await self._load_end(end.run)

    async def _store_with_others(self, end: _End) -> None:
        """Store an end and, in the same transaction, other ends that wait.

        If the transaction fails, any of the ends may be the cause. From then on, each of them is stored in a separate
        transaction: `end` now, the others in their turn.
        """
        together = [end] if end.alone else _choose_together(end, self._ends)
        if len(together) > 1:
            try:
                await self._store_ends(together)
            except Exception as error:  # noqa: BLE001 - the end with the fault raises it again when it is stored alone
                log.warning(
                    "the ends of replies could not be stored together; each is stored alone",
                    runs=len(together),
                    fault=str(error),
                )
            else:
                return
        for one in together:
            one.alone = True
        await self._store_ends((end,))

    async def _store_ends(self, ends: Sequence[_End]) -> None:
        """Store these ends in one transaction."""
        runs = [end.run for end in ends]
        async with self.store.write() as session:
            # The ledger needs these calls even if another process ended the run. Calls that an earlier save stored
            # are skipped.
            await insert_missing_calls(session, [call for run in runs for call in run.calls])
            await insert_sent_calls(session, [call for run in runs for call in run.contents])
            claimed = await finish_runs(session, [(run.place, run.state) for run in runs], now())
            ended = [run for run in runs if run.run_id in claimed]
            for run in ended:
                if records := _list_untold(run):
                    await save_tool_calls(session, run.run_id, records.values())
                if isinstance(run.state.outcome, Failed):
                    await save_snapshot(session, run.place.owner, _describe_request(run))
            await end_children(session, [_describe_child(run) for run in ended if run.purpose != "reply"])
            others = [run.place.pair_id for run in ended if not isinstance(run.state.outcome, Failed)]
            await delete_snapshots(session, others)
        for end in ends:
            end.claimed = end.run.run_id in claimed
            end.run.calls.clear()
            end.run.contents.clear()

    async def _load_end(self, run: LiveRun) -> RunState:
        """Return the stored state of a run that was deleted, or whose end another process or attempt has stored."""
        try:
            async with self.store.read() as session:
                stored = await load_run(session, run.place.owner, run.run_id)
        except NotFoundError:
            return run.state
        log.warning("another process or attempt has stored the end", run_id=run.run_id, process_id=stored.process_id)
        return stored.state


def _choose_whole(changed: Sequence[tuple[LiveRun, RunState]], at: float) -> frozenset[LiveRun]:
    """Choose the runs whose replies are stored whole now: the longest overdue first, up to WHOLE_CHARACTERS.

    A reply is always chosen if no part of it is stored yet.
    """
    room, chosen = WHOLE_CHARACTERS, set[LiveRun]()
    for run, state in sorted(changed, key=lambda one: one[0].whole_at):
        first = not run.saved.parts
        if first or (room > 0 and at - run.whole_at >= WHOLE_SECONDS):
            chosen.add(run)
            room -= measure_parts(state.parts)
    return frozenset(chosen)


def _choose_together(end: _End, waiting: Sequence[_End]) -> list[_End]:
    """Choose the ends that are stored in one transaction with `end`: in order, up to WHOLE_CHARACTERS.

    None of these ends is stored yet: the lock is granted in order, so an end that was stored together with an earlier
    end has left `waiting`.
    """
    room, chosen = WHOLE_CHARACTERS - measure_parts(end.run.state.parts), [end]
    for one in waiting:
        if room > 0 and one is not end and not one.alone:
            chosen.append(one)
            room -= measure_parts(one.run.state.parts)
    return chosen


def _describe_progress(run: LiveRun, state: RunState, *, whole: bool) -> Progress:
    growth = None if whole else describe_growth(run.saved, state)
    return Progress(
        run.place, state, run.attempt_started_at, growth, facts_changed=_facts_of(state) != _facts_of(run.saved)
    )


def _describe_child(run: LiveRun) -> EndedChild:
    succeeded = isinstance(run.state.outcome, Succeeded)
    return EndedChild(run.place, run.run_id, run.purpose, succeeded, run.chunks, run.heard_at)


def _facts_of(state: RunState) -> tuple[object, ...]:
    """Return the data of an active run that is stored in addition to its reply."""
    return state.attempt, state.retries, state.usage, state.rounds


def _list_untold(run: LiveRun) -> dict[str, ToolCallRecord]:
    """Return the records of a run's tool calls that are not stored yet."""
    if not run.records:
        return {}
    return {call_id: record for call_id, record in run.records.items() if run.recorded.get(call_id) is not record}


def _describe_request(run: LiveRun) -> Snapshot:
    return Snapshot(
        pair_id=run.place.pair_id,
        run_id=run.run_id,
        model=run.wire.model,
        content_hash=run.state.start.request_hash,
        url=run.wire.url,
        headers=run.wire.headers,
        body=run.wire.body,
        created_at=run.attempt_started_at,
    )
