"""Random values as states hold them: lists of rows, rows in rows, growing texts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hypothesis import strategies as st


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Row:
    id: int
    text: str = ""
    stars: int | None = 0
    share: float = 0.0
    colour: Colour = Colour.RED
    tags: tuple[str, ...] = ()
    inner: Row | None = None


TEXTS = st.text('ab\n😀\u2028é"\\', max_size=6)
NUMBERS = st.integers(-9, 9) | st.sampled_from([2**53 + 1, 2**63, -(2**70)])
SHARES = st.sampled_from([0.0, -0.0, 1.0, 0.1, 1e300])
TAGS = st.lists(st.sampled_from("xyz"), max_size=3).map(tuple)
ROWS = st.recursive(
    st.builds(Row, id=st.integers(0, 9), text=TEXTS, stars=st.none() | NUMBERS, share=SHARES),
    lambda inner: st.builds(Row, id=st.integers(0, 9), colour=st.sampled_from(Colour), tags=TAGS, inner=inner),
    max_leaves=3,
)
SCALARS = st.none() | st.booleans() | NUMBERS | TEXTS | SHARES
VALUES = st.recursive(
    SCALARS | ROWS, lambda inner: st.lists(inner, max_size=5) | st.lists(inner, max_size=5).map(tuple), max_leaves=12
)


def same(one: Any, other: Any) -> bool:
    """Return whether two plain values are the same JSON: 1 is neither true nor 1.0."""
    return json.dumps(one) == json.dumps(other)
