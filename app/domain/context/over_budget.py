"""More is in view than may be sent: what a person can choose between, each with what it comes to.

Nothing is trimmed without that choice. Not here: where the boundary runs (`composition.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from app.domain.errors import ConflictError


@dataclass(frozen=True, slots=True)
class WayOut:
    """One choice: how many tokens the request would have, and US dollars for reading it (None: nobody knows).

    `selection`: the pairs that go along (`selection.py`); "" where that is not known yet.
    """

    tokens: int
    cost: Decimal | None
    selection: str = ""


@dataclass(frozen=True, slots=True)
class LargerModel:
    """A model that can be asked now and whose window holds all that is in view."""

    model: str
    name: str
    window: int
    way_out: WayOut


@dataclass(frozen=True, slots=True)
class WaysOut:
    """`fit` sends the `x` newest pairs that fit, `force` all `y` in view; `summarise` is what reading the older ones
    for a summary would come to. `model` is the one that is to answer, `limited_by` says which limit it is.
    """

    model: str
    x: int
    y: int
    limited_by: str
    fit: WayOut
    force: WayOut
    summarise: WayOut
    larger: tuple[LargerModel, ...] = ()


class OverBudgetError(ConflictError):
    """What is in view is more than may be sent, and nobody has said what to do about it."""

    def __init__(self, ways_out: WaysOut) -> None:
        super().__init__(
            f"Of the {ways_out.y:,} pairs in view {ways_out.x:,} fit ({ways_out.limited_by}). Send those that fit, "
            "send all of them anyway, summarise the older ones, choose a larger model, or bring fewer into view."
        )
        self.ways_out = ways_out
