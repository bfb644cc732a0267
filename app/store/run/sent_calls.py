"""The record of provider calls: what each contained, written before the call is made, never changed.

    await record_call(session, NewCall(…, run_id=run_id, number=1), body)
    (await load_sent_call(session, owner, run_id, 1)).body      # its exact bytes

A body is kept in pieces (`domain/request/body_pieces.py`), each once for its conversation. They go with the
conversation, and those that have the words of a pair go when that pair is deleted for good (`forgetting.py`): the call
has no body any more from then on. Its hashes stay.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import Delete, Insert, Select, bindparam, delete, insert, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.errors import NotFoundError
from app.domain.request.body_pieces import split_body
from app.store.conversation.rows import CONVERSATION
from app.store.database.database import kind_of_session
from app.store.database.upsert import insert_if_new
from app.store.ledger.ledger import Purpose
from app.store.run.rows_sent import FORGOTTEN_PIECE, SENT_CALL, SENT_PIECE

_HASH: Final = 32
"""Bytes of a SHA-256."""
TRIGGERS: Final = (
    "sent_call_is_not_changed",
    "sent_call_is_not_deleted",
    "sent_piece_is_not_changed",
    "sent_piece_is_not_deleted",
)


class Kept(StrEnum):
    """What is left of a call's body: all; not the words that were deleted for good; or less than there is to be."""

    WHOLE = "whole"
    FORGOTTEN = "forgotten"
    DAMAGED = "damaged"


@dataclass(frozen=True, slots=True)
class NewCall:
    """A call that is about to be made. `number` counts those of the run from 1."""

    owner: str
    conversation_id: str
    pair_id: str
    run_id: str
    number: int
    purpose: Purpose
    model: str
    url: str
    sent_at: datetime


@dataclass(frozen=True, slots=True)
class SentCall:
    """A call as it was recorded. `body` is None once its words were deleted for good; its hash and its size stay."""

    call: NewCall
    body_sha256: str
    body_bytes: int
    body: bytes | None


@dataclass(frozen=True, slots=True)
class KeptCall:
    """A call without its body: how much of that is left."""

    call: NewCall
    body_sha256: str
    body_bytes: int
    kept: Kept


@dataclass(frozen=True, slots=True)
class RecordReport:
    """How many calls have their bytes, how many lost them with words that were deleted for good, and what is wrong."""

    count: int
    forgotten: int
    faults: tuple[str, ...]


async def record_call(session: AsyncSession, call: NewCall, body: bytes) -> None:
    """Record a call before it is made."""
    pieces = [(sha256(piece).digest(), piece) for piece in split_body(body)]
    stored = await _find_stored(session, call.conversation_id, {digest for digest, _ in pieces})
    rows = [
        {"conversation_id": call.conversation_id, "sha256": digest, "data": zlib.compress(piece, 1)}
        for digest, piece in pieces
        if digest not in stored
    ]
    if rows:
        await session.execute(_insert_pieces(), rows)
        again = {"conversation": call.conversation_id, "digests": [row["sha256"] for row in rows]}
        await session.execute(_remember_pieces(), again)
    row = {
        "owner": call.owner,
        "conversation_id": call.conversation_id,
        "pair_id": call.pair_id,
        "run_id": call.run_id,
        "number": call.number,
        "purpose": call.purpose,
        "model": call.model,
        "url": call.url,
        "sent_at": call.sent_at,
        "body_sha256": sha256(body).hexdigest(),
        "body_bytes": len(body),
        "pieces": b"".join(digest for digest, _ in pieces),
    }
    await session.execute(_insert_call(), row)


# The statements of each call, made once: making one takes longer than executing it.


@cache
def _insert_pieces() -> Insert:
    return insert_if_new(SENT_PIECE)


@cache
def _insert_call() -> Insert:
    return insert(SENT_CALL)


@cache
def _remember_pieces() -> Delete:
    """Pieces that come again are forgotten no more."""
    here = FORGOTTEN_PIECE.c.conversation_id == bindparam("conversation")
    return delete(FORGOTTEN_PIECE).where(here, FORGOTTEN_PIECE.c.sha256.in_(bindparam("digests", expanding=True)))


@cache
def _select_stored() -> Select[bytes]:
    here = SENT_PIECE.c.conversation_id == bindparam("conversation")
    return select(SENT_PIECE.c.sha256).where(here, SENT_PIECE.c.sha256.in_(bindparam("digests", expanding=True)))


async def _find_stored(session: AsyncSession, conversation_id: str, digests: set[bytes]) -> set[bytes]:
    """Which pieces the table has. An earlier call is no proof: its pieces may have been forgotten since."""
    asked = {"conversation": conversation_id, "digests": list(digests)}
    return set((await session.execute(_select_stored(), asked)).scalars())


async def list_sent_calls(session: AsyncSession, owner: str, pair_id: str) -> tuple[SentCall, ...]:
    """Return the calls that were made for a pair, its earlier versions included, the oldest first."""
    rows = (await session.execute(_select_of_pair(owner, pair_id))).mappings().all()
    return tuple([_decode(row, await _load_body(session, row)) for row in rows])


async def list_kept_calls(session: AsyncSession, owner: str, pair_id: str) -> tuple[KeptCall, ...]:
    """Return the same without reading their bodies."""
    rows = (await session.execute(_select_of_pair(owner, pair_id))).mappings().all()
    calls = [_decode(row, None) for row in rows]
    return tuple(
        [
            KeptCall(one.call, one.body_sha256, one.body_bytes, await _find_kept(session, row))
            for one, row in zip(calls, rows, strict=True)
        ]
    )


def _select_of_pair(owner: str, pair_id: str) -> Select[Any]:
    query = select(SENT_CALL).where(SENT_CALL.c.owner == owner, SENT_CALL.c.pair_id == pair_id)
    return query.order_by(SENT_CALL.c.sent_at, SENT_CALL.c.number)


async def load_sent_call(session: AsyncSession, owner: str, run_id: str, number: int) -> SentCall:
    """Return a call.

    Raises:
        NotFoundError: no such call of this owner was recorded.
    """
    query = select(SENT_CALL).where(SENT_CALL.c.owner == owner, SENT_CALL.c.run_id == run_id)
    row = (await session.execute(query.where(SENT_CALL.c.number == number))).mappings().one_or_none()
    if row is None:
        raise NotFoundError("recorded call", f"{run_id}/{number}")
    return _decode(row, await _load_body(session, row))


async def check_sent_calls(session: AsyncSession) -> RecordReport:
    """Put each body together and compare it with its hash, and see that the database still refuses to change one."""
    count, forgotten, faults = 0, 0, list[str]()
    known = set((await session.execute(text(kind_of_session(session).trigger_names))).scalars())
    for trigger in TRIGGERS:
        if trigger not in known:
            faults.append(f"The database does not guard the record of calls: trigger {trigger} is missing.")
    rows = (await session.execute(select(SENT_CALL).order_by(SENT_CALL.c.sent_at, SENT_CALL.c.run_id))).mappings().all()
    for row in rows:
        named = f"call {row['number']} of run {row['run_id']}"
        try:
            body = await _load_body(session, row)
        except zlib.error as error:
            faults.append(f"A piece of {named} cannot be unpacked: {error}.")
            continue
        if body is not None:
            count += 1
            if sha256(body).hexdigest() != row["body_sha256"] or len(body) != row["body_bytes"]:
                faults.append(f"The body of {named} has another hash than when it was sent.")
        elif await _find_kept(session, row) is Kept.FORGOTTEN:
            forgotten += 1
        else:
            faults.append(f"A piece of {named} is missing, and nobody deleted its words for good.")
    return RecordReport(count, forgotten, tuple(faults))


async def _find_kept(session: AsyncSession, row: Any) -> Kept:
    """What is left of the body of a call. Its pieces go with the conversation; of others each is there or noted."""
    conversation_id, hashes = row["conversation_id"], set(_split_hashes(row["pieces"]))
    missing = hashes - await _find_stored(session, conversation_id, hashes)
    if not missing:
        return Kept.WHOLE
    of_it = select(CONVERSATION.c.id).where(CONVERSATION.c.id == conversation_id)
    if (await session.execute(of_it)).first() is None:
        return Kept.FORGOTTEN
    noted = select(FORGOTTEN_PIECE.c.sha256).where(
        FORGOTTEN_PIECE.c.conversation_id == conversation_id, FORGOTTEN_PIECE.c.sha256.in_(missing)
    )
    return Kept.DAMAGED if missing - set((await session.execute(noted)).scalars()) else Kept.FORGOTTEN


async def _load_body(session: AsyncSession, row: Any) -> bytes | None:
    hashes = _split_hashes(row["pieces"])
    query = select(SENT_PIECE.c.sha256, SENT_PIECE.c.data).where(
        SENT_PIECE.c.conversation_id == row["conversation_id"], SENT_PIECE.c.sha256.in_(set(hashes))
    )
    kept: dict[bytes, bytes] = {one.sha256: one.data for one in await session.execute(query)}
    if any(digest not in kept for digest in hashes):
        return None
    return b"".join(zlib.decompress(kept[digest]) for digest in hashes)


def _split_hashes(pieces: bytes) -> tuple[bytes, ...]:
    return tuple(pieces[place : place + _HASH] for place in range(0, len(pieces), _HASH))


def _decode(row: Any, body: bytes | None) -> SentCall:
    names = ("owner", "conversation_id", "pair_id", "run_id", "number", "purpose", "model", "url", "sent_at")
    return SentCall(NewCall(**{name: row[name] for name in names}), row["body_sha256"], row["body_bytes"], body)
