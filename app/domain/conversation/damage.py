"""Damage: a stored piece that cannot be read, and what is known of it.

    >>> Damage("message", "m1", "parts", "it is no JSON").describe()
    'parts of message m1: it is no JSON'

A pair or a conversation with damage is shown as far as it can be read. A damaged pair is never sent.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Damage:
    """That a column of a stored row cannot be read, and why. `column` "": the row itself is missing."""

    table: str
    row_id: str
    column: str
    reason: str

    def describe(self) -> str:
        """One line: place and reason."""
        place = f"{self.table} {self.row_id}"
        return f"{f'{self.column} of {place}' if self.column else place}: {self.reason}"
