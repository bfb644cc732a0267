"""Which structured replies are shown as plain text. Their values are in their pairs' views."""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.state.inputs import text_in

MAX_ID: Final = 64
MAX_SOURCES: Final = 200


class StructuredState(rx.State):
    """`sources` are the pairs whose reply is shown as its source."""

    sources: rx.Field[tuple[str, ...]] = rx.field(())

    @rx.event
    async def toggle_source(self, pair_id: str) -> None:
        """Show the source of this reply instead of its value, or the value again."""
        if wanted := text_in(pair_id, MAX_ID):
            others = tuple(each for each in self.sources if each != wanted)
            self.sources = others if wanted in self.sources else (*others[1 - MAX_SOURCES :], wanted)
