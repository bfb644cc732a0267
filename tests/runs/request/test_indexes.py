"""Counts of pairs before they are needed: during the import, batch by batch, with reports of the progress."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import orjson
import pytest
from sqlalchemy import delete, select

from app.providers.counts.vocabularies import CL100K, O200K
from app.runs.app_context import AppContext
from app.runs.request import indexes
from app.runs.request.indexes import BATCH, Indexer
from app.runs.runtime.event_bus import PairsCounted
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.composition import compose_view
from app.runs.send.context_selection import ViewOptions
from app.runs.transfer.importing import import_file
from app.store.index.indexes import has_unindexed
from app.store.index.rows_index import PAIR_SIZE, PAIR_TEXT
from tests.runs.exchange import PAIR_BY_HAND
from tests.runs.steps import count_own_statements

NEVER = -1


async def imported(ctx: AppContext, count: int, model: str = "offline:demo") -> str:
    """Import a conversation of `count` pairs from a file."""
    pairs = [{**PAIR_BY_HAND, "user_text": f"Question {number}"} for number in range(count)]
    file = orjson.dumps({"title": "Plans", "model": model, "pairs": pairs})
    (one,) = await import_file(ctx, LOCAL_OWNER, file)
    return one.id


async def forget_indexes(ctx: AppContext) -> None:
    async with ctx.store.write() as session:
        await session.execute(delete(PAIR_TEXT))
        await session.execute(delete(PAIR_SIZE))


async def stored_indexes(ctx: AppContext) -> tuple[list[object], list[object]]:
    async with ctx.store.read() as session:
        texts = (await session.execute(select(PAIR_TEXT).order_by(PAIR_TEXT.c.pair_id))).all()
        sizes = (await session.execute(select(PAIR_SIZE).order_by(PAIR_SIZE.c.pair_id))).all()
    return list(map(tuple, texts)), list(map(tuple, sizes))


@pytest.mark.parametrize("count", [3, 120], ids=["in one transaction", "in slices"])
@pytest.mark.parametrize(("model", "vocabulary"), [("offline:demo", O200K), ("openai:gpt-4", CL100K)])
async def test_what_was_imported_is_counted_by_then(ctx: AppContext, count: int, model: str, vocabulary: str) -> None:
    conversation_id = await imported(ctx, count, model)

    async with ctx.store.read() as session:
        assert not await has_unindexed(session, LOCAL_OWNER, conversation_id, vocabulary, after_revision=NEVER)


async def test_what_the_import_counts_is_what_counting_it_later_finds(ctx: AppContext) -> None:
    conversation_id = await imported(ctx, 120)
    at_import = await stored_indexes(ctx)
    await forget_indexes(ctx)

    await Indexer(ctx.store).index_pairs(LOCAL_OWNER, conversation_id, 1, O200K)

    assert at_import == await stored_indexes(ctx)
    assert len(at_import[1]) == 120


async def test_first_estimate_after_an_import_counts_no_pair(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    conversation_id = await imported(ctx, 120)

    async def refuse(_pairs: object, _vocabulary: str) -> None:
        raise AssertionError("A pair was counted again.")

    monkeypatch.setattr(indexes, "describe_pairs", refuse)
    composed = await compose_view(ctx, LOCAL_OWNER, conversation_id, ViewOptions())

    assert composed.composition.x == 120


async def test_counting_reports_its_progress_and_its_end(ctx: AppContext) -> None:
    conversation_id = await imported(ctx, 2 * BATCH + 20)
    await forget_indexes(ctx)
    feed = ctx.event_bus.subscribe(LOCAL_OWNER, conversation_id)

    await ctx.indexer.index_pairs(LOCAL_OWNER, conversation_id, 1, O200K)

    total = 2 * BATCH + 20
    told = [await feed.__anext__() for _ in range(3)]
    assert told == [PairsCounted(BATCH, total), PairsCounted(2 * BATCH, total), PairsCounted(total, total)]


async def test_failed_counting_is_reported_as_ended(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    conversation_id = await imported(ctx, BATCH + 20)
    await forget_indexes(ctx)
    feed = ctx.event_bus.subscribe(LOCAL_OWNER, conversation_id)

    async def fail(_vocabulary: str, _texts: Sequence[str]) -> list[int]:
        raise RuntimeError("The process that counts tokens does not start.")

    monkeypatch.setattr(indexes, "count_texts", fail)
    with pytest.raises(RuntimeError):
        await ctx.indexer.index_pairs(LOCAL_OWNER, conversation_id, 1, O200K)

    assert await feed.__anext__() == PairsCounted(BATCH + 20, BATCH + 20)


async def test_what_was_counted_before_a_restart_is_not_counted_again(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation_id = await imported(ctx, 3 * BATCH)
    await forget_indexes(ctx)
    count, counted = indexes.count_texts, list[int]()

    async def note(vocabulary: str, texts: Sequence[str]) -> list[int]:
        if len(counted) == 2:
            raise asyncio.CancelledError  # the process ends in the middle of the third batch
        counted.append(len(texts))
        return await count(vocabulary, texts)

    monkeypatch.setattr(indexes, "count_texts", note)
    with pytest.raises(asyncio.CancelledError):
        await Indexer(ctx.store).index_pairs(LOCAL_OWNER, conversation_id, 1, O200K)
    counted.clear()

    await Indexer(ctx.store).index_pairs(LOCAL_OWNER, conversation_id, 1, O200K)

    assert counted == [2 * BATCH]  # a request and a reply for each pair


async def test_counting_on_does_not_walk_what_was_counted_before(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation_id = await imported(ctx, 3 * BATCH)
    await forget_indexes(ctx)
    begun, load = list[int](), indexes.load_unindexed

    async def note(*args: Any) -> object:
        begun.append(args[-1].after_position)
        return await load(*args)

    monkeypatch.setattr(indexes, "load_unindexed", note)
    asked = count_own_statements(ctx)
    await ctx.indexer.index_pairs(LOCAL_OWNER, conversation_id, 1, O200K)

    assert begun == [-1, BATCH, 2 * BATCH, 3 * BATCH]
    assert any("pair.position > " in statement for statement in asked)
