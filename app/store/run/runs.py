"""Stores runs: a new run, its progress, and the heartbeat of the process that drives it.

A run's row has the data of its event log except the text, which is in its pair's reply. Only a run with the status
`running` can be saved or ended.

Not here: the end of a run (`ends.py`) and loading runs (`stored_runs.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import and_, bindparam, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import Replaced
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.request.request import ToolDefinition
from app.domain.run.growth import Growth
from app.domain.run.run import RunStart, RunState
from app.store.cache.prompt_caches import CacheUse, RunCall, insert_cache_use
from app.store.conversation.rows import MESSAGE, PAIR, RUN
from app.store.database.mapping import decode_replaced, encode_replaced, encode_retry, encode_round, encode_usage
from app.store.database.parts_json import encode_parts
from app.store.ledger.ledger import Purpose
from app.store.run.journal import Addition, add_to_journal, clear_journal
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
