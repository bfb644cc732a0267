from __future__ import annotations

import tracemalloc
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.text import pattern
from app.domain.text.pattern import fold

TEXTS = st.text(st.sampled_from("aB ß\nÉe\u0301\u0323가\u1100\u1161\u11a8\u0345İΣ\N{GRINNING FACE}"), max_size=40)


@given(TEXTS, st.integers(1, 5))
def test_a_text_that_is_folded_in_pieces_is_the_same_as_one_that_is_folded_whole(text: str, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pattern, "PIECE", size)
        assert fold(text) == normalize("NFC", text.casefold())


def test_folding_a_long_text_with_an_emoji_takes_little_more_memory_than_the_text() -> None:
    text = "\N{GRINNING FACE}" + "Plain words " * 100_000
    tracemalloc.start()
    try:
        assert len(fold(text)) == len(text)
        assert tracemalloc.get_traced_memory()[1] < 8 * len(text)
    finally:
        tracemalloc.stop()
