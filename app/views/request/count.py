"""The view of an exact count: the tokens of a send as the provider counts them, and the estimate."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CountView:
    """An exact count. `tokens` is the provider's count of the request, `estimated` the estimate of the page.

    Later estimates for the model are corrected with the count.
    """

    model: str
    tokens: int
    estimated: int
