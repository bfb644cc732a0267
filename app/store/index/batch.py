"""A batch: the next pairs of a conversation that are read together.

>>> Batch(-1, 100, 50).asks_all, Batch(7, 100, 50).asks_all
(True, False)
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Batch:
    """The first `limit` pairs with a revision above `after_revision` and a position above `after_position`."""

    after_revision: int
    after_position: int
    limit: int

    @property
    def asks_all(self) -> bool:
        """True if `after_revision` excludes no pair, because it is lower than every revision.

        Then the query reads all pairs by position.
        """
        return self.after_revision < 0
