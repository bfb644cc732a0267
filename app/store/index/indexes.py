"""The indexes of pairs: their words as filters search them, their sizes in a vocabulary.

Both say nothing that the messages do not say; whatever is missing or speaks of other messages is made again from them.
The reply of a run that is on is not looked at until it is over.

Not here: counting (`runs/request/indexes.py` has it done) and asking (`filter_queries.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Join, Select, Table, and_, bindparam, delete, func, or_, select
from sqlalchemy.dialects.sqlite import Insert, insert
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import RUNNING
from app.domain.tokens.estimates import PairSizes
from app.store.conversation.pairs import NOT_DELETED, load_pairs_by_id
from app.store.conversation.rows import PAIR
from app.store.index.rows_index import PAIR_SIZE, PAIR_TEXT


@dataclass(frozen=True, slots=True)
class PairText:
    """What filters ask of a pair's words. `blank`: the reply has nothing that could be sent."""

    searched_text: str
    attachment: bool
    blank: bool
    tools: tuple[str, ...]
    damaged: bool = False


@dataclass(frozen=True, slots=True)
class Indexed:
    """What the indexes are to hold of a pair."""

    pair: Pair
    text: PairText
    sizes: PairSizes


@cache
def join_indexes(vocabulary: str) -> Join:
    """Pairs with what the indexes say of the messages that they have now; NULL where they say nothing."""
    of_size = and_(_same_messages(PAIR_SIZE), PAIR_SIZE.c.vocabulary == vocabulary)
    return PAIR.outerjoin(PAIR_TEXT, _same_messages(PAIR_TEXT)).outerjoin(PAIR_SIZE, of_size)


async def load_unindexed(  # noqa: PLR0913 - whose, where, how counted, and how many
    session: AsyncSession,
    owner: str,
    conversation_id: str,
    vocabulary: str,
    *,
    after_revision: int,
    after_position: int,
    limit: int,
) -> tuple[Pair, ...]:
    """Some of the pairs that changed after a revision, stand after a position, and are not in the indexes.

    Oldest first. Those that are in the indexes by now are not walked again for the next ones.
    """
    asked = {
        "conversation_id": conversation_id,
        "owner": owner,
        "after": after_revision,
        "after_position": after_position,
        "most": limit,
    }
    statement = _next_unindexed(vocabulary, asks_all=after_revision < 0)
    ids = tuple((await session.execute(statement, asked)).scalars())
    return await load_pairs_by_id(session, owner, ids) if ids else ()


async def has_unindexed(
    session: AsyncSession, owner: str, conversation_id: str, vocabulary: str, *, after_revision: int
) -> bool:
    """Whether `load_unindexed` would find any."""
    asked = {"conversation_id": conversation_id, "owner": owner, "after": after_revision}
    return (await session.execute(_any_unindexed(vocabulary), asked)).first() is not None


async def count_unindexed(
    session: AsyncSession, owner: str, conversation_id: str, vocabulary: str, *, after_revision: int
) -> int:
    """How many pairs `load_unindexed` would find in all."""
    asked = {"conversation_id": conversation_id, "owner": owner, "after": after_revision}
    return (await session.execute(_count_unindexed(vocabulary), asked)).scalar_one()


@cache
def _next_unindexed(vocabulary: str, *, asks_all: bool) -> Select[str]:
    """What `load_unindexed` asks: made once, as making it takes longer than asking.

    All pairs are read by position, the few that changed are found by revision (as in `sizes.py`).
    """
    position = PAIR.c.position if asks_all else PAIR.c.position + 0
    asked = _unindexed(vocabulary).where(position > bindparam("after_position"))
    return asked.order_by(position).limit(bindparam("most"))


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
            or_(PAIR_TEXT.c.pair_id.is_(None), PAIR_SIZE.c.pair_id.is_(None)),
        )
    )


async def find_mistaken(session: AsyncSession, damaged: Sequence[str], whole: Sequence[str]) -> dict[str, str]:
    """Those of these pairs that the indexes take for whole, or for damaged, by mistake; each with its conversation."""
    mistaken = or_(
        and_(PAIR_TEXT.c.pair_id.in_(damaged), PAIR_TEXT.c.damaged.is_(False)),
        and_(PAIR_TEXT.c.pair_id.in_(whole), PAIR_TEXT.c.damaged.is_(True)),
    )
    rows = await session.execute(select(PAIR_TEXT.c.pair_id, PAIR_TEXT.c.conversation_id).where(mistaken))
    return {row.pair_id: row.conversation_id for row in rows}


async def forget_indexed(session: AsyncSession, pair_ids: Sequence[str]) -> None:
    """Let the indexes be made again of these pairs."""
    await session.execute(delete(PAIR_TEXT).where(PAIR_TEXT.c.pair_id.in_(pair_ids)))


async def save_indexed(session: AsyncSession, vocabulary: str, indexed: Sequence[Indexed]) -> None:
    """Put these into the indexes, in the place of what stood there of the same pairs. Pairs that are gone are not."""
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
    """A row into this index, in the place of what stood there."""
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
    """Damage that equals no id in an index. The index marks such a pair as damaged."""
    return or_(func.typeof(stored) == "blob", stored.op("GLOB")("*[^ -~]*"))  # in an id all is ASCII


def _place(pair: Pair) -> dict[str, str | None]:
    return {
        "pair_id": pair.id,
        "conversation_id": pair.conversation_id,
        "request_id": pair.request.id,
        "reply_id": None if pair.reply is None else pair.reply.id,
    }
