"""The deletion of a pair: a dialog asks first if the pair has a reply, and a toast offers Undo.

await tab.send(PairDeletionState.ask, pair_id="p1")
await tab.send(PairDeletionState.delete, pair_id="p1")
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.conversation.marks import Marks
from app.domain.errors import InviewError
from app.runs.app_context import context_for, current
from app.runs.conversation.mark_commands import mark_pair
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.messages.toasts import Undo, expect_toast, show_fault, show_toast
from app.state.reply.pair_lookup import MAX_ID, find_pair, find_pair_if_shown, find_pair_in_background
from app.state.tab.inputs import text_in
from app.state.tab.tab_watchers import watcher_of
from app.state.tab.visit import VisitedState

MAX_QUOTED: Final = 80


@dataclass(frozen=True, slots=True)
class DeletePairView:
    """The pair whose deletion the dialog asks to confirm.

    `name` is its position and the beginning of its text, for the dialog's sentence.
    """

    id: str
    name: str


class PairDeletionState(VisitedState, rx.State):
    """The dialog that asks before a pair is deleted. It is open while `deleting` is set."""

    deleting: rx.Field[DeletePairView | None] = rx.field(None)

    @rx.event
    async def ask(self, pair_id: str) -> rx.event.EventType[()] | None:
        """Open the dialog that asks before a pair is deleted. Delete the pair at once if it has no reply."""
        if (pair := await find_pair(self, pair_id)) is None:
            return None
        if not pair.parts:
            await expect_toast(self)
            return cast("EventSpec", PairDeletionState.carry_out(pair.id))
        text = pair.user_text
        quoted = f"{text[: MAX_QUOTED - 1]}…" if len(text) > MAX_QUOTED else text
        await self._come()
        self.deleting = DeletePairView(pair.id, f"Pair {pair.position}, “{quoted}”")
        return None

    @rx.event
    async def close(self) -> None:
        self.deleting = None

    @rx.event
    async def delete(self, pair_id: str) -> rx.event.EventType[()] | None:
        """Delete a pair that this page shows. `carry_out` does the work."""
        if await find_pair_if_shown(self, pair_id) is None:
            return None  # the pair is deleted already: the toast with Undo stays
        await expect_toast(self)
        return cast("EventSpec", PairDeletionState.carry_out(pair_id))

    @rx.event(background=True)
    async def carry_out(self, pair_id: str) -> None:
        """Delete the pair and show a toast with Undo."""
        if (pair := await find_pair_in_background(self, pair_id)) is None:
            return
        fault = await _mark(pair.id, deleted=True)
        if fault is None and (watcher := watcher_of(self)) is not None:
            watcher.note_deleted(pair.id)
        async with self:
            if fault is not None:
                await show_fault(self, fault)
            else:
                undo = cast("EventSpec", PairDeletionState.take_back(pair.id))
                undone = f"pair {pair.position} deleted"
                await show_toast(self, f"Pair {pair.position}: Deleted", undo=Undo(undo, undone, pair.id))

    @rx.event
    async def take_back(self, pair_id: str) -> None:
        """Restore a deleted pair. Undo sends this event, so no further undo is offered."""
        if (valid_id := text_in(pair_id, MAX_ID)) and (fault := await _mark(valid_id, deleted=False)):
            await show_fault(self, fault)

    async def _end_visit(self) -> None:
        self.deleting = None


async def _mark(pair_id: str, *, deleted: bool) -> InviewError | None:
    """Delete or restore a pair. Return the error if this is refused."""
    try:
        await mark_pair(await context_for(current(), pair_id), LOCAL_OWNER, pair_id, Marks(deleted=deleted))
    except InviewError as fault:
        return fault
    return None
