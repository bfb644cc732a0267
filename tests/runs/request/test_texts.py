from __future__ import annotations

import sys
from collections.abc import Sequence

import pytest

from app.runs.request import texts
from app.runs.request.texts import count_text


async def test_a_long_text_is_counted_once_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[int]()

    async def count(_vocabulary: str, some: Sequence[str]) -> list[int]:
        asked.append(len(some))
        return [7] * len(some)

    monkeypatch.setattr(texts, "count_texts", count)
    text = "A long text of this test. " * 1_000
    before = sys.getrefcount(text)

    assert [await count_text("o200k_base", text) for _ in range(2)] == [7, 7]
    assert asked == [1]
    assert sys.getrefcount(text) == before
