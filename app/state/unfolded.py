"""Which accounting nodes are unfolded. A state of its own: rows that read it are not drawn with every reply."""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.state.inputs import text_in

MAX_UNFOLDED: Final = 200
_MAX_ID: Final = 64


class UnfoldedState(rx.State):
    """`nodes` are the ids of those that are unfolded, the last one last. The first of more than 200 fold again."""

    nodes: rx.Field[tuple[str, ...]] = rx.field(())

    @rx.event
    async def toggle(self, node_id: str) -> None:
        """Expand what belongs together at one place, or collapse it again."""
        wanted = text_in(node_id, _MAX_ID)
        if not wanted:
            return
        others = tuple(each for each in self.nodes if each != wanted)
        self.nodes = others if wanted in self.nodes else (*others, wanted)[-MAX_UNFOLDED:]
