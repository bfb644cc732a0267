"""The checkpoint, a summary that is sent instead of the earlier pairs.

A person can edit it, remove it, or use an older one.

Every change offers an undo. The summary on screen is `ChatState.summary`. New summaries are not made here.
"""

from __future__ import annotations

from typing import Any, Final, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.conversation.conversation import Checkpoint
from app.domain.errors import InviewError
from app.runs.app_context import AppContext, context_for, current
from app.runs.child_calls.summaries import change_checkpoint, put_checkpoint, remove_checkpoint
from app.runs.runtime.ids import new_id
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.messages.toasts import Undo, show_fault, show_toast
from app.state.tab.address import conversation_in
from app.state.tab.inputs import text_in, whole_in
from app.state.tab.visit import VisitedState
from app.store.conversation.conversations import load_conversation

MAX_SUMMARY: Final = 1_000_000


class CheckpointState(VisitedState, rx.State):
    """The event handlers of the card of the checkpoint.

    - `editing`: the card shows a text area instead of the summary.
    - `initial`: the initial text of the text area.
    - `number`: grows with each new initial text.
    - `changed`: the typed text differs from the stored summary, so that closing the text area loses it.
    - `edit_id`: the key under which the browser keeps the typed text over a reload. "" in a temporary conversation,
      whose texts the browser must not keep.
    """

    editing: rx.Field[bool] = rx.field(default=False)
    initial: rx.Field[str] = rx.field("")
    number: rx.Field[int] = rx.field(0)
    changed: rx.Field[bool] = rx.field(default=False)
    edit_id: rx.Field[str] = rx.field("")
    _written: str = ""
    _stored: str = ""
    _page: str = ""

    @rx.event
    async def edit(self) -> None:
        """Show the text area with the current summary."""
        ctx = await self._context()
        try:
            checkpoint = await self._load(ctx)
        except InviewError as fault:
            await show_fault(self, fault)
            return
        if checkpoint is None:
            return
        await self._come()
        self.editing, self.changed, self._page = True, False, self._conversation()
        self.edit_id = new_id() if ctx is current() else ""
        self._stored = checkpoint.summary
        self._begin(checkpoint.summary)

    @rx.event
    async def end_edit(self) -> None:
        """Close the text area without changing the summary."""
        self.editing, self.changed = False, False

    @rx.event
    async def write(self, text: str) -> None:
        """Store the summary typed in the text area."""
        written = text_in(text, MAX_SUMMARY)
        if not self.editing:
            return
        self.changed = written != self._stored
        if written is not None:
            self._written = written

    @rx.event
    async def save(self, form: dict[str, Any]) -> None:
        """Replace the text of the checkpoint with the text in the form."""
        text = text_in(form.get("summary"), MAX_SUMMARY)
        if text is None:
            return
        ctx = await self._context()
        try:
            before = await self._load(ctx)
            await change_checkpoint(ctx, LOCAL_OWNER, self._conversation(), text)
        except InviewError as fault:
            await show_fault(self, fault)
            return
        self.editing, self.changed = False, False
        if before is not None and before.summary != text:
            await show_toast(self, "The summary was changed.", undo=Undo(_put(before)))

    @rx.event
    async def remove(self) -> None:
        """Remove the checkpoint, so that the pairs that it replaced are sent again."""
        try:
            before = await remove_checkpoint(await self._context(), LOCAL_OWNER, self._conversation())
        except InviewError as fault:
            await show_fault(self, fault)
            return
        message = "The checkpoint was removed: the pairs before it are sent again."
        await show_toast(self, message, undo=Undo(_put(before), "the checkpoint was removed"))

    @rx.event
    async def use(self, summary: str, position: int) -> None:
        """Use an older summary as the checkpoint again. It replaces the pairs with positions lower than `position`."""
        text, place = text_in(summary, MAX_SUMMARY), whole_in(position)
        if not text or place is None:
            return
        ctx = await self._context()
        try:
            before = await self._load(ctx)
            await put_checkpoint(ctx, LOCAL_OWNER, self._conversation(), Checkpoint(text, place))
        except InviewError as fault:
            await show_fault(self, fault)
            return
        message = "This summary is sent instead of the pairs before it."
        await show_toast(self, message, undo=Undo(_put(before), "an earlier summary was used"))

    @rx.event
    async def put_back(self, summary: str, position: int) -> None:
        """Restore the checkpoint that was in use before a change. It had this `summary` and `position`.

        If `summary` is "", there was none: remove the current one. Undo sends this event, so no further undo is
        offered.
        """
        text, place = text_in(summary, MAX_SUMMARY), whole_in(position)
        if text is None or place is None:
            return
        ctx = await self._context()
        try:
            if text:
                await put_checkpoint(ctx, LOCAL_OWNER, self._conversation(), Checkpoint(text, place))
            else:
                await remove_checkpoint(ctx, LOCAL_OWNER, self._conversation())
        except InviewError as fault:
            await show_fault(self, fault)

    async def _end_visit(self) -> None:
        """End the edit if another page was opened. If the same page was loaded again, restore the typed text."""
        if self._page != self._conversation():
            self.editing, self.changed = False, False
        elif self.editing:
            self._begin(self._written)
            await self._come()

    def _begin(self, text: str) -> None:
        self.initial, self._written, self.number = text, text, self.number + 1

    def _conversation(self) -> str:
        return conversation_in(self.router.url.path)

    async def _context(self) -> AppContext:
        return await context_for(current(), self._conversation())

    async def _load(self, ctx: AppContext) -> Checkpoint | None:
        async with ctx.store.read() as session:
            return (await load_conversation(session, LOCAL_OWNER, self._conversation())).checkpoint


def _put(before: Checkpoint | None) -> EventSpec:
    """Return the event that restores the previous checkpoint, or removes the current one if there was none."""
    summary, position = ("", 0) if before is None else (before.summary, before.position)
    return cast("EventSpec", CheckpointState.put_back(summary, position))
