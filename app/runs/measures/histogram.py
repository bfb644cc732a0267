"""A histogram in Prometheus' form: how many values were at most so large, their number and their sum."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import accumulate

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)


@dataclass(slots=True)
class Histogram:
    """Counts of values. `bounds` rise; what is larger than the last is counted apart.

    >>> seen = Histogram((1.0, 2.0))
    >>> seen.add(0.5), seen.add(2.0), seen.add(9.0)
    (None, None, None)
    >>> seen.cumulated(), seen.sum
    ((1, 2, 3), 11.5)
    """

    bounds: tuple[float, ...] = SECONDS
    counts: list[int] = field(default_factory=list[int])
    sum: float = 0.0

    def __post_init__(self) -> None:
        self.counts = [0] * (len(self.bounds) + 1)

    def add(self, value: float) -> None:
        """Count a value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.sum += value

    def cumulated(self) -> tuple[int, ...]:
        """How many values were at most each bound; the last is how many there were."""
        return tuple(accumulate(self.counts))
