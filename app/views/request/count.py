"""The view of a count: the exact tokens of a send as the provider counts them, with the estimate."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CountView:
    """A count. `tokens` is exact for this request, `estimated` is the page's estimate. It corrects later estimates."""

    model: str
    tokens: int
    estimated: int
