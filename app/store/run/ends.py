"""The ends of runs: outcome, whole reply and lifecycle of the pair, in one transaction.

The first call of `finish_run` ends the run, each later call returns `False`. `finish_runs` ends several runs with few
statements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Update, bindparam, delete, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.sql.dml import ReturningUpdate

from app.domain.conversation.conversation import ConversationStatus, Message
from app.domain.run.queue import decide_hold
from app.domain.run.run import Failed, RunState, lifecycle_of
from app.store.conversation.conversations import next_revisions
from app.store.conversation.pairs import insert_message
from app.store.conversation.rows import CONVERSATION, MESSAGE, PAIR, RUN, VERSION
from app.store.database.mapping import encode_failure, encode_retry, encode_round, encode_usage
from app.store.database.parts_json import encode_parts
from app.store.ledger.ledger import Purpose
from app.store.run.journal import clear_journal
from app.store.run.queues import hold_waiting
from app.store.run.runs import STATUS_RUNNING, RunPlace


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
