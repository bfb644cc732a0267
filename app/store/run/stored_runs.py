"""Loads stored runs, and finds runs that no process drives and pairs that no run will end.

stored = await load_run(session, owner, run_id)
stored.state.outcome                 # None while the run is running
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, not_, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.lifecycle import RUNNING, Lifecycle
from app.domain.conversation.parts import Part
from app.domain.errors import ErrorClass, Failure, NotFoundError, StoreError, failure
from app.domain.run.growth import Growth
from app.domain.run.rounds import Round, count_answered
from app.domain.run.run import Canceled, Failed, Outcome, Phase, Retry, RunStart, RunState, Succeeded
from app.domain.stream.stream_events import StopReason
from app.store.cache.prompt_caches import decode_sent
from app.store.conversation.conversations import not_in_trash
from app.store.conversation.rows import CAN_BE_REPLAYED, MESSAGE, PAIR, RUN
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
    decode_retry,
    decode_round,
    decode_stop_reason,
    decode_usage,
    decode_word,
)
from app.store.database.parts_json import read_parts
from app.store.database.row_names import show_id
from app.store.ledger.ledger import Purpose, decode_purpose
from app.store.run.journal import add_up, load_additions
from app.store.run.runs import STATUS_RUNNING, RunPlace, Sent


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


UNKNOWN_END: Final = Failed(failure(ErrorClass.UNKNOWN, "How this reply ended cannot be read."))


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
