"""Summaries of the pairs in view: the dialog that asks which pairs, the progress, and Undo.

    await tab.send(SummaryState.ask, pair_id="")
    await tab.send(SummaryState.choose, key="all")
    summary = await write_summary(self, conversation_id, options, draft)    # in a background handler of another state

The server writes the summary. It continues when the user leaves the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.conversation.conversation import Checkpoint
from app.domain.errors import InviewError
from app.runs.app_context import context_for, current
from app.runs.child_calls.summaries import OLDER, Extent, Summary, put_checkpoint, remove_checkpoint, summarise
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.send.stopping import cancel_run
from app.state.composer.state import ComposerState
from app.state.composer.summary import describe_work, follow_summary
from app.state.composer.view_options import options_of
from app.state.composer.views import SummaryWorkView
from app.state.messages.error_messages import describe_fault
from app.state.messages.toasts import MAX_UNDOS, Undo, show_fault, show_toast
from app.state.reply.pair_lookup import find_pair_if_shown
from app.state.reply.summary_plans import SummaryWay, describe_ways, extents, plan_ways
from app.state.tab.address import conversation_in
from app.state.tab.visit import VisitedState
from app.store.conversation.conversations import load_conversation
from app.views.usage.figures import plural


@dataclass(frozen=True, slots=True)
class SummaryChoice:
    """The dialog that asks which pairs to summarise.

    `ways` are its options; None until they are known. `fault` is the reason if there are no options.
    """

    ways: tuple[SummaryWay, ...] | None = None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class _SummaryRequest:
    """The data of the page when the summary dialog was opened.

    `position` is the position of the pair at the cursor, 0 for none.
    """

    conversation_id: str
    options: ViewOptions
    draft: str
    position: int


class SummaryState(VisitedState, rx.State):
    """The dialog that asks which pairs to summarise, and the progress of a summary.

    `choice` is the dialog, None while it is closed. `work` is the progress of the running summary, or None.
    """

    choice: rx.Field[SummaryChoice | None] = rx.field(None)
    work: rx.Field[SummaryWorkView | None] = rx.field(None)
    _requested: _SummaryRequest | None = None
    _chosen: tuple[_SummaryRequest, Extent] | None = None
    _run: tuple[str, str] = ("", "")  # the id of the run of the summary, and its conversation
    # for each summary: the id of its run, the conversation, and the checkpoint before the summary
    _before: tuple[tuple[str, str, Checkpoint | None], ...] = ()

    @rx.event
    async def ask(self, pair_id: str) -> rx.event.EventType[()] | None:
        """Open the dialog that asks which pairs to summarise. `pair_id` is the pair at the cursor, "" for none."""
        conversation_id = conversation_in(self.router.url.path)
        if not conversation_id:
            return None
        pair = await find_pair_if_shown(self, pair_id)
        draft = (await self.get_state(ComposerState)).text
        options = await options_of(self, conversation_id)
        self._requested = _SummaryRequest(conversation_id, options, draft, 0 if pair is None else pair.position)
        await self._come()
        self.choice = SummaryChoice()
        return SummaryState.plan

    @rx.event(background=True)
    async def plan(self) -> None:
        """Find the possible summaries and their costs, and show these options in the dialog."""
        async with self:
            request = self._requested
        if request is None:
            return
        try:
            ctx = await context_for(current(), request.conversation_id)
            planned, refusal = await plan_ways(
                ctx, request.conversation_id, request.options, request.draft, request.position
            )
        except InviewError as error:
            planned, refusal = (), describe_fault(error)
        ways = describe_ways(planned, request.position)
        async with self:
            if self._requested == request:
                self.choice = SummaryChoice(ways, "" if ways else refusal)

    @rx.event
    async def end(self) -> None:
        """Close the dialog that asks which pairs to summarise, without a summary."""
        self._requested, self.choice = None, None

    @rx.event
    async def choose(self, key: str) -> rx.event.EventType[()] | None:
        """Close the dialog and start to summarise the pairs of the option `key`. `write` does the work."""
        request = self._requested
        extent = None if request is None else extents(request.position).get(str(key))
        self._requested, self.choice = None, None
        if request is None or extent is None:
            return None
        self._chosen = (request, extent)
        return SummaryState.write

    @rx.event(background=True)
    async def write(self) -> None:
        """Write the chosen summary and show the result in a toast."""
        async with self:
            chosen, self._chosen = self._chosen, None
        if chosen is None:
            return
        request, extent = chosen
        try:
            ctx = await context_for(current(), request.conversation_id)
            async with ctx.store.read() as session:
                before = (await load_conversation(session, LOCAL_OWNER, request.conversation_id)).checkpoint
            summary = await write_summary(self, request.conversation_id, request.options, request.draft, extent)
        except InviewError as error:
            async with self:
                await show_fault(self, describe_fault(error))
            return
        run_id = summary.started.run_id
        count = plural(summary.count, "pair")
        async with self:
            self._before = (*self._before, (run_id, request.conversation_id, before))[-MAX_UNDOS:]
            await show_toast(
                self,
                f"{count} summarised. The summary is at the top and is sent in their place.",
                undo=Undo(cast("EventSpec", SummaryState.take_back(run_id)), f"{count} summarised"),
            )

    @rx.event
    async def take_back(self, run_id: str) -> None:
        """Restore the checkpoint that a summary has replaced. Undo sends this event, so no further undo is offered."""
        found = next((each for each in self._before if each[0] == run_id), None)
        if found is None:
            return
        _, conversation_id, before = found
        ctx = await context_for(current(), conversation_id)
        try:
            if before is None:
                await remove_checkpoint(ctx, LOCAL_OWNER, conversation_id)
            else:
                await put_checkpoint(ctx, LOCAL_OWNER, conversation_id, before)
        except InviewError as error:
            await show_fault(self, describe_fault(error))

    @rx.event(background=True)
    async def stop(self) -> None:
        """Stop the running summary."""
        async with self:
            run_id, conversation_id = self._run
        try:
            if run_id:
                await cancel_run(await context_for(current(), conversation_id), LOCAL_OWNER, run_id)
        except InviewError as fault:
            async with self:
                await show_fault(self, fault)

    async def _end_visit(self) -> None:
        self._requested, self.choice = None, None


async def write_summary(
    state: rx.State, conversation_id: str, options: ViewOptions, draft: str, extent: Extent = OLDER
) -> Summary:
    """Summarise the pairs of `extent`. Show the progress until the summary is the checkpoint of the conversation.

    `options` are the view options of the page, `draft` is the text in the composer. Both decide which pairs do not fit.
    Background handlers of any state call this.

    Raises:
        InviewError: the summary was refused, was stopped or failed. Nothing has changed then.
    """
    ctx = await context_for(current(), conversation_id)
    summary = await summarise(ctx, LOCAL_OWNER, conversation_id, options, draft, extent)
    try:
        await _show(state, SummaryWorkView(describe_work(summary.count, 0)), summary.started.run_id, conversation_id)
        async for characters in follow_summary(ctx, conversation_id, summary):
            work = SummaryWorkView(describe_work(summary.count, characters))
            await _show(state, work, summary.started.run_id, conversation_id)
    finally:
        await _show(state, None, "", "")
    return summary


async def _show(state: rx.State, work: SummaryWorkView | None, run_id: str, conversation_id: str) -> None:
    async with state:
        shown = await state.get_state(SummaryState)
        shown.work, shown._run = work, (run_id, conversation_id)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
