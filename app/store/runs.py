"""Queries of runs: begin, save as they go, end by a guarded claim, read back, and find those that nobody drives.

A run's row carries what its log needs besides the text, which is its pair's reply. Only a run that stands as `running`
can be saved or ended: the first to claim the end has it, everybody else is told so by `False`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, insert, not_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import NotFoundError, StoreError
from app.domain.lifecycle import RUNNING, Lifecycle
from app.domain.run import Canceled, Failed, Outcome, Phase, RunStart, RunState, Succeeded, lifecycle_of
from app.domain.stream_events import StopReason
from app.store.conversations import next_revision
from app.store.mapping import (
    decode_failure,
    decode_retry,
    decode_stop_reason,
    decode_usage,
    decode_word,
    encode_failure,
    encode_retry,
    encode_usage,
)
from app.store.parts_json import decode_parts, encode_parts
from app.store.rows import MESSAGE, PAIR, RUN

STATUS_RUNNING = "running"


@dataclass(frozen=True, slots=True)
class RunPlace:
    """Where a run belongs."""

    owner: str
    conversation_id: str
    pair_id: str
    reply_id: str


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run as stored: `state.outcome` is None while it is on. `attempt_started_at` is when its last call began."""

    place: RunPlace
    state: RunState
    process_id: str
    attempt_started_at: datetime
    heartbeat_at: datetime


@dataclass(frozen=True, slots=True)
class Progress:
    """What a run that is on has received so far."""

    place: RunPlace
    state: RunState
    attempt_started_at: datetime


# --- a run's way through the store ---


async def insert_run(session: AsyncSession, place: RunPlace, start: RunStart, process_id: str, now: datetime) -> None:
    """A new run of a pair that names it."""
    await session.execute(
        insert(RUN).values(
            id=start.run_id,
            owner=place.owner,
            conversation_id=place.conversation_id,
            pair_id=place.pair_id,
            reply_id=place.reply_id,
            model=start.model,
            request_hash=start.request_hash,
            process_id=process_id,
            status=STATUS_RUNNING,
            attempt=1,
            attempt_started_at=now,
            retries=[],
            started_at=now,
            heartbeat_at=now,
        )
    )


async def save_progress(session: AsyncSession, progress: Sequence[Progress]) -> None:
    """Store what these runs have received; one that was ended meanwhile is left as it is."""
    if not progress:
        return
    still_running = select(1).where(RUN.c.id == bindparam("of_run"), RUN.c.status == STATUS_RUNNING).exists()
    replies = update(MESSAGE).where(MESSAGE.c.id == bindparam("of_message"), still_running)
    await session.execute(
        replies.values(parts=bindparam("parts")),
        [
            {"of_run": one.state.start.run_id, "of_message": one.place.reply_id, "parts": encode_parts(one.state.parts)}
            for one in progress
        ],
    )
    await session.execute(
        update(RUN)
        .where(RUN.c.id == bindparam("of_run"), RUN.c.status == STATUS_RUNNING)
        .values({name: bindparam(name) for name in ("attempt", "attempt_started_at", "retries", "usage")}),
        [
            {
                "of_run": one.state.start.run_id,
                "attempt": one.state.attempt,
                "attempt_started_at": one.attempt_started_at,
                "retries": [encode_retry(retry) for retry in one.state.retries],
                "usage": encode_usage(one.state.usage),
            }
            for one in progress
        ],
    )
    await session.execute(
        update(PAIR)
        .where(PAIR.c.id == bindparam("of_pair"), PAIR.c.lifecycle == Lifecycle.SENDING)
        .values(lifecycle=Lifecycle.AWAITING.value),
        [{"of_pair": one.place.pair_id} for one in progress],
    )


async def save_heartbeat(session: AsyncSession, process_id: str, now: datetime) -> None:
    """Say that this process still drives its runs."""
    mine = and_(RUN.c.process_id == process_id, RUN.c.status == STATUS_RUNNING)
    await session.execute(update(RUN).where(mine).values(heartbeat_at=now))


async def finish_run(session: AsyncSession, place: RunPlace, state: RunState, now: datetime) -> bool:
    """Store the end of a run: its outcome, the whole reply, the pair's lifecycle. False: it had been ended before."""
    lifecycle = lifecycle_of(state)
    claim = (
        update(RUN)
        .where(RUN.c.id == state.start.run_id, RUN.c.status == STATUS_RUNNING)
        .values(
            status=lifecycle,
            attempt=state.attempt,
            retries=[encode_retry(retry) for retry in state.retries],
            usage=encode_usage(state.usage),
            stop_reason=state.stop_reason,
            failure=encode_failure(state.outcome.reason) if isinstance(state.outcome, Failed) else None,
            heartbeat_at=now,
            ended_at=now,
        )
    )
    if (await session.execute(claim.returning(RUN.c.id))).one_or_none() is None:
        return False
    revision = await next_revision(session, place.conversation_id, now)
    await session.execute(update(MESSAGE).where(MESSAGE.c.id == place.reply_id).values(parts=encode_parts(state.parts)))
    await session.execute(
        update(PAIR).where(PAIR.c.id == place.pair_id).values(lifecycle=lifecycle, revision=revision, updated_at=now)
    )
    return True


# --- reading back ---


async def load_run(session: AsyncSession, owner: str, run_id: str) -> StoredRun:
    """One run with its text.

    Raises:
        NotFoundError: there is none of that id, or it is another's.
    """
    found = await _load(session, RUN.c.id == run_id, RUN.c.owner == owner)
    if not found:
        raise NotFoundError("run", run_id)
    return found[0]


async def load_orphans(
    session: AsyncSession, driven: Sequence[str], heartbeat_before: datetime | None
) -> tuple[StoredRun, ...]:
    """Runs that stand as running, are not `driven`, and whose last heartbeat came before that time (None: all)."""
    conditions = [RUN.c.status == STATUS_RUNNING, RUN.c.id.not_in(driven)]
    if heartbeat_before is not None:
        conditions.append(RUN.c.heartbeat_at < heartbeat_before)
    return await _load(session, *conditions)


@dataclass(frozen=True, slots=True)
class AbandonedPair:
    """A pair that stands as running without a run."""

    id: str
    owner: str
    conversation_id: str
    reply_id: str | None
    model: str


async def load_abandoned_pairs(session: AsyncSession, updated_before: datetime) -> tuple[AbandonedPair, ...]:
    has_run = select(1).where(RUN.c.pair_id == PAIR.c.id, RUN.c.status == STATUS_RUNNING).exists()
    query = select(PAIR.c.id, PAIR.c.owner, PAIR.c.conversation_id, PAIR.c.reply_id, PAIR.c.model).where(
        PAIR.c.lifecycle.in_(RUNNING), not_(has_run), PAIR.c.updated_at < updated_before
    )
    return tuple(AbandonedPair(*row) for row in await session.execute(query))


async def _load(session: AsyncSession, *conditions: ColumnElement[bool]) -> tuple[StoredRun, ...]:
    query = select(RUN, MESSAGE.c.parts).outerjoin(MESSAGE, MESSAGE.c.id == RUN.c.reply_id).where(*conditions)
    return tuple(_decode(row) for row in (await session.execute(query)).mappings())


def _decode(row: Any) -> StoredRun:
    place = RunPlace(row["owner"], row["conversation_id"], row["pair_id"], row["reply_id"])
    retries = tuple(map(decode_retry, row["retries"]))
    parts = decode_parts(row["parts"] or ())
    stop_reason = decode_stop_reason(row["stop_reason"])
    outcome = _decode_outcome(row["status"], stop_reason, row["failure"])
    state = RunState(
        start=RunStart(row["id"], row["pair_id"], row["model"], row["request_hash"]),
        phase=_phase(outcome, waiting=len(retries) == row["attempt"], received=bool(parts)),
        attempt=row["attempt"],
        retries=retries,
        parts=parts,
        usage=decode_usage(row["usage"]),
        stop_reason=stop_reason,
        outcome=outcome,
    )
    return StoredRun(place, state, row["process_id"], row["attempt_started_at"], row["heartbeat_at"])


def _decode_outcome(status: str, stop_reason: StopReason | None, reason: dict[str, Any] | None) -> Outcome | None:
    if status == STATUS_RUNNING:
        return None
    lifecycle = decode_word(Lifecycle, status)
    failed = decode_failure(reason)
    match lifecycle:
        case Lifecycle.SUCCEEDED if stop_reason is not None:
            return Succeeded(stop_reason)
        case Lifecycle.ERROR if failed is not None:
            return Failed(failed)
        case Lifecycle.CANCELED:
            return Canceled()
        case _:
            raise StoreError(f"A stored run is {status} and does not say how: the database is damaged.")


def _phase(outcome: Outcome | None, *, waiting: bool, received: bool) -> Phase:
    if outcome is not None:
        return "finished"
    if waiting:
        return "retrying"
    return "streaming" if received else "awaiting"
