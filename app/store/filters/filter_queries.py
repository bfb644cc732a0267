"""Filters in the database: translates conditions to SQL, and selects the pairs of a conversation that meet them.

`domain/filters/evaluation/selection.py` evaluates the same conditions on pairs in memory; tests compare the two. The
SQL reads the table `pair` and its two indexes (`indexes.py`). The caller must update the indexes first.

    found = await select_pairs(session, owner, conversation_id, condition, estimator, vocabulary)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, assert_never

import orjson
from sqlalchemy import ColumnElement, and_, case, false, func, literal, or_, select, true
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.filters.bar.chips import Occurring
from app.domain.filters.evaluation.condition import (
    AllOf,
    AnyOf,
    CalledOneOf,
    CompareNumber,
    CompareTime,
    Condition,
    ContainsText,
    Fact,
    Has,
    Key,
    Negated,
    Newest,
    Number,
    OneOf,
)
from app.domain.filters.language.syntax import Op
from app.domain.tokens.estimates import THOUSAND, Estimator
from app.domain.topics.topics import TopicTree
from app.store.conversation.rows import PAIR
from app.store.index.indexes import join_indexes
from app.store.index.rows_index import PAIR_SIZE, PAIR_TEXT

Sql = ColumnElement[bool]
EMPTY_LIST = "[]"


async def select_pairs(  # noqa: PLR0913, PLR0917 - owner, conversation, condition, and counting
    session: AsyncSession,
    owner: str,
    conversation_id: str,
    condition: Condition,
    estimator: Estimator,
    vocabulary: str,
) -> Mapping[str, int]:
    """Return the ids of the pairs of a conversation that meet the condition, with their positions."""
    image_tokens: Mapping[str, int] = {}
    if _counts(condition):
        image_tokens = await _count_images(session, conversation_id, estimator, vocabulary)
    reader = _Reader(owner, conversation_id, vocabulary, estimator, image_tokens)
    query = select(PAIR.c.id, PAIR.c.position).select_from(reader.source()).where(reader.holds(condition))
    return {row.id: row.position for row in await session.execute(query)}


async def select_names(session: AsyncSession, owner: str, conversation_id: str) -> tuple[tuple[str, ...], ...]:
    """Return the models of a conversation's pairs, and the names of the tools called, both in alphabetical order."""
    here = and_(PAIR.c.conversation_id == conversation_id, PAIR.c.owner == owner, PAIR.c.deleted_at.is_(None))
    models = (await session.execute(select(PAIR.c.model).where(here).distinct())).scalars()
    called = select(PAIR_TEXT.c.tools).join(PAIR, PAIR.c.id == PAIR_TEXT.c.pair_id).where(here)
    lists = (await session.execute(called.where(func.json_array_length(PAIR_TEXT.c.tools) > 0).distinct())).scalars()
    return tuple(sorted(models)), tuple(sorted({tool for tools in lists for tool in tools}))


async def select_occurring(session: AsyncSession, owner: str, conversation_id: str, topics: TopicTree) -> Occurring:
    """Return the values that occur in a conversation's pairs: stars, flags, topics, models and so on.

    A pair that is not in the index yet counts as a pair without files and tool calls.
    """
    here = and_(PAIR.c.conversation_id == conversation_id, PAIR.c.owner == owner, PAIR.c.deleted_at.is_(None))
    facts = (Fact.FLAG, Fact.ATTACHMENT, Fact.ERROR, Fact.TOOL_CALL)
    columns = (func.count(), func.max(PAIR.c.stars), *(func.max(case((_FACTS[fact], 1), else_=0)) for fact in facts))
    source = PAIR.outerjoin(PAIR_TEXT, PAIR_TEXT.c.pair_id == PAIR.c.id)
    found: Sequence[Any] = (await session.execute(select(*columns).select_from(source).where(here))).one()
    any_pair, starred, flagged, attached, failed, called_tool = map(bool, found)
    used = set((await session.execute(select(PAIR.c.topic).where(here).distinct())).scalars())
    models = (await session.execute(select(PAIR.c.model).where(here).distinct())).scalars()
    return Occurring(
        any_pair,
        starred,
        flagged,
        attached,
        failed,
        called_tool,
        tuple(path for topic_id, path in topics.paths.items() if topic_id in used),
        tuple(sorted(models)),
    )


def _counts(condition: Condition) -> bool:
    """Return True if the condition compares the tokens of pairs."""
    match condition:
        case AllOf(conditions) | AnyOf(conditions):
            return any(map(_counts, conditions))
        case Negated(inner) | Newest(_, inner):
            return _counts(inner)
        case CompareNumber(number):
            return number is Number.TOKENS
        case _:
            return False


async def _count_images(
    session: AsyncSession, conversation_id: str, estimator: Estimator, vocabulary: str
) -> Mapping[str, int]:
    """Return the tokens of the images of each pair with images.

    The database does not compute these tokens, because SQL cannot express the formulas. Few pairs have images.
    """
    query = select(PAIR_SIZE.c.pair_id, PAIR_SIZE.c.images).where(
        PAIR_SIZE.c.conversation_id == conversation_id,
        PAIR_SIZE.c.vocabulary == vocabulary,
        func.json_array_length(PAIR_SIZE.c.images) > 0,
    )
    rows = await session.execute(query)
    return {pair_id: sum(estimator.of_image(width, height) for width, height in images) for pair_id, images in rows}


_COMPARE: Mapping[Op, Callable[[Any, Any], Any]] = MappingProxyType(
    {
        Op.EQUAL: operator.eq,
        Op.LESS: operator.lt,
        Op.AT_MOST: operator.le,
        Op.MORE: operator.gt,
        Op.AT_LEAST: operator.ge,
    }
)

_KEYS: Mapping[Key, ColumnElement[Any]] = MappingProxyType(
    {
        Key.ID: PAIR.c.id,
        Key.TOPIC: PAIR.c.topic,
        Key.MODEL: PAIR.c.model,
        Key.AGENT: PAIR.c.agent_id,
        Key.MARK: PAIR.c.mark,
    }
)

_FACTS: Mapping[Fact, Sql] = MappingProxyType(
    {
        Fact.FLAG: PAIR.c.flagged,
        Fact.ATTACHMENT: func.coalesce(PAIR_TEXT.c.attachment, false()),
        Fact.ERROR: PAIR.c.lifecycle == Lifecycle.ERROR,
        Fact.TOOL_CALL: func.coalesce(func.json_array_length(PAIR_TEXT.c.tools), 0) > 0,
    }
)


class _Reader:
    """Translates conditions to SQL for one conversation. The SQL is true or false, never NULL, so `NOT` is safe."""

    def __init__(
        self,
        owner: str,
        conversation_id: str,
        vocabulary: str,
        estimator: Estimator,
        image_tokens: Mapping[str, int],
    ) -> None:
        self._owner = owner
        self._conversation_id = conversation_id
        self._vocabulary = vocabulary
        self._estimator = estimator
        self._image_tokens = image_tokens

    def source(self) -> Any:
        """Return the SQL join of pairs with their index rows, from which the queries select."""
        return join_indexes(self._vocabulary)

    def holds(self, condition: Condition) -> Sql:
        """Return the SQL that is true for the pairs of this conversation that meet the condition."""
        here = and_(
            PAIR.c.conversation_id == self._conversation_id,
            PAIR.c.owner == self._owner,
            PAIR.c.deleted_at.is_(None),
        )
        return and_(here, self._read(condition))

    def _read(self, condition: Condition) -> Sql:
        match condition:
            case AllOf(conditions):
                return and_(true(), *map(self._read, conditions))
            case AnyOf(conditions):
                return or_(false(), *map(self._read, conditions))
            case Negated(inner):
                return ~self._read(inner)
            case CompareNumber(number, op, value):
                return _COMPARE[op](PAIR.c.stars if number is Number.STARS else self._tokens(), value)
            case CompareTime(op, instant):
                return _COMPARE[op](PAIR.c.created_at, instant)
            case OneOf(key, values):
                return and_(_KEYS[key].is_not(None), _KEYS[key].in_(_listed(values)))
            case Has(fact):
                return _FACTS[fact]
            case CalledOneOf(names):
                tools = func.coalesce(PAIR_TEXT.c.tools, EMPTY_LIST)
                called = func.json_each(tools).table_valued("value", name="called")
                return select(1).select_from(called).where(called.c.value.in_(_listed(names))).exists()
            case ContainsText(pieces):
                words = func.coalesce(PAIR_TEXT.c.searched_text, "")
                found = and_(true(), *(func.instr(words, piece) > 0 for piece in pieces))
                return found if len(pieces) == 1 else and_(found, func.in_order(words, _written(pieces)) == 1)
            case Newest(count, among):
                newest = (
                    select(PAIR.c.position)
                    .select_from(self.source())
                    .where(self.holds(among))
                    .order_by(PAIR.c.position.desc())
                    .limit(count)
                    .correlate(None)
                    .subquery()
                )
                # Selected by position, not by id, so that SQLite reads only these pairs and not the whole conversation.
                oldest = select(func.min(newest.c.position)).scalar_subquery()
                return and_(PAIR.c.position >= oldest, self._read(among))
            case _:
                assert_never(condition)

    def _tokens(self) -> ColumnElement[int]:
        """Return the SQL for the estimated tokens of a pair, as in `Estimator.of_pair`."""
        of, size = self._estimator, PAIR_SIZE.c
        thinking = case((size.thinking_vendor == of.vendor, size.thinking), else_=0)
        counted = (size.text + thinking) * of.permille
        # The division rounds up, because both numbers are whole and not negative.
        words = (counted + (THOUSAND - 1)) // THOUSAND + size.messages * of.per_message
        if not self._image_tokens:
            return func.coalesce(words, 0)
        images = literal(orjson.dumps(dict(self._image_tokens)).decode())
        of_pair = func.coalesce(func.json_extract(images, literal('$."').concat(PAIR.c.id).concat('"')), 0)
        return func.coalesce(words, 0) + of_pair


def _listed(values: Sequence[str]) -> Any:
    """Return values as one parameter, because a database limits the number of parameters of a statement."""
    return select(func.json_each(_written(values)).table_valued("value", name="wanted").c.value)


def _written(values: Sequence[str]) -> str:
    return orjson.dumps(list(values)).decode()
