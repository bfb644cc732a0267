"""The log of the conversation on screen: requests outside its pairs, and the tokens of messages that were removed.

The entries of the log are never sent.
"""

from __future__ import annotations

import reflex as rx

from app.domain.errors import InviewError
from app.runs.app_context import context_for, current
from app.runs.child_calls.log import read_log
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.messages.error_messages import describe_fault
from app.state.tab.address import conversation_in
from app.views.inspector.log import LogEntryView


class LogState(rx.State):
    """The log of the conversation with the id `conversation`.

    - `entries`: its newest entries, newest first.
    - `earlier`: the number of older entries.
    - `unfinished`: a request is running.
    - `fault`: the reason why the log cannot be read.
    """

    conversation: rx.Field[str] = rx.field("")
    entries: rx.Field[tuple[LogEntryView, ...]] = rx.field(())
    earlier: rx.Field[int] = rx.field(0)
    unfinished: rx.Field[bool] = rx.field(default=False)
    fault: rx.Field[str] = rx.field("")

    @rx.event(background=True)
    async def keep_current(self) -> None:
        """Read the current log of the conversation on screen."""
        async with self:
            conversation_id = conversation_in(self.router.url.path)
        if not conversation_id:
            return
        try:
            log = await read_log(await context_for(current(), conversation_id), LOCAL_OWNER, conversation_id)
        except InviewError as error:
            async with self:
                self.reset()
                self.conversation, self.fault = conversation_id, describe_fault(error)
            return
        async with self:
            if conversation_in(self.router.url.path) != conversation_id:
                return
            self.conversation, self.fault = conversation_id, ""
            self.entries, self.earlier = log.entries, log.earlier
            self.unfinished = any(entry.running for entry in log.entries)
