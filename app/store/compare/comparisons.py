"""Queries of comparisons: the open comparison of a conversation, and moving its replies into a pair.

A conversation has at most one open comparison: an index of the database refuses another one.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.compare.comparisons import ChosenRun, ComparedRun, Comparison
from app.domain.conversation.conversation import Pair
from app.domain.conversation.parameters import NO_PARAMETERS
from app.store.attachments.attachments import use_attachments
from app.store.cache.rows_prompt_cache import PROMPT_CACHE
from app.store.conversation.pairs import insert_pair
from app.store.conversation.rows import CONVERSATION, MESSAGE, PAIR, RUN, SNAPSHOT, VERSION
from app.store.conversation.rows_comparison import COMPARISON
from app.store.conversation.versions import leave_version, put_version
from app.store.database.damage import (
    UNKNOWN_TIME,
    Reading,
    a_list,
    a_model,
    a_text,
    a_text_list,
    a_text_or_none,
    a_time,
)
from app.store.database.mapping import decode_parameters, encode_parameters
from app.store.database.row_names import show_id
from app.store.ledger.sent_calls import move_sent_texts
from app.store.run.snapshots import delete_snapshots

TICK = timedelta(microseconds=1)
UNREADABLE_TEXT = "(This comparison cannot be read. Discard it.)"


async def load_open(session: AsyncSession, owner: str, conversation_id: str) -> Comparison | None:
    """Return the open comparison of a conversation, or None if there is none."""
    return await _load(session, owner, conversation_id, COMPARISON.c.closed_at.is_(None))


async def load_discarded(session: AsyncSession, owner: str, conversation_id: str) -> Comparison | None:
    """Return the comparison of a conversation that was discarded last, or None if none was discarded."""
    return await _load(session, owner, conversation_id, COMPARISON.c.closed_at.is_not(None))


async def insert_comparison(session: AsyncSession, owner: str, comparison: Comparison) -> None:
    """Insert an open comparison.

    Raises:
        IntegrityError: another comparison is open in the conversation.
    """
    columns = asdict(comparison) | {"owner": owner, "parameters": encode_parameters(comparison.parameters)}
    await session.execute(insert(COMPARISON), columns)


async def close(session: AsyncSession, comparison: Comparison, now: datetime | None) -> None:
    """Discard a comparison, or open it again if `now` is None.

    Raises:
        IntegrityError: another comparison is open in the conversation.
    """
    if now is not None:  # its time of discarding must be the latest, even if the clock went back
        newest = select(func.max(COMPARISON.c.closed_at)).where(
            COMPARISON.c.conversation_id == comparison.conversation_id
        )
        before = (await session.execute(newest)).scalar_one()
        now = now if not isinstance(before, datetime) else max(now, before + TICK)
    await session.execute(update(COMPARISON).where(COMPARISON.c.id == comparison.id).values(closed_at=now))


async def move_into_pair(session: AsyncSession, owner: str, chosen: ChosenRun, pair: Pair, revision: int) -> None:
    """Insert a new pair with all replies of a comparison as its versions, and delete the conversations of the replies.

    `pair` is the new pair, with the reply that the user chose. The replies are moved from their conversations.
    """
    await insert_pair(session, owner, replace(pair, reply=None), revision)
    await _move_replies(session, owner, chosen, pair)
    stands = {"reply_id": None if pair.reply is None else pair.reply.id, "version": pair.version}
    await session.execute(update(PAIR).where(PAIR.c.id == pair.id), stands | {"versions": pair.versions})
    await _remove(session, chosen.comparison)


async def move_into_place(  # noqa: PLR0913, PLR0917 - those of move_into_pair, and the earlier pair
    session: AsyncSession, owner: str, chosen: ChosenRun, before: Pair, again: Pair, revision: int
) -> None:
    """Add all replies of a comparison to an existing pair as further versions. Otherwise like `move_into_pair`.

    `before` is the pair as stored: its messages become an earlier version. `again` is the pair after the change.
    """
    await leave_version(session, owner, before)
    await delete_snapshots(session, (before.id,))  # only the current version of a pair has a snapshot
    await _move_replies(session, owner, chosen, again)
    await put_version(session, again, revision)
    await _remove(session, chosen.comparison)


async def _move_replies(session: AsyncSession, owner: str, chosen: ChosenRun, pair: Pair) -> None:
    """Make the replies of a comparison the newest versions of this pair, and move the rows of their runs to it."""
    here = {"conversation_id": pair.conversation_id, "pair_id": pair.id}
    first = pair.versions - len(chosen.pairs) + 1
    for number, (run, one) in enumerate(zip(chosen.comparison.runs, chosen.pairs, strict=True), start=first):
        if one.reply is not None:
            await session.execute(update(MESSAGE).where(MESSAGE.c.id == one.reply.id).values(**here))
        sent = [list(span) for span in run.sent]
        await session.execute(update(RUN).where(RUN.c.id == run.run_id).values(**here, sent=sent))
        await move_sent_texts(session, one.id, pair.id)
        caches = update(PROMPT_CACHE).where(PROMPT_CACHE.c.run_id == run.run_id)
        await session.execute(caches.values(conversation_id=pair.conversation_id))
        standing = number == pair.version
        if standing:
            await session.execute(update(SNAPSHOT).where(SNAPSHOT.c.pair_id == one.id).values(pair_id=pair.id))
        await session.execute(insert(VERSION), _encode_version(owner, pair, one, number, standing=standing))
    await use_attachments(session, owner, pair.conversation_id, [one.reply for one in chosen.pairs])


async def _remove(session: AsyncSession, comparison: Comparison) -> None:
    """Delete the conversations of the replies, and the comparison."""
    made_in = [run.conversation_id for run in comparison.runs]
    await session.execute(delete(CONVERSATION).where(CONVERSATION.c.id.in_(made_in)))
    await session.execute(delete(COMPARISON).where(COMPARISON.c.id == comparison.id))


async def _load(session: AsyncSession, owner: str, conversation_id: str, condition: Any) -> Comparison | None:
    here = COMPARISON.c.conversation_id == conversation_id, COMPARISON.c.owner == owner
    query = select(COMPARISON).where(*here, condition).order_by(COMPARISON.c.closed_at.desc()).limit(1)
    row = (await session.execute(query)).mappings().one_or_none()
    if row is None:
        return None
    return _decode(row)


def _decode(row: Any) -> Comparison:
    """Decode a comparison. A damaged comparison has no replies to choose from and can be discarded."""
    take = (reading := Reading("comparison", show_id(row["id"]))).take

    def text_or_none(column: str) -> str | None:
        return take(column, row[column], a_text_or_none, None)

    comparison = Comparison(
        id=row["id"],
        conversation_id=row["conversation_id"],
        text=take("text", row["text"], a_text, UNREADABLE_TEXT),
        topic=text_or_none("topic"),
        parameters=take("parameters", row["parameters"], decode_parameters, NO_PARAMETERS),
        runs=take("runs", row["runs"], lambda runs: tuple(map(decode_run, a_list(runs))), ()),
        created_at=take("created_at", row["created_at"], a_time, UNKNOWN_TIME),
        closed_at=take("closed_at", row["closed_at"], lambda at: None if at is None else a_time(at), UNKNOWN_TIME),
        pair_id=text_or_none("pair_id"),
        request_id=text_or_none("request_id"),
        gone=take("gone", row["gone"], a_text_list, ()),
    )
    return replace(comparison, runs=()) if reading.damage else comparison


def decode_run(value: Any) -> ComparedRun:
    """Decode the stored entry of one compared model: its run, pair and conversation, and the pairs that were sent."""
    return ComparedRun(
        conversation_id=a_text(value["conversation_id"]),
        pair_id=a_text(value["pair_id"]),
        run_id=a_text(value["run_id"]),
        model=a_model(value["model"]),
        sent=tuple((first, last) for first, last in value["sent"]),
    )


def _encode_version(owner: str, pair: Pair, one: Pair, number: int, *, standing: bool) -> dict[str, Any]:
    return {
        "pair_id": pair.id,
        "number": number,
        "owner": owner,
        "request_id": pair.request.id,
        "reply_id": None if one.reply is None else one.reply.id,
        "run_id": one.run_id,
        "model": one.model,
        "parameters": encode_parameters(one.parameters),
        "agent_id": one.agent_id,
        "agent": one.agent,
        "lifecycle": None if standing else one.lifecycle,
        "created_at": one.created_at,
    }
