"""A count: what the provider itself says a send would come to, beside what was estimated."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CountView:
    """`tokens` is exact for this request; `estimated` is what the page shows for it. Later estimates are corrected."""

    model: str
    tokens: int
    estimated: int
