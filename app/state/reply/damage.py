"""Resets a setting of the conversation on screen whose stored value cannot be read.

`TranscriptState.damaged` lists such settings for the note that has the buttons.
"""

from __future__ import annotations

from typing import Final

import reflex as rx

from app.domain.errors import InviewError
from app.runs.app_context import context_for, current
from app.runs.conversation.conversation_commands import reset_setting
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.composer.state import ComposerState
from app.state.messages.toasts import show_fault
from app.state.tab.address import conversation_in
from app.state.tab.inputs import text_in

MAX_COLUMN: Final = 64


class DamageState(rx.State):
    """A state without vars: the handler for the note about unreadable settings, at the top of a transcript."""

    @rx.event
    async def reset_setting(self, column: str) -> None:
        """Replace the unreadable value of a setting by its neutral value, and remove the error of the last send.

        `column` is the name of the setting's column in the database.
        """
        if (name := text_in(column, MAX_COLUMN)) is None:
            return
        conversation_id = conversation_in(self.router.url.path)
        try:
            await reset_setting(await context_for(current(), conversation_id), LOCAL_OWNER, conversation_id, name)
        except InviewError as fault:
            await show_fault(self, fault)
            return
        (await self.get_state(ComposerState)).fault = ""
