"""Queries of versions: list the earlier requests and replies of a pair, add one, restore one.

The row of the pair has its current version; the table `version` has a row for each version of a pair that was sent more
than once. Messages are never changed or deleted: a version names its messages.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import Message, Pair, Role, Version
from app.domain.conversation.damage import Damage
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.errors import NotFoundError
from app.store.conversation.pairs import insert_message
from app.store.conversation.rows import MESSAGE, PAIR, RUN, VERSION
from app.store.database.damage import UNKNOWN_MODEL, UNKNOWN_TIME, Reading, a_model, a_number, a_text_or_none, a_time
from app.store.database.mapping import (
    MESSAGE_COLUMNS,
    decode_failure,
    decode_parameters,
    decode_total,
    decode_word,
    encode_parameters,
    read_message,
)

_STANDS = ("request_id", "reply_id", "run_id", "model", "parameters", "agent_id", "agent")
"""The columns that the tables `pair` and `version` share."""

_REQUEST = MESSAGE.alias("request")
_REPLY = MESSAGE.alias("reply")


async def load_versions(session: AsyncSession, owner: str, pair: Pair) -> tuple[Version, ...]:
    """Return every version of a pair, oldest first."""
    if pair.versions == 1:
        return (_standing(pair),)
    query = (
        select(
            VERSION,
            RUN.c.usage,
            RUN.c.rounds,
            RUN.c.failure,
            *(_REQUEST.c[name].label(f"request_{name}") for name in MESSAGE_COLUMNS),
            *(_REPLY.c[name].label(f"reply_{name}") for name in MESSAGE_COLUMNS),
        )
        .select_from(VERSION)
        .outerjoin(_REQUEST, _REQUEST.c.id == VERSION.c.request_id)
        .outerjoin(_REPLY, _REPLY.c.id == VERSION.c.reply_id)
        .outerjoin(RUN, RUN.c.id == VERSION.c.run_id)
        .where(VERSION.c.pair_id == pair.id, VERSION.c.owner == owner)
        .order_by(VERSION.c.number)
    )
    rows = (await session.execute(query)).mappings()
    return tuple(_decode_standing(pair, row) if row["number"] == pair.version else _decode(row) for row in rows)


async def begin_version(session: AsyncSession, owner: str, pair: Pair, again: Pair, revision: int) -> None:
    """Store that a pair is sent again. `pair` is the pair as stored, `again` the pair with its new messages.

    The messages of `pair` become an earlier version, those of `again` the current one.
    """
    await leave_version(session, owner, pair)
    await session.execute(insert(VERSION), _encode(owner, again, None, again.updated_at))
    for message, stood in ((again.request, pair.request), (again.reply, pair.reply)):
        if message is not None and message is not stood:
            await insert_message(session, owner, pair.conversation_id, pair.id, message)
    await put_version(session, again, revision)


async def leave_version(session: AsyncSession, owner: str, pair: Pair) -> None:
    """Store the current messages of a pair as one of its versions, before another version becomes current."""
    if pair.versions == 1:
        await session.execute(insert(VERSION), _encode(owner, pair, pair.lifecycle, pair.created_at))
    else:
        await _leave(session, pair)


async def put_version(session: AsyncSession, again: Pair, revision: int) -> None:
    """Write the new current version of a pair to the row of the pair. `again` is the pair with this version."""
    changes = {
        **_encode_standing(again),
        "lifecycle": again.lifecycle,
        "version": again.version,
        "versions": again.versions,
        "revision": revision,
        "updated_at": again.updated_at,
    }
    await session.execute(update(PAIR).where(PAIR.c.id == again.id), changes)


async def restore_version(session: AsyncSession, pair: Pair, number: int, revision: int, now: datetime) -> None:
    """Make an earlier version the current one of its pair.

    Raises:
        NotFoundError: the pair has no version with that number.
    """
    query = select(VERSION).where(VERSION.c.pair_id == pair.id, VERSION.c.number == number)
    row = (await session.execute(query)).mappings().one_or_none()
    if row is None:
        raise NotFoundError("version", f"{number} of pair {pair.id}")
    await _leave(session, pair)
    stands = {name: row[name] for name in _STANDS}
    changes = {**stands, "lifecycle": row["lifecycle"], "version": number, "revision": revision, "updated_at": now}
    await session.execute(update(PAIR).where(PAIR.c.id == pair.id), changes)
    await _set_lifecycle(session, pair.id, number, None)


async def _leave(session: AsyncSession, pair: Pair) -> None:
    """Store the lifecycle of the version that is no longer current."""
    await _set_lifecycle(session, pair.id, pair.version, pair.lifecycle)


async def _set_lifecycle(session: AsyncSession, pair_id: str, number: int, lifecycle: Lifecycle | None) -> None:
    place = (VERSION.c.pair_id == pair_id, VERSION.c.number == number)
    await session.execute(update(VERSION).where(*place).values(lifecycle=lifecycle))


def _encode_standing(pair: Pair) -> dict[str, Any]:
    return {
        "request_id": pair.request.id,
        "reply_id": None if pair.reply is None else pair.reply.id,
        "run_id": pair.run_id,
        "model": pair.model,
        "parameters": encode_parameters(pair.parameters),
        "agent_id": pair.agent_id,
        "agent": pair.agent,
    }


def _encode(owner: str, pair: Pair, lifecycle: Lifecycle | None, created_at: datetime) -> dict[str, Any]:
    place = {"pair_id": pair.id, "number": pair.version, "owner": owner}
    return {**place, **_encode_standing(pair), "lifecycle": lifecycle, "created_at": created_at}


def _standing(pair: Pair, created_at: datetime | None = None) -> Version:
    return Version(
        number=pair.version,
        standing=True,
        request=pair.request,
        reply=pair.reply,
        model=pair.model,
        parameters=pair.parameters,
        lifecycle=pair.lifecycle,
        failure=pair.failure,
        usage=pair.usage,
        run_id=pair.run_id,
        created_at=created_at or pair.created_at,
        damage=pair.damage,
    )


def _decode_standing(pair: Pair, row: Any) -> Version:
    reading = Reading("version", f"{row['pair_id']} {row['number']}")
    standing = _standing(pair, reading.take("created_at", row["created_at"], a_time, pair.created_at))
    return replace(standing, damage=(*standing.damage, *reading.damage))


def _decode(row: Any) -> Version:
    take = (reading := Reading("version", f"{row['pair_id']} {row['number']}")).take
    of_run = (ran := Reading("run", str(row["run_id"]))).take

    def message(which: str, role: Role) -> tuple[Message, tuple[Damage, ...]]:
        values = (row[f"{which}_{name}"] for name in MESSAGE_COLUMNS)
        return read_message(row[f"{which}_id"], *values, expected=role)

    request, damaged = message("request", Role.USER)
    reply, damaged_reply = (None, ()) if row["reply_id"] is None else message("reply", Role.ASSISTANT)
    version = Version(
        number=take("number", row["number"], a_number, 0),
        standing=False,
        request=request,
        reply=reply,
        model=take("model", row["model"], a_model, UNKNOWN_MODEL),
        parameters=take("parameters", row["parameters"], decode_parameters, NO_PARAMETERS),
        lifecycle=take("lifecycle", row["lifecycle"], lambda value: decode_word(Lifecycle, value), Lifecycle.ERROR),
        failure=of_run("failure", row["failure"], decode_failure, None),
        usage=of_run("rounds", row["rounds"] or [], lambda rounds: decode_total(row["usage"], rounds), None),
        run_id=take("run_id", row["run_id"], a_text_or_none, None),
        created_at=take("created_at", row["created_at"], a_time, UNKNOWN_TIME),
    )
    return replace(version, damage=(*reading.damage, *damaged, *damaged_reply, *ran.damage))
