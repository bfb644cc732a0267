"""A batch: the next pairs of a conversation that are read together.

>>> Batch(-1, 100, 50).asks_all, Batch(7, 100, 50).asks_all
(True, False)
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Batch:
    """At most `limit` pairs, each with a higher revision and a higher position than those given."""

    after_revision: int
    after_position: int
    limit: int

    @property
    def asks_all(self) -> bool:
        """Every revision is above the given one, so the batch is read by position."""
        return self.after_revision < 0
