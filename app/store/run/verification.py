"""Queries for the verification of a run (`runs/resend/verification.py`): the request that it sent.

The request is built again from this data, to compare its hash. The sent pairs are included even if they were deleted
later.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Table, exists, select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import Conversation, Message, Pair, Parameters, Role
from app.domain.conversation.damage import Damage
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.errors import NotFoundError
from app.store.conversation.pairs import load_sent_pairs
from app.store.conversation.rows import CONVERSATION, MESSAGE, PAIR, RUN, VERSION
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
from app.store.database.mapping import MESSAGE_COLUMNS, decode_conversation, decode_parameters, read_message
from app.store.ledger.rows_ledger import LEDGER
from app.store.ledger.rows_sent import SENT_CALL
from app.store.run.runs import Sent


@dataclass(frozen=True, slots=True)
class SentRequest:
    """The stored data of a sent request, to build the request again.

    - `draft`: the message of the user.
    - `sent`: the position ranges of the sent pairs; None if they were not recorded.
    - `pairs`: the current versions of these pairs.
    - `missing`: the positions of pairs that no longer exist.
    - `damage`: the values that cannot be read; neutral values replace them.
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
    damage: tuple[Damage, ...] = ()


async def list_run_ids(session: AsyncSession, owner: str, conversation_id: str | None) -> tuple[str, ...]:
    """Return the ids of the runs that sent a request, ordered by start. A copied pair has a run that sent nothing.

    `conversation_id` None: of all conversations.
    """
    called = exists().where(LEDGER.c.run_id == RUN.c.id) | exists().where(SENT_CALL.c.run_id == RUN.c.id)
    query = select(RUN.c.id).where(RUN.c.owner == owner, RUN.c.request_hash != "", RUN.c.sent.is_not(None) | called)
    query = query.order_by(RUN.c.started_at)
    if conversation_id is not None:
        query = query.where(RUN.c.conversation_id == conversation_id)
    return tuple((await session.execute(query)).scalars())


async def load_sent_from(session: AsyncSession, owner: str, conversation_id: str) -> Conversation:
    """Return the conversation that a request was sent from, also if it is in the trash.

    Raises:
        NotFoundError: no conversation of this owner has that id.
    """
    query = select(CONVERSATION).where(CONVERSATION.c.id == conversation_id, CONVERSATION.c.owner == owner)
    row = (await session.execute(query)).mappings().one_or_none()
    if row is None:
        raise NotFoundError("conversation", conversation_id)
    return decode_conversation(row)


async def load_sent_request(session: AsyncSession, owner: str, run_id: str) -> SentRequest:
    """Return the request of a run.

    Raises:
        NotFoundError: this owner has no run with that id, or the run sent no request.
    """
    query = select(RUN).where(RUN.c.id == run_id, RUN.c.owner == owner, RUN.c.request_hash != "")
    run = (await session.execute(query)).mappings().one_or_none()
    if run is None:
        raise NotFoundError("run", run_id)
    take = (reading := Reading("run", run_id)).take
    pair_id = take("pair_id", run["pair_id"], a_text, "")
    conversation_id = take("conversation_id", run["conversation_id"], a_text, "")
    sent = take("sent", run["sent"], _decode_sent, None)
    of_version = select(*_columns_of(VERSION)).where(VERSION.c.run_id == run_id)
    stands = select(*_columns_of(PAIR)).where(PAIR.c.id == pair_id)
    found = (await session.execute(of_version)).first() or (await session.execute(stands)).first()
    of_pair = Reading("pair", pair_id)
    if found is None:
        of_pair.note("*", "it is named by its run, but is not there", None)
    named, asked, agent_id = ("", None, None) if found is None else tuple(found)
    request_id = of_pair.take("request_id", named, a_text, "")
    said = (await session.execute(select(MESSAGE).where(MESSAGE.c.id == request_id))).mappings().one_or_none()
    message = (None, None, None) if said is None else tuple(said[name] for name in MESSAGE_COLUMNS)
    draft, damaged = read_message(request_id, *message, expected=Role.USER)
    pairs = await load_sent_pairs(session, owner, conversation_id, sent or ())
    there = {pair.position for pair in pairs}
    stored = SentRequest(
        run_id=run_id,
        pair_id=pair_id,
        conversation_id=conversation_id,
        model=take("model", run["model"], a_model, UNKNOWN_MODEL),
        request_hash=take("request_hash", run["request_hash"], a_text, ""),
        started_at=take("started_at", run["started_at"], a_time, UNKNOWN_TIME),
        sent=sent,
        draft=draft,
        parameters=of_pair.take("parameters", asked, decode_parameters, NO_PARAMETERS),
        agent_id=of_pair.take("agent_id", agent_id, a_text_or_none, None),
        pairs=pairs,
        missing=tuple(p for first, last in sent or () for p in range(first, last + 1) if p not in there),
    )
    return replace(stored, damage=(*reading.damage, *of_pair.damage, *damaged))


def _columns_of(table: Table) -> tuple[Column[Any], ...]:
    return table.c.request_id, table.c.parameters, table.c.agent_id


def _decode_sent(stored: Any) -> Sent | None:
    return None if stored is None else tuple((a_number(first), a_number(last)) for first, last in a_list(stored))
