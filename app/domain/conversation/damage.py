"""Damage: a stored piece that cannot be read, as the layers above the store know it.

A value with damage holds what could be read. What could not be read is at its neutral value (no parts, no stars) and is
named here, so that nobody takes the one for the other.

    >>> str(Damage("message", "m1", "parts[1]", "it is of a kind that this version does not know", 40))
    'parts[1] of message m1 (40 bytes): it is of a kind that this version does not know'
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Damage:
    """Which column of which row cannot be read, and why. `size` is in bytes; None: there is no such row."""

    table: str
    row_id: str
    column: str
    reason: str
    size: int | None

    def __str__(self) -> str:
        if self.size is None:
            return f"{self.table} {self.row_id}: {self.reason}"
        return f"{self.column} of {self.table} {self.row_id} ({self.size:,} bytes): {self.reason}"
