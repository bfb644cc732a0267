"""The reaper: ends the runs that no process drives any more, and keeps every stored character.

The runs of a process that died are still stored as running. When a process starts and no other process uses the
database, all of them are dead. Otherwise a run is dead if its heartbeat has not changed for a while, measured by this
process's own clock. The time in the heartbeat is not used, because clocks jump.

Not here: the regular end of a run (`runs/engine/engine.py`, `runs/engine/writer.py`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

import structlog

from app.domain.conversation.conversation import ConversationStatus
from app.domain.errors import ErrorClass, InviewError, StoreError
from app.domain.run.run import RunStart, RunState, apply_event, is_call_on, lifecycle_of
from app.domain.run.run_events import Interrupted
from app.runs.engine.permission_broker import expire_abandoned
from app.runs.engine.writer import Writer
from app.runs.request.attachments import load_named
from app.runs.request.send_plan import Plan, build_view, extras_of, plan_send
from app.runs.runtime.catalogue import Catalogue
from app.runs.runtime.event_bus import ComparisonChanged, EventBus, PairsChanged, QueueChanged
from app.runs.runtime.ids import new_id, now
from app.store.agents.agents import find_agent
from app.store.cache.prompt_caches import load_marks
from app.store.conversation.conversations import load_conversation, update_conversation
from app.store.conversation.pairs import load_pair, load_sent_pairs, set_run
from app.store.database.database import Store
from app.store.ledger.ledger import EndedCall, Purpose, insert_missing_calls
from app.store.ledger.sent_calls import CallToRecord, insert_sent_calls
from app.store.run.ends import finish_run
from app.store.run.runs import NewRun, RunPlace, insert_run, load_sent_with
from app.store.run.snapshots import Snapshot, save_snapshot
from app.store.run.stored_runs import AbandonedPair, StoredRun, load_abandoned_pairs, load_heartbeats, load_running
from app.store.run.toolsets import load_sent_tools
from app.store.tools.permissions import find_root
from app.store.tools.tool_calls import close_tool_calls, load_begun

log = structlog.get_logger()

ENDED_WITH_THEIR_RUN: frozenset[Purpose] = frozenset({"title", "summary", "delegated", "comparison"})
"""Purposes of runs whose `tool` conversation was created only for them.

If such a run fails, its conversation fails too.
"""

HEARTBEAT_SECONDS = 15.0
"""Seconds without a new heartbeat after which a run counts as dead. A living process sends a heartbeat every second."""
ROUND_SECONDS = 60.0
"""Seconds between two searches for dead runs while no other process drives a run. Otherwise HEARTBEAT_SECONDS apply."""


@dataclass(frozen=True)
class Silences:
    """The heartbeats of the runs of other processes.

    `since` has the last heartbeat of each run, with the time at which this process first saw it.

    >>> silences = Silences()
    >>> silences.listen({"r1": 1, "r2": 1}, 0.0), silences.listen({"r1": 1, "r2": 2}, HEARTBEAT_SECONDS)
    (frozenset(), frozenset({'r1'}))
    """

    since: dict[str, tuple[object, float]] = field(default_factory=dict[str, tuple[object, float]])

    def listen(self, signs: Mapping[str, object], at: float) -> frozenset[str]:
        """Record the heartbeats (`signs`). Return the runs whose heartbeat has been the same for HEARTBEAT_SECONDS.

        Runs that are not in `signs` are dropped. `at` is the current time of this process's clock.
        """
        before = dict(self.since)
        self.since.clear()
        for name, sign in signs.items():
            seen = before.get(name)
            self.since[name] = seen if seen is not None and seen[0] == sign else (sign, at)
        return frozenset(name for name, (_, first) in self.since.items() if at - first >= HEARTBEAT_SECONDS)


@dataclass(frozen=True)
class Reaper:
    store: Store
    catalogue: Catalogue
    writer: Writer
    event_bus: EventBus
    clock: Callable[[], float] = time.monotonic
    silences: Silences = field(default_factory=Silences)

    async def keep_reaping(self) -> None:
        """Call `reap` regularly, as long as the process lives."""
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS if self.silences.since else ROUND_SECONDS)
            try:
                await self.reap()
            except StoreError as error:
                log.warning("the search for runs without a process failed", fault=str(error))
            except Exception:  # a defect of Inview with one run must not end all reaping
                log.exception("ending a run without a process failed because of a defect in Inview")

    async def reap(self, *, alone: bool = False) -> int:
        """End the runs that no process drives, and return their number. `alone`: there is no other process.

        Raises:
            StoreError: the database cannot be used.
        """
        driven = tuple(self.writer.runs)
        async with self.store.read() as session:
            signs: Mapping[str, object] = await load_heartbeats(session, driven)
            abandoned = {pair.id: pair for pair in await load_abandoned_pairs(session)}
            dead = self.silences.listen({**signs, **dict.fromkeys(abandoned)}, self.clock())
            gone = {*signs, *abandoned} if alone else dead
            orphans = await load_running(session, gone & signs.keys())
        ended = sum([await self._try(run.place.pair_id, self._end(run)) for run in orphans])
        for pair_id in gone & abandoned.keys():
            ended += await self._try(pair_id, self._end_without_run(abandoned[pair_id]))
        await expire_abandoned(self.store, self.event_bus)
        return ended

    async def _try(self, pair_id: str, ending: Awaitable[bool]) -> bool:
        """End one run.

        If its data is damaged, the other runs are still ended, and the server starts.
        """
        try:
            return await ending
        except StoreError:
            raise
        except Exception:
            log.exception("a reply without a process could not be ended: see `inview doctor`", pair_id=pair_id)
            return False

    async def _end_without_run(self, pair: AbandonedPair) -> bool:
        return await self._end(await self._give_run(pair))

    async def _end(self, run: StoredRun) -> bool:
        run_id = run.state.start.run_id
        async with self.store.read() as session:
            begun = await load_begun(session, run_id)
        state, _ = apply_event(run.state, Interrupted(begun))
        place, ended_at = run.place, now()
        plan = await self._rebuild(run)
        async with self.store.write() as session:
            if not await finish_run(session, place, state, ended_at):
                return False
            await insert_missing_calls(session, _describe_calls(run, state))
            if plan is not None and not run.state.rounds:
                await insert_sent_calls(session, [_describe_content(run, plan)])
            await close_tool_calls(session, run_id, run.heartbeat_at)
            if run.purpose in ENDED_WITH_THEIR_RUN:
                failed = {"status": ConversationStatus.FAILED}
                await update_conversation(session, place.owner, place.conversation_id, failed)
            if plan is not None:
                await save_snapshot(session, place.owner, _describe_request(run, plan))
            is_compared = run.purpose == "comparison"
            shown_in = await find_root(session, place.conversation_id) if is_compared else place.conversation_id
        log.warning(
            "the end of its process interrupted a reply; the stored part is kept",
            run_id=run_id,
            pair_id=place.pair_id,
            process_id=run.process_id,
        )
        self.event_bus.publish(place.owner, place.conversation_id, PairsChanged((place.pair_id,)))
        self.event_bus.publish(place.owner, place.conversation_id, QueueChanged())
        if shown_in != place.conversation_id:
            self.event_bus.publish(place.owner, shown_in, ComparisonChanged())
        return True

    async def _give_run(self, pair: AbandonedPair) -> StoredRun:
        """Create a run for a pair that was stored without one, so that the reason of its end can be stored."""
        at = now()
        start = RunStart(new_id(), pair.id, pair.conversation_id, pair.model, request_hash="")
        place = RunPlace(pair.owner, pair.conversation_id, pair.id, pair.reply_id or "")
        async with self.store.write() as session:
            await set_run(session, pair.id, start.run_id)
            await insert_run(session, NewRun(place, start, self.writer.process_id, at))
        return StoredRun(place, RunState(start), self.writer.process_id, at, at)

    async def _rebuild(self, run: StoredRun) -> Plan | None:
        """Build the request of the run from stored data.

        Return None if the hash of the built request differs from that of the sent request.
        """
        place, start = run.place, run.state.start
        if not start.request_hash:
            return None
        try:
            async with self.store.read() as session:
                conversation = await load_conversation(session, place.owner, place.conversation_id)
                pair = await load_pair(session, place.owner, place.pair_id)
                above = await load_sent_pairs(session, place.owner, place.conversation_id, run.sent or ())
                provider, profile = await self.catalogue.find(session, place.owner, start.model)
                marks = await load_marks(session, start.run_id)
                tools = await load_sent_tools(session, start.run_id)
                sent_with = await load_sent_with(session, start.run_id)
                agent = await find_agent(session, place.owner, pair.agent_id)
            view = build_view(
                conversation, agent, above, pair.request.parts, pair.parameters, tools, extras_of(sent_with)
            )
            attachments = await load_named(self.store, place.owner, view)
            plan = await plan_send(view, profile, provider, caching=marks, attachments=attachments)
        except InviewError as error:
            log.warning("the request of a dead run could not be built again", run_id=start.run_id, fault=str(error))
            return None
        if plan.content_hash != start.request_hash:
            log.warning("the request of a dead run could not be built again: its history changed", run_id=start.run_id)
            return None
        return plan


def _describe_calls(run: StoredRun, ended: RunState) -> tuple[EndedCall, ...]:
    """Describe the provider call that was active when the process died, if there was one."""
    state = run.state
    if not state.start.request_hash or not is_call_on(state):
        return ()
    return (
        EndedCall(
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
            purpose=run.purpose,
        ),
    )


def _describe_content(run: StoredRun, plan: Plan) -> CallToRecord:
    """Describe what the last call of a run without tool calls contained. Usually this is recorded already."""
    place, state = run.place, run.state
    request_hash = state.start.request_hash
    return CallToRecord(
        place.owner,
        place.conversation_id,
        place.pair_id,
        state.start.run_id,
        state.attempt,
        request_hash,
        plan.hashed,
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
