"""A long conversation is exported in slices, so that other requests run between them; the file is the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import orjson
import pytest

from app.domain.transfer.records import PairRecord
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.transfer import exporting
from app.runs.transfer.importing import import_file
from app.store.transfer import pair_records
from tests.runs.exchange import PAIR_BY_HAND, export
from tests.runs.steps import count_own_statements


@pytest.mark.parametrize("count", [5, 6, 7])
async def test_more_pairs_than_are_read_at_once_are_exported_in_order(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    pairs = [{**PAIR_BY_HAND, "user_text": f"Question {number}"} for number in range(count)]
    (one,) = await import_file(ctx, LOCAL_OWNER, orjson.dumps({"title": "Plans", "pairs": pairs}))
    monkeypatch.setattr(pair_records, "PLACES", 3)
    asked = count_own_statements(ctx)

    file = (await export(ctx, one.id)).decode()

    assert re.findall(r"Question \d", file) == [f"Question {number}" for number in range(count)]
    columns = ["SELECT", "pair.id,", "pair.position,", "pair.topic"]
    assert len([each for each in asked if each.split()[:4] == columns]) == count // 3 + 1


async def test_large_pairs_are_read_in_smaller_numbers(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [{**PAIR_BY_HAND, "user_text": f"Question {number}" + "x" * 900_000} for number in range(10)]
    (one,) = await import_file(ctx, LOCAL_OWNER, orjson.dumps({"title": "Plans", "pairs": pairs}))
    load, counts = exporting.load_records, list[int]()

    async def note_and_load(session: Any, owner: str, pair_ids: Sequence[str]) -> tuple[PairRecord, ...]:
        counts.append(len(pair_ids))
        return await load(session, owner, pair_ids)

    monkeypatch.setattr(exporting, "load_records", note_and_load)
    file = (await export(ctx, one.id)).decode()

    assert re.findall(r"Question \d", file) == [f"Question {number}" for number in range(10)]
    assert counts == [4, 4, 2]
