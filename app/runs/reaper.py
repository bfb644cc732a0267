"""The reaper: ends the runs that nobody drives any more, keeping every character stored.

A process that died leaves runs that stand as running. At the start of the only process on a database all of those are
dead; otherwise it takes a heartbeat that stopped. Looks again every minute.

Not how a run ends in order (`engine.py`, `writer.py`).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import timedelta

import structlog

from app.domain.errors import ErrorClass, InputError, StoreError
from app.domain.run import Interrupted, RunStart, RunState, apply_event, lifecycle_of
from app.runs.catalogue import Catalogue
from app.runs.feeds import Feeds, PairsChanged
from app.runs.history import Histories
from app.runs.ids import new_id, now
from app.runs.sending import Plan, build_view, plan_send
from app.runs.writer import Writer
from app.store.conversations import load_with_revision
from app.store.database import Store
from app.store.ledger import Call, insert_missing_calls
from app.store.pairs import set_run
from app.store.runs import (
    AbandonedPair,
    RunPlace,
    StoredRun,
    finish_run,
    insert_run,
    load_abandoned_pairs,
    load_orphans,
)
from app.store.snapshots import Snapshot, save_snapshot

log = structlog.get_logger()

HEARTBEAT_SECONDS = 15.0
"""A run without a heartbeat for so long is dead; a living process sends one every second."""
ROUND_SECONDS = 60.0


@dataclass(frozen=True)
class Reaper:
    store: Store
    catalogue: Catalogue
    histories: Histories
    writer: Writer
    feeds: Feeds

    async def keep_reaping(self) -> None:
        """Reap every minute as long as the process lives."""
        while True:
            await asyncio.sleep(ROUND_SECONDS)
            try:
                await self.reap()
            except StoreError as error:
                log.warning("runs that nobody drives could not be looked for", fault=str(error))
            except Exception:  # a fault of ours with one run must not be the end of all reaping
                log.exception("ending a run that nobody drives failed by a fault of Inview")

    async def reap(self, *, alone: bool = False) -> int:
        """End the runs that nobody drives; how many there were. `alone`: no other process can be driving any.

        Raises:
            StoreError: the database cannot be used.
        """
        driven = tuple(self.writer.runs)
        dead_before = now() - timedelta(seconds=0 if alone else HEARTBEAT_SECONDS)
        async with self.store.read() as session:
            orphans = await load_orphans(session, driven, None if alone else dead_before)
            abandoned = await load_abandoned_pairs(session, dead_before)
        runs = (*orphans, *[await self._give_run(pair) for pair in abandoned])
        return sum([await self._end(run) for run in runs])

    async def _end(self, run: StoredRun) -> bool:
        state, _ = apply_event(run.state, Interrupted())
        place, ended_at = run.place, now()
        plan = await self._rebuild(run)
        async with self.store.write() as session:
            if not await finish_run(session, place, state, ended_at):
                return False
            await insert_missing_calls(session, state.start.run_id, _describe_calls(run, state))
            if plan is not None:
                await save_snapshot(session, place.owner, _describe_request(run, plan))
        log.warning(
            "a reply was cut off by the end of its process; what was stored of it is kept",
            run_id=state.start.run_id,
            pair_id=place.pair_id,
            process_id=run.process_id,
        )
        self.feeds.publish(place.owner, place.conversation_id, PairsChanged((place.pair_id,)))
        return True

    async def _give_run(self, pair: AbandonedPair) -> StoredRun:
        """A pair that was stored without a run gets one, to carry why it ended."""
        at = now()
        start = RunStart(new_id(), pair.id, pair.model, request_hash="")
        place = RunPlace(pair.owner, pair.conversation_id, pair.id, pair.reply_id or "")
        async with self.store.write() as session:
            await set_run(session, pair.id, start.run_id)
            await insert_run(session, place, start, self.writer.process_id, at)
        return StoredRun(place, RunState(start), self.writer.process_id, at, at)

    async def _rebuild(self, run: StoredRun) -> Plan | None:
        """The request that the run sent, made anew from what is stored; None if that is not the same any more."""
        place, start = run.place, run.state.start
        if not start.request_hash:
            return None
        try:
            async with self.store.read() as session:
                conversation, revision = await load_with_revision(session, place.owner, place.conversation_id)
                pairs = (await self.histories.load(session, place.owner, place.conversation_id, revision)).pairs
                pair = next(pair for pair in pairs if pair.id == place.pair_id)
                provider, profile = await self.catalogue.find(session, place.owner, start.model)
            above = tuple(other for other in pairs if other.position < pair.position)
            view = build_view(conversation, above, pair.request.parts, pair.parameters)
            plan = await plan_send(view, profile, provider)
        except InputError as error:
            log.warning("the request of a dead run could not be made anew", run_id=start.run_id, fault=str(error))
            return None
        if plan.content_hash != start.request_hash:
            log.warning("the request of a dead run could not be made anew: its history changed", run_id=start.run_id)
            return None
        return plan


def _describe_calls(run: StoredRun, ended: RunState) -> tuple[Call, ...]:
    """The call that was on when the process died, if one was."""
    state = run.state
    if not state.start.request_hash or len(state.retries) == state.attempt:
        return ()
    return (
        Call(
            id=new_id(),
            owner=run.place.owner,
            conversation_id=run.place.conversation_id,
            pair_id=run.place.pair_id,
            run_id=state.start.run_id,
            attempt=state.attempt,
            model=state.start.model,
            outcome=lifecycle_of(ended),
            started_at=run.attempt_started_at,
            ended_at=run.heartbeat_at,
            error_class=ErrorClass.INTERRUPTED,
            usage=state.usage,
        ),
    )


def _describe_request(run: StoredRun, plan: Plan) -> Snapshot:
    return Snapshot(
        pair_id=run.place.pair_id,
        run_id=run.state.start.run_id,
        model=plan.wire.model,
        content_hash=plan.content_hash,
        url=plan.wire.url,
        headers=plan.wire.headers,
        body=plan.wire.body,
        created_at=run.attempt_started_at,
    )
