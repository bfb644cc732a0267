"""The checkpoint: the summary that is sent instead of the pairs before it. Edited, removed, set to an earlier one.

Every change offers its undo. The summary on screen is `ChatState.summary`; making a new one is not done here.
"""

from __future__ import annotations

from typing import Any, Final, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.conversation.conversation import Checkpoint
from app.domain.errors import InviewError
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.derived.summaries import change_checkpoint, put_checkpoint, remove_checkpoint
from app.runs.workbench import Workbench, bench_of, current
from app.state.address import conversation_in
from app.state.inputs import text_in, whole_in
from app.state.toasts import show_fault, show_toast
from app.store.conversation.conversations import load_conversation

MAX_SUMMARY: Final = 1_000_000


class CheckpointState(rx.State):
    """`editing`: the card shows a text area instead of the summary."""

    editing: rx.Field[bool] = rx.field(default=False)

    @rx.event
    async def edit(self) -> None:
        self.editing = True

    @rx.event
    async def end_edit(self) -> None:
        self.editing = False

    @rx.event
    async def save(self, form: dict[str, Any]) -> None:
        """Let the checkpoint say what the form says."""
        text = text_in(form.get("summary"), MAX_SUMMARY)
        if text is None:
            return
        wb = await self._workspace()
        try:
            before = await self._load(wb)
            await change_checkpoint(wb, caller(), self._conversation(), text)
        except InviewError as fault:
            await show_fault(self, fault)
            return
        self.editing = False
        if before is not None and before.summary != text:
            await show_toast(self, translate("checkpoint.the_summary_was_changed"), undo=_put(before))

    @rx.event
    async def remove(self) -> None:
        """Take the checkpoint away: the pairs before it are sent again."""
        try:
            before = await remove_checkpoint(await self._workspace(), caller(), self._conversation())
        except InviewError as fault:
            await show_fault(self, fault)
            return
        message = translate("checkpoint.removed")
        await show_toast(self, message, undo=_put(before))

    @rx.event
    async def use(self, summary: str, position: int) -> None:
        """Send an earlier summary again, instead of the pairs before `position`."""
        text, place = text_in(summary, MAX_SUMMARY), whole_in(position)
        if not text or place is None:
            return
        wb = await self._workspace()
        try:
            before = await self._load(wb)
            await put_checkpoint(wb, caller(), self._conversation(), Checkpoint(text, place))
        except InviewError as fault:
            await show_fault(self, fault)
            return
        message = translate("checkpoint.about")
        await show_toast(self, message, undo=_put(before))

    @rx.event
    async def put_back(self, summary: str, position: int) -> None:
        """Set the checkpoint as it was; "": there was none. For undo: it offers none itself."""
        text, place = text_in(summary, MAX_SUMMARY), whole_in(position)
        if text is None or place is None:
            return
        wb = await self._workspace()
        try:
            if text:
                await put_checkpoint(wb, caller(), self._conversation(), Checkpoint(text, place))
            else:
                await remove_checkpoint(wb, caller(), self._conversation())
        except InviewError as fault:
            await show_fault(self, fault)

    def _conversation(self) -> str:
        return conversation_in(self.router.url.path)

    async def _workspace(self) -> Workbench:
        return await bench_of(current(), self._conversation())

    async def _load(self, wb: Workbench) -> Checkpoint | None:
        async with wb.store.read() as session:
            return (await load_conversation(session, caller(), self._conversation())).checkpoint


def _put(before: Checkpoint | None) -> EventSpec:
    """The event that sets the checkpoint to what it was."""
    summary, position = ("", 0) if before is None else (before.summary, before.position)
    return cast("EventSpec", CheckpointState.put_back(summary, position))
