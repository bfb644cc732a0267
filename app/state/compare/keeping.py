"""The end of a comparison: one reply is kept, or none. In both cases a toast offers Undo.

await tab.send(KeepingState.stop, run_id="r1")
await tab.send(KeepingState.keep, model="offline:demo")
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable
from typing import Any, Final, TypeVar, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.conversation.marks import Marks, PairMarks
from app.domain.errors import InviewError
from app.runs.app_context import context_for, current
from app.runs.child_calls.titles import keep_reply_and_title
from app.runs.compare.comparisons import ChosenReply, discard_comparison, reopen_comparison
from app.runs.conversation.mark_commands import mark_pairs
from app.runs.resend.resend import restore_version
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.stopping import cancel_run
from app.state.composer.state import ComposerState
from app.state.messages.error_messages import describe_fault
from app.state.messages.toasts import Undo, show_fault, show_toast
from app.state.tab.address import conversation_in
from app.state.tab.changes import set_changed
from app.state.tab.inputs import text_in, whole_in
from app.state.tab.tab_watchers import watcher_of

MAX_ID: Final = 64
MAX_MODEL: Final = 300
Events = AsyncGenerator[Any, None]
Done = TypeVar("Done")


class KeepingState(rx.State):
    """The event handlers that end a comparison or stop one of its replies.

    `busy`: a command is running. `fault` is the reason why the last command failed, "" if it succeeded.
    """

    busy: rx.Field[bool] = rx.field(default=False)
    fault: rx.Field[str] = rx.field("")

    @rx.event
    async def open(self) -> None:
        """Clear the error message, because it belongs to a comparison on the previous page."""
        open_keeping(self)

    @rx.event(background=True)
    async def stop(self, run_id: str) -> None:
        """Stop one of the compared replies. The text received so far stays."""
        if valid_id := text_in(run_id, MAX_ID):
            await self._attempt(cancel_run(await context_for(current(), valid_id), LOCAL_OWNER, valid_id))

    @rx.event(background=True)
    async def keep(self, model: str) -> None:
        """End the comparison and keep the reply of this model. The other replies become versions of the pair."""
        here = conversation_in(self.router.url.path)
        if (valid_model := text_in(model, MAX_MODEL)) is None:
            return
        watcher = watcher_of(self)
        comparison = None if watcher is None else watcher.screen.comparison
        models = () if comparison is None else (run.model for run in comparison.runs)
        name = current().catalogue.names_of(LOCAL_OWNER, {valid_model, *models})[valid_model]
        kept = await self._attempt(
            keep_reply_and_title(await context_for(current(), here), LOCAL_OWNER, here, valid_model)
        )
        if kept is not None and kept.replaced is not None:
            async with self:
                await self._tell_kept(here, kept, kept.replaced, name)

    @rx.event(background=True)
    async def discard(self) -> Events:
        """End the comparison without keeping a reply.

        The text of a new request goes back into the message box, unless the box has a text.
        """
        here = conversation_in(self.router.url.path)
        gone = await self._attempt(discard_comparison(await context_for(current(), here), LOCAL_OWNER, here))
        if gone is None:
            return
        message = "Comparison discarded" if gone.pair_id is None else _AS_IT_WAS
        async with self:
            await show_toast(self, message, undo=Undo(cast("EventSpec", KeepingState.reopen(here))))
        if gone.pair_id is None:
            yield ComposerState.put_if_empty(gone.text)

    @rx.event(background=True)
    async def reopen(self, conversation_id: str) -> None:
        """Restore the last discarded comparison of a conversation.

        Undo sends this event, so no toast offers to undo it.
        """
        if (valid_id := text_in(conversation_id, MAX_ID)) is None:
            return
        try:
            await reopen_comparison(await context_for(current(), valid_id), LOCAL_OWNER, valid_id)
        except InviewError as error:
            await self._tell_fault(error)

    @rx.event(background=True)
    async def take_back(self, conversation_id: str, pair_id: str, version: int, gone: list[str]) -> None:
        """Undo the end of a comparison that answered a pair again: restore the version `version` of this pair.

        Also restore the later pairs that were deleted when the user kept a reply (`gone`). Undo sends this event, so no
        toast offers to undo it.
        """
        here, valid_id, number = text_in(conversation_id, MAX_ID), text_in(pair_id, MAX_ID), whole_in(version)
        if here is None or valid_id is None or number is None or not all(text_in(each, MAX_ID) for each in gone):
            return
        ctx = await context_for(current(), valid_id)
        try:
            await restore_version(ctx, LOCAL_OWNER, valid_id, number)
            if gone:
                changes = tuple(PairMarks(each, Marks(deleted=False)) for each in gone)
                await mark_pairs(ctx, LOCAL_OWNER, here, changes)
        except InviewError as error:
            await self._tell_fault(error)

    async def _attempt(self, work: Awaitable[Done]) -> Done | None:
        """Return the result of `work`. If it fails, show the reason in the comparison's dialog and return None."""
        async with self:
            self.busy, self.fault = True, ""
        fault = ""
        try:
            return await work
        except InviewError as error:
            fault = describe_fault(error)
            return None
        finally:
            async with self:
                self.busy, self.fault = False, fault

    async def _tell_kept(self, conversation_id: str, kept: ChosenReply, replaced: int, model_name: str) -> None:
        watcher = watcher_of(self)
        pair = None if watcher is None else watcher.pair(kept.pair_id)
        name = "The pair" if pair is None else f"Pair {pair.position}"
        gone = [change.pair_id for change in kept.undo]
        undo = cast("EventSpec", KeepingState.take_back(conversation_id, kept.pair_id, replaced, gone))
        done = f"the reply of {model_name} is kept"
        await show_toast(self, f"{name}: {done}", undo=Undo(undo, f"{name}, {done}"))

    async def _tell_fault(self, error: InviewError) -> None:
        async with self:
            await show_fault(self, error)


def open_keeping(state: KeepingState) -> None:
    """Clear the error of a comparison on the previous page."""
    set_changed(state, busy=False, fault="")


_AS_IT_WAS: Final = "Comparison discarded; the pair is unchanged"
