"""Temporary conversations: the switch for the next conversation, and the command that stores the one on screen."""

from __future__ import annotations

import reflex as rx

from app.domain.errors import InviewError
from app.runs.app_context import context_for, current
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.temporary.temporary import keep_conversation
from app.state.messages.error_messages import describe_fault
from app.state.messages.toasts import show_toast
from app.state.tab.address import conversation_in
from app.state.tab.changes import set_changed


class TemporaryState(rx.State):
    """The switch for temporary conversations, and the command that stores one.

    - `wanted`: the next new conversation will be temporary.
    - `keeping`: the conversation on screen is being stored.
    - `fault`: the reason why it could not be stored.
    """

    wanted: rx.Field[bool] = rx.field(default=False)
    keeping: rx.Field[bool] = rx.field(default=False)
    fault: rx.Field[str] = rx.field("")

    @rx.event
    async def open(self) -> None:
        """On the page of a conversation, switch off `wanted`, so that the next new conversation is stored."""
        open_temporary(self)

    @rx.event
    async def want(self, wanted: bool) -> None:
        """Set whether the next new conversation will be temporary."""
        self.wanted = wanted is True

    @rx.event(background=True)
    async def keep(self) -> None:
        """Store the conversation on screen. It moves from memory to the disk, and the page follows it there."""
        async with self:
            self.keeping, self.fault = True, ""
            conversation_id = conversation_in(self.router.url.path)
        fault = ""
        try:
            await keep_conversation(await context_for(current(), conversation_id), LOCAL_OWNER, conversation_id)
        except InviewError as error:
            fault = describe_fault(error)
        async with self:
            self.keeping, self.fault = False, fault
            if not fault:
                await show_toast(self, "Saved. This is now a regular conversation.")


def open_temporary(state: TemporaryState) -> None:
    """Clear the error of the previous page. On the page of a conversation, switch off `wanted`."""
    set_changed(state, fault="", keeping=False)
    if conversation_in(state.router.url.path):
        set_changed(state, wanted=False)
