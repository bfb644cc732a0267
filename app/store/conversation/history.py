"""Queries of the history: the pairs of a conversation, and of its child conversations, by the kind of their messages.

The pairs of one conversation are ordered by their positions. With child conversations, all pairs are ordered by their
ids, and so by the time when they were added.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Text, and_, case, cast, false, func, literal, or_, select, true, union_all
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.message_kinds import MessageFilter, MessageKind
from app.store.conversation.conversations import not_in_trash, select_derived
from app.store.conversation.pair_bytes import REPLY, PairBytes, select_bytes
from app.store.conversation.pairs import NOT_DELETED
from app.store.conversation.rows import PAIR, RUN

# As texts, because SQLAlchemy would write JSON values instead.
_USAGE = cast(RUN.c.usage, Text)
_ROUNDS = cast(RUN.c.rounds, Text)
# Without the checks for valid JSON, SQLite could fail the whole query.
_LIST: ColumnElement[Any] = case((func.json_valid(_ROUNDS) == 1, _ROUNDS), else_="[]")


@dataclass(frozen=True, slots=True)
class HistoryRange:
    """The messages of a history that a query reads.

    - `children`: include the child conversations, their children, and so on.
    - `newest`: read the newest pairs first; otherwise, the oldest pairs first.
    - `beyond`: the key of a pair (`key_of`): read only the pairs that follow it in this order. "": read from the start.
    """

    wanted: MessageFilter
    children: bool = False
    newest: bool = False
    beyond: str = ""

    def key_of(self, pair: PairBytes) -> str:
        """Return the key of a pair: its id if child conversations are included, otherwise its position."""
        return pair.pair_id if self.children else str(pair.position)


async def load_history_bytes(
    session: AsyncSession, owner: str, conversation_id: str, part: HistoryRange, *, limit: int
) -> tuple[PairBytes, ...]:
    """Return the first `limit` pairs that have a message of this range, with their sizes in bytes."""
    key: ColumnElement[Any] = PAIR.c.id if part.children else PAIR.c.position
    query = (
        select_bytes()
        .outerjoin(RUN, RUN.c.id == PAIR.c.run_id)
        .where(PAIR.c.owner == owner, NOT_DELETED, _is_here(conversation_id, part), _has(part.wanted))
        .order_by(key.desc() if part.newest else key)
        .limit(limit)
    )
    if part.beyond:
        beyond = part.beyond if part.children else int(part.beyond)
        query = query.where(key < beyond if part.newest else key > beyond)
    return tuple(PairBytes(*row) for row in await session.execute(query))


def _is_here(conversation_id: str, part: HistoryRange) -> ColumnElement[bool]:
    if not part.children:
        return PAIR.c.conversation_id == conversation_id
    ids = union_all(select(literal(conversation_id)), select_derived(conversation_id))
    return and_(PAIR.c.conversation_id.in_(ids), not_in_trash(PAIR.c.conversation_id))


def _has(wanted: MessageFilter) -> ColumnElement[bool]:
    """Return the SQL that is true for the pairs with a message that meets the condition.

    The SQL does not read the parts as JSON. Only tool calls and tool results contain the key `tool_call_id`: quotes
    within a text are escaped.
    """
    of_kind = {
        MessageKind.HUMAN: true() if wanted.cache_hit is None else false(),
        MessageKind.ASSISTANT: PAIR.c.reply_id.is_not(None),
        MessageKind.TOOL: func.instr(REPLY.c.parts, '"tool_call_id":') > 0,
    }
    kind = or_(*(of_kind[one] for one in wanted.kinds)) if wanted.kinds else true()
    if wanted.cache_hit is None:
        return kind
    return and_(kind, PAIR.c.reply_id.is_not(None), _hits() if wanted.cache_hit else _misses())


def _hits() -> ColumnElement[bool]:
    """Return the SQL that is true if a call of the reply read input from the provider's cache."""
    rounds = func.json_each(_LIST).table_valued("value", name="one")
    of_rounds = select(1).select_from(rounds).where(_count(rounds.c.value, "$.usage.cache_read_tokens") > 0).exists()
    return or_(func.coalesce(_count(_USAGE, "$.cache_read_tokens"), 0) > 0, of_rounds)


def _misses() -> ColumnElement[bool]:
    return and_(~_hits(), or_(_USAGE.is_not(None), func.json_array_length(_LIST) > 0))


def _count(stored: Any, path: str) -> ColumnElement[int]:
    return func.json_extract(case((func.json_valid(stored) == 1, stored)), path)
