"""A filter selects in the real database what it selects in memory, for any filter and pairs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from sqlalchemy import case

from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.filters.evaluation.combining import combine, list_parts
from app.domain.filters.evaluation.condition import Condition
from app.domain.filters.evaluation.lowering import BoundaryPairs, lower_base, lower_view
from app.domain.filters.evaluation.scope import FilterScope
from app.domain.filters.evaluation.selection import select_pairs
from app.domain.filters.language.syntax import Filter
from app.domain.tokens.estimates import Estimator, measure_pair
from app.runs.request import indexes
from app.runs.request.indexes import Indexer
from app.store.conversation.conversations import insert_conversation
from app.store.conversation.pairs import insert_pair
from app.store.conversation.rows import PAIR
from app.store.database.database import Store, open_store
from app.store.filters import filter_queries
from tests.databases import lay_database
from tests.domain.filters.strategies import (
    CONVERSATIONS,
    KNOWN_FILTERS,
    NOW,
    POOL,
    SCOPES,
    newest_that_fit,
    patient,
)
from tests.effort import examples
from tests.store.values import OWNER, a_conversation

VOCABULARY = "words"
ESTIMATOR = Estimator("anthropic", permille=1_180, per_message=1)


def count(text: str) -> int:
    """Count words: small enough for the numbers in the filters."""
    return len(text.split())


async def count_all(_vocabulary: str, texts: Sequence[str]) -> list[int]:
    return list(map(count, texts))


def estimate(pair: Pair) -> int:
    return ESTIMATOR.of_pair(measure_pair(pair, count))


def as_stored(pair: Pair) -> Pair:
    """Return a pair as the database may store it: failures come with an error, and no reply is running."""
    over = pair.lifecycle in {Lifecycle.SUCCEEDED, Lifecycle.ERROR, Lifecycle.CANCELED}
    request = replace(pair.request, id=f"{pair.id}-asked")
    reply = None if pair.reply is None else replace(pair.reply, id=f"{pair.id}-answered")
    lifecycle = pair.lifecycle if over else Lifecycle.CANCELED
    return replace(pair, request=request, reply=reply, lifecycle=lifecycle, failure=None)


class Database:
    """One conversation with all possible pairs; the pairs that a case does not have are deleted in it."""

    def __init__(self, path: Path) -> None:
        self._runner = asyncio.Runner()
        self._stack = AsyncExitStack()
        self._store: Store = self._runner.run(self._open(path))

    def close(self) -> None:
        self._runner.run(self._stack.aclose())
        self._runner.close()

    def select(self, tree: Filter, pairs: list[Pair], scope: FilterScope) -> list[str]:
        return self._runner.run(self._select(tree, pairs, scope))

    async def _open(self, path: Path) -> Store:
        store = await self._stack.enter_async_context(open_store(f"sqlite+aiosqlite:///{path}"))
        async with store.write() as session:
            await insert_conversation(session, a_conversation("c1"))
            for pair in POOL:
                await insert_pair(session, OWNER, as_stored(pair), 1)
        await Indexer(store).index_pairs(OWNER, "c1", 1, VOCABULARY)
        return store

    async def _select(self, tree: Filter, pairs: list[Pair], scope: FilterScope) -> list[str]:
        kept = [pair.id for pair in pairs]
        async with self._store.write() as session:
            deleted = case((PAIR.c.id.in_(kept), None), else_=NOW)
            await session.execute(PAIR.update().values(deleted_at=deleted))

        async with self._store.read() as session:

            async def find(condition: Condition) -> frozenset[str]:
                return frozenset(
                    await filter_queries.select_pairs(session, OWNER, "c1", condition, ESTIMATOR, VOCABULARY)
                )

            base = await find(lower_base(tree, scope))
            base_pairs = [pair for pair in pairs if pair.id in base]
            boundary = BoundaryPairs(tuple(pair.id for pair in base_pairs), frozenset(newest_that_fit(base_pairs)))
            view = lower_view(tree, scope, boundary)
            shown = combine(view, base, {part: await find(part) for part in list_parts(view)})
        return [pair.id for pair in pairs if pair.id in shown]


@pytest.fixture(scope="module")
def database_of_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(indexes, "count_texts", count_all)
        opened = Database(lay_database(tmp_path_factory.mktemp("selecting")))
        yield opened
        opened.close()


@settings(patient, max_examples=examples(400))
@given(KNOWN_FILTERS, CONVERSATIONS, SCOPES)
def test_the_database_selects_what_the_memory_selects(
    database_of_all: Database, tree: Filter, pairs: list[Pair], scope: FilterScope
) -> None:
    pairs = [as_stored(pair) for pair in pairs]

    in_memory = [pair.id for pair in select_pairs(tree, pairs, scope, estimate, newest_that_fit).visible]

    assert database_of_all.select(tree, pairs, scope) == in_memory
