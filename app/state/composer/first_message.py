"""The first message of a conversation: its estimate and its price, before the conversation exists."""

from __future__ import annotations

import reflex as rx

from app.domain.errors import InviewError
from app.runs.send.commands import LOCAL_OWNER
from app.runs.send.first_message import compose_first
from app.runs.uploads import load_attached
from app.runs.watch.context import show_context
from app.runs.workbench import current
from app.state.address import conversation_in
from app.state.composer.files import ids_of
from app.state.composer.state import ComposerState, look_of, new_conversation, show_first
from app.views.screen.context import ContextView


class FirstMessageState(rx.State):
    """The handler that estimates. The estimate itself is shown by `ComposerState`, as in every conversation."""

    _turn: int = 0

    @rx.event(background=True)
    async def estimate(self) -> None:
        """Estimate what Send would send. A newer call wins."""
        async with self:
            if conversation_in(self.router.url.path):
                return
            self._turn += 1
            turn, composer = self._turn, await self.get_state(ComposerState)
            draft, schema, files = composer.text, composer.schema, ids_of(composer.files)
            look = await look_of(composer, "")
            new = await new_conversation(composer, look)
        context: ContextView | None = None
        try:
            attached = await load_attached(current(), LOCAL_OWNER, files)
            composed = await compose_first(
                current(), LOCAL_OWNER, new, draft, look, schema=schema or None, attached=attached.parts
            )
            context = show_context(composed, look.topic)
        except InviewError:
            pass  # nothing is shown; Send says what is wrong, and does not send
        async with self:
            if turn == self._turn and not conversation_in(self.router.url.path):
                show_first(await self.get_state(ComposerState), context)
