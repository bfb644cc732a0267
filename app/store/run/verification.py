"""Queries for verification: the request of an old run, and the pairs that it sent, deleted ones included."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, exists, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import Message, Pair, Parameters
from app.domain.errors import NotFoundError
from app.store.conversation.pairs import load_sent_pairs
from app.store.conversation.rows import MESSAGE, PAIR, RUN, VERSION
from app.store.database.mapping import decode_message, decode_parameters
from app.store.ledger.ledger import Purpose
from app.store.run.rows_sent import SENT_CALL
from app.store.run.runs import Sent

ABOUT_PAIRS: Final[tuple[Purpose, ...]] = ("title", "summary", "keep_warm")
"""What the runs are for whose requests are made of another conversation's pairs and of words of our own. They are not
made again: the record of calls has their bytes.
"""


@dataclass(frozen=True, slots=True)
class SentRequest:
    """What is stored of a request. `pairs` are those that went along, as they are now, `missing` those that are gone.

    `sent` None: nobody noted which pairs went along.
    """

    run_id: str
    pair_id: str
    conversation_id: str
    model: str
    request_hash: str
    started_at: datetime
    sent: Sent | None
    purpose: Purpose
    draft: Message
    parameters: Parameters
    agent_id: str | None
    pairs: tuple[Pair, ...]
    missing: tuple[int, ...]


async def list_run_ids(session: AsyncSession, owner: str, conversation_id: str | None) -> tuple[str, ...]:
    """The runs whose requests are made of pairs, of a conversation or of all, in the order of their starts."""
    query = select(RUN.c.id).where(*_in(owner, conversation_id), RUN.c.purpose.not_in(ABOUT_PAIRS))
    return tuple((await session.execute(query.order_by(RUN.c.started_at))).scalars())


async def list_recorded(session: AsyncSession, owner: str, conversation_id: str | None) -> dict[str, bool]:
    """The runs whose requests are about pairs, each with whether its provider call is in the record of calls."""
    recorded = exists().where(SENT_CALL.c.run_id == RUN.c.id)
    query = select(RUN.c.id, recorded).where(*_in(owner, conversation_id), RUN.c.purpose.in_(ABOUT_PAIRS))
    return {run_id: bool(is_there) for run_id, is_there in await session.execute(query.order_by(RUN.c.started_at))}


def _in(owner: str, conversation_id: str | None) -> tuple[ColumnElement[bool], ...]:
    conditions = (RUN.c.owner == owner, RUN.c.request_hash != "")
    return conditions if conversation_id is None else (*conditions, RUN.c.conversation_id == conversation_id)


async def load_sent_request(session: AsyncSession, owner: str, run_id: str) -> SentRequest:
    """What a run was asked with.

    Raises:
        NotFoundError: there is no run of that id, it is another's, or nothing was sent in it.
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
        purpose=run["purpose"],
        draft=decode_message(message["id"], message["role"], message["parts"], message["created_at"]),
        parameters=decode_parameters(parameters),
        agent_id=agent_id,
        pairs=pairs,
        missing=tuple(p for first, last in sent or () for p in range(first, last + 1) if p not in there),
    )
