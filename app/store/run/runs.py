"""Queries of runs: insert, save progress, end, load, and find those that no process drives.

A run's row has the data of its event log except the text, which is in its pair's reply. Only a run with the status
`running` can be saved or ended: the first call of `finish_run` ends the run, each later call returns `False`.
`finish_runs` ends several runs with few statements.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final

from sqlalchemy import ColumnElement, Update, and_, bindparam, delete, insert, not_, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.sql.dml import ReturningUpdate

from app.domain.conversation.conversation import ConversationStatus, Message, Replaced
from app.domain.conversation.lifecycle import RUNNING, Lifecycle
from app.domain.conversation.parts import Part
from app.domain.errors import ErrorClass, Failure, NotFoundError, StoreError, failure
from app.domain.request.request import ToolDefinition
from app.domain.run.growth import Growth
from app.domain.run.queue import decide_hold
from app.domain.run.rounds import Round, count_answered
from app.domain.run.run import Canceled, Failed, Outcome, Phase, Retry, RunStart, RunState, Succeeded, lifecycle_of
from app.domain.stream.stream_events import StopReason
from app.store.cache.prompt_caches import CacheUse, RunCall, decode_sent, insert_cache_use
from app.store.conversation.conversations import next_revisions, not_in_trash
from app.store.conversation.pairs import insert_message
from app.store.conversation.rows import CAN_BE_REPLAYED, CONVERSATION, MESSAGE, PAIR, RUN, VERSION
from app.store.database.damage import (
    UNKNOWN_MODEL,
    UNKNOWN_TIME,
    Reading,
    a_list,
    a_model,
    a_number,
    a_text,
    a_text_or_none,
    a_time,
)
from app.store.database.mapping import (
    decode_failure,
    decode_replaced,
    decode_retry,
    decode_round,
    decode_stop_reason,
    decode_usage,
    decode_word,
    encode_failure,
    encode_replaced,
    encode_retry,
    encode_round,
    encode_usage,
)
from app.store.database.parts_json import encode_parts, read_parts
from app.store.database.row_names import show_id
from app.store.ledger.ledger import Purpose, decode_purpose
from app.store.run.journal import Addition, add_to_journal, add_up, clear_journal, load_additions
from app.store.run.queues import hold_waiting
from app.store.run.toolsets import save_sent_tools

STATUS_RUNNING = "running"

Sent = tuple[tuple[int, int], ...]
"""The pairs in a request, as ranges of positions, both ends included."""


@dataclass(frozen=True, slots=True)
class SentWith:
    """The parts of a request that are stored with the run: the prelude, and the secrets that were replaced.

    `replaced` is None if secrets were not searched for.
    """

    prelude: str | None = None
    replaced: tuple[Replaced, ...] | None = None


SENT_ALONE = SentWith()


@dataclass(frozen=True, slots=True)
class RunPlace:
    """The ids of the owner, conversation, pair and reply that a run belongs to."""

    owner: str
    conversation_id: str
    pair_id: str
    reply_id: str


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A stored run. `state.outcome` is None while it is running.

    - `process_id`: the process that drives it.
    - `attempt_started_at`: the start of its last call.
    - `sent`: the positions of the pairs in its request; None if they are no longer known.
    - `purpose`: the purpose of its calls.
    """

    place: RunPlace
    state: RunState
    process_id: str
    attempt_started_at: datetime
    heartbeat_at: datetime
    sent: Sent | None = None
    purpose: Purpose = "reply"


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a running run since the last save.

    - `growth`: the addition to its reply; None: store the whole reply.
    - `facts_changed`: other data of the run has changed.
    """

    place: RunPlace
    state: RunState
    attempt_started_at: datetime
    growth: Growth | None = None
    facts_changed: bool = True


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run to store when its reply starts.

    - `process_id`: the process that drives it.
    - `sent`: the pairs of its request; None if they are no longer known.
    - `cache`: the plan for the provider's prompt cache, if there is one.
    - `replay_of`: the run whose reply is used again, without a call.
    - `tools`: the tools in the request.
    - `purpose`: the purpose of its calls.
    - `sent_with`: the prelude and the replaced secrets of the request.
    """

    place: RunPlace
    start: RunStart
    process_id: str
    started_at: datetime
    sent: Sent | None = None
    cache: CacheUse | None = None
    replay_of: str | None = None
    tools: Sequence[ToolDefinition] = ()
    purpose: Purpose = "reply"
    sent_with: SentWith = SENT_ALONE


# --- storing a run ---


async def insert_run(session: AsyncSession, run: NewRun) -> None:
    """Insert a run. The caller stores its id in the pair."""
    place, start = run.place, run.start
    row = {
        "id": start.run_id,
        "owner": place.owner,
        "conversation_id": place.conversation_id,
        "pair_id": place.pair_id,
        "reply_id": place.reply_id,
        "model": start.model,
        "request_hash": start.request_hash,
        "process_id": run.process_id,
        "status": STATUS_RUNNING,
        "attempt": 1,
        "attempt_started_at": run.started_at,
        "retries": [],
        "started_at": run.started_at,
        "heartbeat_at": run.started_at,
        "sent": None if run.sent is None else [list(span) for span in run.sent],
        "replay_of": run.replay_of,
        "purpose": run.purpose,
        "prelude": run.sent_with.prelude,
        "redacted": encode_replaced(run.sent_with.replaced),
    }
    await session.execute(insert(RUN), row)
    if run.cache is not None:
        call = RunCall(place.owner, place.conversation_id, start.run_id, start.model)
        await insert_cache_use(session, call, run.started_at, run.cache)
    if run.tools:
        await save_sent_tools(session, place.owner, start.run_id, run.tools, run.started_at)


async def load_sent_with(session: AsyncSession, run_id: str) -> SentWith:
    """Return the prelude and the replaced secrets of a run's request."""
    row = (await session.execute(select(RUN.c.prelude, RUN.c.redacted).where(RUN.c.id == run_id))).one()
    return SentWith(row.prelude, decode_replaced(row.redacted))


async def note_replaced(session: AsyncSession, run_id: str, replaced: Sequence[Replaced]) -> None:
    """Store which secrets were replaced in all requests of a run, including its later rounds."""
    await session.execute(update(RUN).where(RUN.c.id == run_id).values(redacted=encode_replaced(tuple(replaced))))


async def save_progress(session: AsyncSession, progress: Sequence[Progress]) -> None:
    """Store the progress of these runs. A run that has ended meanwhile is not changed."""
    whole = [one for one in progress if one.growth is None]
    if whole:
        still_running = select(1).where(RUN.c.id == bindparam("of_run"), RUN.c.status == STATUS_RUNNING).exists()
        replies = update(MESSAGE).where(MESSAGE.c.id == bindparam("of_message"), still_running)
        await session.execute(
            replies.values(parts=bindparam("parts")),
            [
                {
                    "of_run": one.state.start.run_id,
                    "of_message": one.place.reply_id,
                    "parts": encode_parts(one.state.parts),
                }
                for one in whole
            ],
        )
        await clear_journal(session, [one.state.start.run_id for one in whole])
        await session.execute(
            update(PAIR)
            .where(PAIR.c.id == bindparam("of_pair"), PAIR.c.lifecycle == Lifecycle.SENDING)
            .values(lifecycle=Lifecycle.AWAITING.value),
            [{"of_pair": one.place.pair_id} for one in whole],
        )
    additions = [
        Addition(one.place.owner, one.state.start.run_id, one.growth) for one in progress if one.growth is not None
    ]
    await add_to_journal(session, additions)
    await _save_facts(session, [one for one in progress if one.facts_changed])


_TOLD_MIDWAY: Final = ("attempt", "attempt_started_at", "retries", "usage", "report_fault", "rounds")


async def _save_facts(session: AsyncSession, progress: Sequence[Progress]) -> None:
    """Store the data of these runs, except their replies."""
    if not progress:
        return
    await session.execute(
        update(RUN)
        .where(RUN.c.id == bindparam("of_run"), RUN.c.status == STATUS_RUNNING)
        .values({name: bindparam(name) for name in _TOLD_MIDWAY}),
        [
            {
                "of_run": one.state.start.run_id,
                "attempt": one.state.attempt,
                "attempt_started_at": one.attempt_started_at,
                "retries": [encode_retry(retry) for retry in one.state.retries],
                "usage": encode_usage(one.state.usage),
                "report_fault": one.state.report_fault,
                "rounds": [encode_round(ended) for ended in one.state.rounds],
            }
            for one in progress
        ],
    )


async def save_heartbeat(session: AsyncSession, process_id: str, now: datetime) -> None:
    """Store the time as the heartbeat of all running runs of this process."""
    mine = and_(RUN.c.process_id == process_id, RUN.c.status == STATUS_RUNNING)
    await session.execute(update(RUN).where(mine).values(heartbeat_at=now))


async def finish_run(session: AsyncSession, place: RunPlace, state: RunState, now: datetime) -> bool:
    """Store the end of a run, as `finish_runs` does. Return False if it had ended before."""
    return bool(await finish_runs(session, ((place, state),), now))


async def finish_runs(
    session: AsyncSession, ends: Sequence[tuple[RunPlace, RunState]], now: datetime
) -> frozenset[str]:
    """Store the ends of runs: their outcomes, the whole replies, the lifecycles of the pairs.

    Return the ids of the runs that had not ended before; only these are changed. Unless a run succeeded, this also
    holds the queue of its conversation, in the same transaction.
    """
    claimed = [(place, state) for place, state in ends if await _claim(session, state, now)]
    if not claimed:
        return frozenset()
    revisions = await next_revisions(session, {place.conversation_id for place, _ in claimed}, now)
    replies = [{"of_message": place.reply_id, "parts": encode_parts(state.parts)} for place, state in claimed]
    await session.execute(_write_reply(), replies)
    run_ids = frozenset(state.start.run_id for _, state in claimed)
    await clear_journal(session, run_ids)
    pairs = [
        {
            "of_pair": place.pair_id,
            "lifecycle": lifecycle_of(state),
            "revision": revisions[place.conversation_id],
            "at": now,
        }
        for place, state in claimed
    ]
    await session.execute(_end_pair(), pairs)
    for place, state in claimed:
        if state.outcome is not None and (hold := decide_hold(state.outcome)) is not None:
            await hold_waiting(session, place.owner, place.conversation_id, hold, now)
    return run_ids


@dataclass(frozen=True, slots=True)
class EndedChild:
    """A run of a child conversation that has ended, with its received chunks."""

    place: RunPlace
    run_id: str
    purpose: Purpose
    succeeded: bool
    chunk_count: int
    last_chunk_at: datetime | None


async def end_children(session: AsyncSession, ended: Sequence[EndedChild]) -> None:
    """Store the chunks of runs in child conversations, and the status of the conversations of compared replies.

    The code that waits for a title, a summary or a delegated task stores the status of its conversation.
    """
    if not ended:
        return
    await session.execute(
        update(RUN)
        .where(RUN.c.id == bindparam("of_run"))
        .values(chunk_count=bindparam("chunks"), last_chunk_at=bindparam("heard_at")),
        [{"of_run": one.run_id, "chunks": one.chunk_count, "heard_at": one.last_chunk_at} for one in ended],
    )
    compared = [one for one in ended if one.purpose == "comparison"]
    if compared:
        theirs = update(CONVERSATION).where(CONVERSATION.c.id == bindparam("of_conversation"))
        await session.execute(
            theirs.values(status=bindparam("end")),
            [
                {
                    "of_conversation": one.place.conversation_id,
                    "end": ConversationStatus.COMPLETED if one.succeeded else ConversationStatus.FAILED,
                }
                for one in compared
            ],
        )


async def _claim(session: AsyncSession, state: RunState, now: datetime) -> bool:
    """Store the end in the run's row. Return False if it had ended before."""
    claim = {
        "of_run": state.start.run_id,
        "status": lifecycle_of(state),
        "attempt": state.attempt,
        "retries": [encode_retry(retry) for retry in state.retries],
        "usage": encode_usage(state.usage),
        "report_fault": state.report_fault,
        "rounds": [encode_round(ended) for ended in state.rounds],
        "stop_reason": state.stop_reason,
        "failure": encode_failure(state.outcome.reason) if isinstance(state.outcome, Failed) else None,
        "at": now,
    }
    return (await session.execute(_claim_end(), claim)).one_or_none() is not None


async def replace_reply(  # noqa: PLR0913, PLR0917 - the new reply, its run and its time
    session: AsyncSession, place: RunPlace, reply: Message, ended: RunState, revision: int, now: datetime
) -> None:
    """Replace the reply of a run that has ended, and delete the previous one."""
    reason = ended.outcome.reason if isinstance(ended.outcome, Failed) else None
    await insert_message(session, place.owner, place.conversation_id, place.pair_id, reply)
    run_id, stood = ended.start.run_id, place.reply_id
    changes = {"reply_id": reply.id, "failure": encode_failure(reason) if reason is not None else None}
    await session.execute(update(RUN).where(RUN.c.id == run_id).values(changes))
    await session.execute(
        update(PAIR).where(PAIR.c.id == place.pair_id).values(reply_id=reply.id, revision=revision, updated_at=now)
    )
    of_pair = VERSION.c.pair_id == place.pair_id, VERSION.c.reply_id == stood
    await session.execute(update(VERSION).where(*of_pair).values(reply_id=reply.id))
    derived = CONVERSATION.c.trigger_message_id == stood, CONVERSATION.c.parent_id == place.conversation_id
    await session.execute(update(CONVERSATION).where(*derived).values(trigger_message_id=reply.id))
    await session.execute(delete(MESSAGE).where(MESSAGE.c.id == stood))


@cache
def _claim_end() -> ReturningUpdate[str]:
    """Build the statement of `_claim` once: building it takes longer than executing it."""
    names = ("status", "attempt", "retries", "usage", "report_fault", "rounds", "stop_reason", "failure")
    changes: dict[str, Any] = {name: bindparam(name) for name in names}
    changes["heartbeat_at"] = changes["ended_at"] = bindparam("at")
    mine = update(RUN).where(RUN.c.id == bindparam("of_run"), RUN.c.status == STATUS_RUNNING)
    return mine.values(changes).returning(RUN.c.id)


@cache
def _write_reply() -> Update:
    return update(MESSAGE).where(MESSAGE.c.id == bindparam("of_message")).values(parts=bindparam("parts"))


@cache
def _end_pair() -> Update:
    changes: dict[str, Any] = {
        "lifecycle": bindparam("lifecycle"),
        "revision": bindparam("revision"),
        "updated_at": bindparam("at"),
    }
    return update(PAIR).where(PAIR.c.id == bindparam("of_pair")).values(changes)


# --- loading ---


async def load_run(session: AsyncSession, owner: str, run_id: str) -> StoredRun:
    """Return one run with its text.

    Raises:
        NotFoundError: this owner has no run with that id, or its conversation is in the trash.
    """
    found = await _load(session, RUN.c.id == run_id, RUN.c.owner == owner, not_in_trash(RUN.c.conversation_id))
    if not found:
        raise NotFoundError("run", run_id)
    return found[0]


async def find_replayable(session: AsyncSession, owner: str, request_hash: str) -> StoredRun | None:
    """Return the newest successful run with this request, or None if there is none. Its reply can be used again.

    Runs that themselves used an earlier reply again are left out.
    """
    query = select(RUN.c.id).where(RUN.c.owner == owner, RUN.c.request_hash == request_hash, text(CAN_BE_REPLAYED))
    run_id = (await session.execute(query.order_by(RUN.c.started_at.desc()).limit(1))).scalar_one_or_none()
    return None if run_id is None else await load_run(session, owner, run_id)


async def load_heartbeats(session: AsyncSession, driven: Sequence[str]) -> dict[str, datetime]:
    """Return the last heartbeat of each running run, except the runs in `driven`, which this process drives."""
    others = RUN.c.status == STATUS_RUNNING, RUN.c.id.not_in(driven)
    return {
        row.id: row.heartbeat_at for row in await session.execute(select(RUN.c.id, RUN.c.heartbeat_at).where(*others))
    }


async def load_running(session: AsyncSession, run_ids: Collection[str]) -> tuple[StoredRun, ...]:
    """Return these runs, without those that have ended."""
    return await _load(session, RUN.c.status == STATUS_RUNNING, RUN.c.id.in_(run_ids)) if run_ids else ()


@dataclass(frozen=True, slots=True)
class AbandonedPair:
    """A pair that is stored as running, although no run of it is running."""

    id: str
    owner: str
    conversation_id: str
    reply_id: str | None
    model: str


async def load_abandoned_pairs(session: AsyncSession) -> tuple[AbandonedPair, ...]:
    has_run = select(1).where(RUN.c.pair_id == PAIR.c.id, RUN.c.status == STATUS_RUNNING).exists()
    query = select(PAIR.c.id, PAIR.c.owner, PAIR.c.conversation_id, PAIR.c.reply_id, PAIR.c.model).where(
        PAIR.c.lifecycle.in_(RUNNING), not_(has_run)
    )
    return tuple(AbandonedPair(*row) for row in await session.execute(query))


async def _load(session: AsyncSession, *conditions: ColumnElement[bool]) -> tuple[StoredRun, ...]:
    query = select(RUN, MESSAGE.c.parts).outerjoin(MESSAGE, MESSAGE.c.id == RUN.c.reply_id).where(*conditions)
    rows = (await session.execute(query)).mappings().all()
    added = await load_additions(session, [row["id"] for row in rows if row["status"] == STATUS_RUNNING])
    return tuple(_decode(row, added.get(row["id"], ())) for row in rows)


def _decode(row: Any, added: Sequence[Growth]) -> StoredRun:
    """Decode a run. Unreadable columns get neutral values, so that a run that no process drives can be ended."""
    take = Reading("run", show_id(row["id"])).take

    def text(column: str) -> str:
        return take(column, row[column], a_text, "")

    place = RunPlace(row["owner"], row["conversation_id"], row["pair_id"], text("reply_id"))
    retries = take("retries", row["retries"], lambda stored: tuple(map(decode_retry, a_list(stored))), ())
    rounds = take("rounds", row["rounds"], lambda stored: tuple(map(decode_round, a_list(stored))), ())
    stored: Any = [] if row["parts"] is None else row["parts"]  # the reply no longer exists if `parts` is None
    parts = add_up(read_parts(stored, Reading("message", place.reply_id)), added)
    attempt = take("attempt", row["attempt"], a_number, 1)
    stop_reason = take("stop_reason", row["stop_reason"], decode_stop_reason, None)
    failed = take("failure", row["failure"], decode_failure, None)
    outcome = take("status", row["status"], lambda status: _decode_outcome(status, stop_reason, failed), UNKNOWN_END)
    state = RunState(
        start=RunStart(
            row["id"],
            row["pair_id"],
            row["conversation_id"],
            take("model", row["model"], a_model, UNKNOWN_MODEL),
            text("request_hash"),
        ),
        phase=_phase(outcome, retries, rounds, attempt, parts),
        attempt=attempt,
        retries=retries,
        parts=parts,
        usage=take("usage", row["usage"], decode_usage, None),
        report_fault=take("report_fault", row["report_fault"], a_text_or_none, None),
        stop_reason=stop_reason,
        outcome=outcome,
        rounds=rounds,
    )
    return StoredRun(
        place,
        state,
        text("process_id"),
        take("attempt_started_at", row["attempt_started_at"], a_time, UNKNOWN_TIME),
        take("heartbeat_at", row["heartbeat_at"], a_time, UNKNOWN_TIME),
        take("sent", row["sent"], lambda stored: None if stored is None else decode_sent(stored), None),
        take("purpose", row["purpose"], decode_purpose, "reply"),
    )


UNKNOWN_END: Final = Failed(failure(ErrorClass.UNKNOWN, "How this reply ended cannot be read."))


def _decode_outcome(status: str, stop_reason: StopReason | None, failed: Failure | None) -> Outcome | None:
    if status == STATUS_RUNNING:
        return None
    lifecycle = decode_word(Lifecycle, status)
    match lifecycle:
        case Lifecycle.SUCCEEDED if stop_reason is not None:
            return Succeeded(stop_reason)
        case Lifecycle.ERROR if failed is not None:
            return Failed(failed)
        case Lifecycle.CANCELED:
            return Canceled()
        case _:
            raise StoreError(f"A stored run is {status} but has no details of its end: the database is damaged.")


def _phase(
    outcome: Outcome | None,
    retries: tuple[Retry, ...],
    rounds: tuple[Round, ...],
    attempt: int,
    parts: tuple[Part, ...],
) -> Phase:
    if outcome is not None:
        return "finished"
    if rounds and rounds[-1].attempt == attempt:
        return "calling"
    if retries and retries[-1].attempt == attempt:
        return "retrying"
    return "streaming" if len(parts) > count_answered(parts) else "awaiting"
