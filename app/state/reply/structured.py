"""The switch between the parsed value of a structured reply and its source text.

The values are in the views of the pairs.
"""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.state.tab.inputs import text_in

MAX_ID: Final = 64
MAX_SOURCES: Final = 200


class StructuredState(rx.State):
    """The structured replies that are shown as source text. `sources` are the ids of their pairs."""

    sources: rx.Field[tuple[str, ...]] = rx.field(())

    @rx.event
    async def toggle_source(self, pair_id: str) -> None:
        """Switch the reply of this pair between its source text and its parsed value."""
        if valid_id := text_in(pair_id, MAX_ID):
            others = tuple(each for each in self.sources if each != valid_id)
            self.sources = others if valid_id in self.sources else (*others[1 - MAX_SOURCES :], valid_id)
