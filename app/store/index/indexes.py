"""The indexes of pairs: their text for filters, and their token counts in a vocabulary (the tokens of a tokenizer).

Both are built from the messages of a pair. A row that is missing, or was built from other messages, is built again. A
pair whose reply is running is not indexed.

Not here: counting (see `runs/request/indexes.py`) and queries (`filter_queries.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Join, Select, Table, and_, bindparam, delete, func, or_, select, type_coerce
from sqlalchemy.dialects.sqlite import Insert, insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.types import NullType

from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import RUNNING
from app.domain.tokens.estimates import PairSizes
from app.store.conversation.pairs import NOT_DELETED, load_pairs_by_id
from app.store.conversation.rows import PAIR
from app.store.index.batch import Batch
from app.store.index.rows_index import PAIR_SIZE, PAIR_TEXT


@dataclass(frozen=True, slots=True)
class PairText:
    """The text of a pair, and the facts that filters need.

    - `attachment`: it has an image or a file.
    - `blank`: the reply has no content to send.
    - `tools`: the names of the tools called.
    - `damaged`: a part of the pair cannot be read.
    """

    searched_text: str
    attachment: bool
    blank: bool
    tools: tuple[str, ...]
    damaged: bool = False


@dataclass(frozen=True, slots=True)
class Indexed:
    """A pair with its entries for the two indexes: its text for filters, and its token counts."""

    pair: Pair
    text: PairText
    sizes: PairSizes


@cache
def join_indexes(vocabulary: str) -> Join:
    """Return the SQL join of pairs with the index rows of their current messages. Missing index rows are NULL."""
    of_size = and_(_same_messages(PAIR_SIZE), PAIR_SIZE.c.vocabulary == vocabulary)
    return PAIR.outerjoin(PAIR_TEXT, _same_messages(PAIR_TEXT)).outerjoin(PAIR_SIZE, of_size)


async def load_unindexed(
    session: AsyncSession, owner: str, conversation_id: str, vocabulary: str, batch: Batch
) -> tuple[Pair, ...]:
    """Return the pairs of the batch that are not in the indexes, oldest first.

    To get the next pairs, pass the last position in the batch of the next call.
    """
    values = {
        "conversation_id": conversation_id,
        "owner": owner,
        "after": batch.after_revision,
        "after_position": batch.after_position,
        "most": batch.limit,
    }
    statement = _next_unindexed(vocabulary, asks_all=batch.asks_all)
    ids = tuple((await session.execute(statement, values)).scalars())
    return await load_pairs_by_id(session, owner, ids) if ids else ()


async def has_unindexed(
    session: AsyncSession, owner: str, conversation_id: str, vocabulary: str, *, after_revision: int
) -> bool:
    """Return True if `load_unindexed` would find a pair."""
    values = {"conversation_id": conversation_id, "owner": owner, "after": after_revision}
    return (await session.execute(_any_unindexed(vocabulary), values)).first() is not None


async def count_unindexed(
    session: AsyncSession, owner: str, conversation_id: str, vocabulary: str, *, after_revision: int
) -> int:
    """Count all pairs that `load_unindexed` would find."""
    values = {"conversation_id": conversation_id, "owner": owner, "after": after_revision}
    return (await session.execute(_count_unindexed(vocabulary), values)).scalar_one()


@cache
def _next_unindexed(vocabulary: str, *, asks_all: bool) -> Select[str]:
    """Return the query of `load_unindexed`. It is cached, because building it takes longer than running it.

    The query for all pairs reads them by position. The query for changed pairs finds them by revision.
    """
    position = PAIR.c.position if asks_all else PAIR.c.position + 0
    query = _unindexed(vocabulary).where(position > bindparam("after_position"))
    return query.order_by(position).limit(bindparam("most"))


@cache
def _any_unindexed(vocabulary: str) -> Select[str]:
    return _unindexed(vocabulary).limit(1)


@cache
def _count_unindexed(vocabulary: str) -> Select[int]:
    return select(func.count()).select_from(_unindexed(vocabulary).subquery())


def _unindexed(vocabulary: str) -> Select[str]:
    return (
        select(PAIR.c.id)
        .select_from(join_indexes(vocabulary))
        .where(
            PAIR.c.conversation_id == bindparam("conversation_id"),
            PAIR.c.owner == bindparam("owner"),
            PAIR.c.revision > bindparam("after"),
            NOT_DELETED,
            PAIR.c.lifecycle.not_in(RUNNING),
            or_(PAIR_TEXT.c.pair_id.is_(None), PAIR_SIZE.c.pair_id.is_(None), *_DAMAGED),
        )
    )


def _is_kind(table: Table, name: str, *kinds: str) -> ColumnElement[bool]:
    return func.typeof(type_coerce(table.c[name], NullType())).not_in(kinds)


_DAMAGED = (
    *(_is_kind(PAIR_SIZE, name, "integer") for name in ("text", "messages", "thinking")),
    _is_kind(PAIR_SIZE, "thinking_vendor", "text", "null"),
    *(_is_kind(PAIR_TEXT, name, "integer") for name in ("attachment", "blank", "damaged")),
    func.json_valid(type_coerce(PAIR_SIZE.c.images, NullType())) == 0,
    func.json_valid(type_coerce(PAIR_TEXT.c.tools, NullType())) == 0,
)
"""Conditions for rows with unreadable values. Their pairs are indexed again, as if the rows were missing."""


async def find_mistaken(session: AsyncSession, damaged: Sequence[str], whole: Sequence[str]) -> dict[str, str]:
    """Return the ids of pairs whose flag `damaged` in the index is wrong, each with the id of its conversation.

    `damaged` has the ids of pairs that are damaged, `whole` the ids of pairs that are not.
    """
    mistaken = or_(
        and_(PAIR_TEXT.c.pair_id.in_(damaged), PAIR_TEXT.c.damaged.is_(False)),
        and_(PAIR_TEXT.c.pair_id.in_(whole), PAIR_TEXT.c.damaged.is_(True)),
    )
    rows = await session.execute(select(PAIR_TEXT.c.pair_id, PAIR_TEXT.c.conversation_id).where(mistaken))
    return {row.pair_id: row.conversation_id for row in rows}


async def forget_indexed(session: AsyncSession, pair_ids: Sequence[str]) -> None:
    """Delete the index rows of these pairs, so that they are indexed again."""
    await session.execute(delete(PAIR_TEXT).where(PAIR_TEXT.c.pair_id.in_(pair_ids)))


async def save_indexed(session: AsyncSession, vocabulary: str, indexed: Sequence[Indexed]) -> None:
    """Insert or replace the index rows of these pairs. Pairs that no longer exist are skipped."""
    there = select(PAIR.c.id).where(PAIR.c.id.in_([one.pair.id for one in indexed]))
    ids = frozenset((await session.execute(there)).scalars())
    indexed = [one for one in indexed if one.pair.id in ids]
    texts = [
        {
            **_place(one.pair),
            "searched_text": one.text.searched_text,
            "attachment": one.text.attachment,
            "blank": one.text.blank,
            "damaged": one.text.damaged,
            "tools": list(one.text.tools),
        }
        for one in indexed
    ]
    sizes = [
        {
            **_place(one.pair),
            "vocabulary": vocabulary,
            "text": one.sizes.text,
            "messages": one.sizes.messages,
            "thinking": one.sizes.thinking,
            "thinking_vendor": one.sizes.thinking_vendor,
            "images": [list(image) for image in one.sizes.images],
        }
        for one in indexed
    ]
    for table, rows in ((PAIR_TEXT, texts), (PAIR_SIZE, sizes)):
        if rows:
            await session.execute(_put(table), rows)


@cache
def _put(table: Table) -> Insert:
    """Return the statement that inserts or replaces a row of this index."""
    statement = insert(table)
    new = {column.name: statement.excluded[column.name] for column in table.c if not column.primary_key}
    return statement.on_conflict_do_update(index_elements=table.primary_key, set_=new)


def _same_messages(index: Table) -> ColumnElement[bool]:
    same_reply = or_(index.c.reply_id == PAIR.c.reply_id, and_(index.c.reply_id.is_(None), PAIR.c.reply_id.is_(None)))
    return and_(
        index.c.pair_id == PAIR.c.id,
        or_(index.c.request_id == PAIR.c.request_id, _is_no_id(PAIR.c.request_id)),
        or_(same_reply, _is_no_id(PAIR.c.reply_id)),
    )


def _is_no_id(stored: ColumnElement[Any]) -> ColumnElement[bool]:
    """Return the condition for a damaged id. The index marks a pair with such an id as damaged."""
    return or_(func.typeof(stored) == "blob", stored.op("GLOB")("*[^ -~]*"))  # an id has only printable ASCII


def _place(pair: Pair) -> dict[str, str | None]:
    return {
        "pair_id": pair.id,
        "conversation_id": pair.conversation_id,
        "request_id": pair.request.id,
        "reply_id": None if pair.reply is None else pair.reply.id,
    }
