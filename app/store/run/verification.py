"""Queries for verification: the request of an earlier run, with the pairs that it sent, including deleted ones."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import Message, Pair, Parameters
from app.domain.errors import NotFoundError
from app.store.conversation.pairs import load_sent_pairs
from app.store.conversation.rows import MESSAGE, PAIR, RUN, VERSION
from app.store.database.mapping import decode_message, decode_parameters
from app.store.run.runs import Sent


@dataclass(frozen=True, slots=True)
class SentRequest:
    """The stored data of a request.

    `pairs` are the current versions of the sent pairs; `missing` are the positions of those that no longer exist.
    `sent` None: the sent pairs were not recorded.
    """

    run_id: str
    pair_id: str
    conversation_id: str
    model: str
    request_hash: str
    started_at: datetime
    sent: Sent | None
    draft: Message
    parameters: Parameters
    agent_id: str | None
    pairs: tuple[Pair, ...]
    missing: tuple[int, ...]


async def list_run_ids(session: AsyncSession, owner: str, conversation_id: str | None) -> tuple[str, ...]:
    """Return the ids of the runs with a request, of one conversation or of all, ordered by their start."""
    query = select(RUN.c.id).where(RUN.c.owner == owner, RUN.c.request_hash != "").order_by(RUN.c.started_at)
    if conversation_id is not None:
        query = query.where(RUN.c.conversation_id == conversation_id)
    return tuple((await session.execute(query)).scalars())


async def load_sent_request(session: AsyncSession, owner: str, run_id: str) -> SentRequest:
    """Return the request of a run.

    Raises:
        NotFoundError: this owner has no run with that id, or the run sent no request.
    """
    query = select(RUN).where(RUN.c.id == run_id, RUN.c.owner == owner, RUN.c.request_hash != "")
    run = (await session.execute(query)).mappings().one_or_none()
    if run is None:
        raise NotFoundError("run", run_id)
    of_version = select(VERSION.c.request_id, VERSION.c.parameters, VERSION.c.agent_id).where(
        VERSION.c.run_id == run_id
    )
    stands = select(PAIR.c.request_id, PAIR.c.parameters, PAIR.c.agent_id).where(PAIR.c.id == run["pair_id"])
    found = (await session.execute(of_version)).one_or_none() or (await session.execute(stands)).one()
    request_id, parameters, agent_id = found
    message = (await session.execute(select(MESSAGE).where(MESSAGE.c.id == request_id))).mappings().one()
    sent = None if run["sent"] is None else tuple((first, last) for first, last in run["sent"])
    pairs = await load_sent_pairs(session, owner, run["conversation_id"], sent or ())
    there = {pair.position for pair in pairs}
    return SentRequest(
        run_id=run_id,
        pair_id=run["pair_id"],
        conversation_id=run["conversation_id"],
        model=run["model"],
        request_hash=run["request_hash"],
        started_at=run["started_at"],
        sent=sent,
        draft=decode_message(message["id"], message["role"], message["parts"], message["created_at"]),
        parameters=decode_parameters(parameters),
        agent_id=agent_id,
        pairs=pairs,
        missing=tuple(p for first, last in sent or () for p in range(first, last + 1) if p not in there),
    )
