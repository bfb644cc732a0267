"""Sends a pair again: edited, to the same or another model, or as its stored request. A toast offers Undo.

    await tab.send(ResendState.answer_again, pair_id="p1", model="")
    tab.shows(ResendState, "later")              # the question about the later pairs, if there are any
    await tab.send(ResendState.choose_later, key="keep")

The pair is sent only after the user has answered all questions. No handler waits for the database while it holds the
lock of the state, except to wait for the first pairs of a page (`pair_lookup.py`).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any, Final, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.compare.comparisons import MAX_MODELS, Comparison
from app.domain.context.over_budget import OverBudgetError
from app.domain.context.seen_selection import SelectionChangedError
from app.domain.conversation.marks import Marks, PairMarks
from app.domain.errors import InviewError, LaterPairsError, PairChangedError
from app.runs.app_context import context_for, current
from app.runs.conversation.mark_commands import mark_pairs
from app.runs.resend.in_place import ResendResult
from app.runs.resend.resend import Later, restore_version
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.stopping import cancel_run
from app.state.comparison import expect_replies
from app.state.composer.changed_context import describe_changed_context
from app.state.composer.message_box import MAX_TEXT
from app.state.composer.over_budget import (
    add_choice,
    add_counted,
    describe_over_budget,
    extent_of,
    read_way,
    remember_way,
    selection_of,
)
from app.state.composer.state import TOO_LONG
from app.state.composer.view_options import options_of
from app.state.composer.views import OverBudgetView
from app.state.messages.answered import begin_work, end_work
from app.state.messages.error_messages import describe_fault
from app.state.messages.toasts import MAX_UNDOS, Undo, show_fault, show_toast
from app.state.reply.edit import EditState, end_edit, read_edit, refuse_edit
from app.state.reply.pair_lookup import find_pair
from app.state.reply.resending import (
    BRANCHED,
    LaterView,
    ResendRequest,
    SendUndo,
    compare,
    describe_later,
    describe_sent,
    send_again,
)
from app.state.reply.summary import write_summary
from app.state.tab.address import conversation_in, conversation_path
from app.state.tab.inputs import text_in
from app.state.tab.tab_watchers import watcher_of
from app.state.tab.visit import VisitedState

MAX_MODEL: Final = 300

Events = AsyncGenerator[Any, None]


class ResendState(VisitedState, rx.State):
    """The event handlers that send a pair again, and the two dialogs that may ask the user first.

    The dialog of `later` asks what to do with the later pairs. The dialog of `over_budget` asks what to do if the
    request exceeds the budget. Each dialog is open while its var is set.
    """

    later: rx.Field[LaterView | None] = rx.field(None)
    over_budget: rx.Field[OverBudgetView | None] = rx.field(None)
    _taken: tuple[ResendRequest, ...] = ()
    _busy: tuple[str, ...] = ()  # pairs that are being sent again, so that a second click is ignored
    _pending: ResendRequest | None = None
    _remembers: bool = False
    _sent: tuple[SendUndo, ...] = ()

    @rx.event
    async def answer_again(self, pair_id: str, model: str) -> rx.event.EventType[()] | None:
        """Let this model answer a pair again; "": the pair's own model."""
        request, chosen = await self._request_for(pair_id), text_in(model, MAX_MODEL)
        if request is None or chosen is None:
            return None
        return await self._take(
            replace(request, options=replace(request.options, model=chosen or request.options.model))
        )

    @rx.event
    async def send_as_it_was(self, pair_id: str) -> rx.event.EventType[()] | None:
        """Send the stored request of a pair again, byte for byte."""
        request = await self._request_for(pair_id)
        return None if request is None else await self._take(replace(request, as_it_was=True))

    @rx.event
    async def compare(self, pair_id: str, models: list[str]) -> rx.event.EventType[()] | None:
        """Let these models answer a pair again, side by side."""
        request = await self._request_for(pair_id)
        if request is None or len(models) > MAX_MODELS or not all(text_in(one, MAX_MODEL) for one in models):
            return None
        return await self._take(replace(request, models=tuple(models)))

    @rx.event
    async def send_edit(self, form: dict[str, Any]) -> rx.event.EventType[()] | None:
        """Send the pair being edited with the text in the form."""
        state = await self.get_state(EditState)
        edit, written = read_edit(state.kept), form.get("text")
        if edit is None or state.busy or edit.pair_id in self._busy or not isinstance(written, str):
            return None
        if (text := text_in(written, MAX_TEXT)) is None:
            state.fault = TOO_LONG
            return None
        if not text.strip():
            return None
        state.fault = ""
        pairs = () if (watcher := watcher_of(self)) is None else watcher.screen.pairs
        was = next((pair.user_text for pair in pairs if pair.id == edit.pair_id), "")
        request = ResendRequest(
            edit.pair_id,
            edit.conversation_id,
            edit.position,
            edit.version,
            text,
            await options_of(self, edit.conversation_id),
            newest=bool(pairs) and pairs[-1].id == edit.pair_id,
            edit=edit.id,
            was=was,
        )
        return await self._take(request)

    @rx.event
    async def choose_later(self, key: str) -> rx.event.EventType[()] | None:
        """Send the pair again, with the choice that the user made in the dialog about the later pairs."""
        request, shown = self._pending, self.later
        if request is None or shown is None or key not in request.ways:
            return None
        return await self._take(replace(request, later=Later(key), later_count=shown.count))

    @rx.event
    async def remember_way(self, remembers: bool) -> None:
        """Set whether the next choice in the dialog "This does not fit" is remembered for later sends."""
        self._remembers = remembers is True

    @rx.event
    async def choose_way(self, key: str) -> rx.event.EventType[()] | None:
        """Send the pair again, with the option that the user chose in the dialog about the exceeded budget."""
        way, request = read_way(str(key)), self._pending
        if request is None or way is None or self.over_budget is None:
            return None
        return await self._take(
            replace(
                request,
                options=replace(request.options, model=way.model or request.options.model),
                as_it_was=request.as_it_was and not way.current,
                over_budget=request.over_budget if way.as_counted else way.over_budget,
                choices=add_choice(request.choices, self.over_budget, way),
                remembered=way.over_budget if self._remembers and way.over_budget is not None else request.remembered,
                summarise=way.summarise,
                older=extent_of(self.over_budget, str(key)),
                selection=selection_of(self.over_budget, str(key)),
                selections=add_counted(request.selections, self.over_budget, str(key)),
            )
        )

    @rx.event
    async def end(self) -> None:
        """Close the dialog that is open (`later` or `over_budget`) without sending the pair."""
        await self._call_off()

    @rx.event(background=True)
    async def deliver(self) -> Events:
        """Send the pair of the oldest `ResendRequest` that waits in this state."""
        async with self:
            if not self._taken:
                return
            request, *rest = self._taken
            self._taken = tuple(rest)
        try:
            yield await self._deliver(request)
        finally:
            async with self:
                self._busy = tuple(each for each in self._busy if each != request.pair_id)
                if _leads_soon(request):
                    await end_work(self)

    @rx.event(background=True)
    async def take_back(self, run_id: str) -> None:
        """Cancel the new reply, and restore the pair's previous version and any discarded pairs.

        Undo sends this event, so no further undo is offered.
        """
        async with self:
            sent = next((each for each in self._sent if each.run_id == run_id), None)
        if sent is None:
            return
        try:
            ctx = await context_for(current(), sent.pair_id)
            await cancel_run(ctx, LOCAL_OWNER, sent.run_id)
            await restore_version(ctx, LOCAL_OWNER, sent.pair_id, sent.version)
            if sent.discarded:
                marks = [PairMarks(pair_id, Marks(deleted=False)) for pair_id in sent.discarded]
                await mark_pairs(ctx, LOCAL_OWNER, sent.conversation_id, marks)
        except InviewError as error:
            async with self:
                await show_fault(self, describe_fault(error))

    async def _end_visit(self) -> None:
        await self._call_off()

    async def _call_off(self) -> None:
        if self._pending is not None:
            await self._refuse(self._pending)
        self._set_pending(None)

    async def _request_for(self, pair_id: object) -> ResendRequest | None:
        """Return a request to send a pair of this page again unchanged.

        None: the page shows no such pair, and a toast says so; or the pair is being sent already.
        """
        pair = await find_pair(self, pair_id)
        if pair is None or pair.id in self._busy:
            return None
        options = replace(await options_of(self, pair.conversation_id), model=pair.model)
        pairs = () if (watcher := watcher_of(self)) is None else watcher.screen.pairs
        newest = bool(pairs) and pairs[-1].id == pair.id
        return ResendRequest(
            pair.id, pair.conversation_id, pair.position, pair.version, pair.user_text, options, newest
        )

    async def _take(self, request: ResendRequest) -> rx.event.EventType[()]:
        self._set_pending(None)
        if request.edit:
            (await self.get_state(EditState)).busy = True
        if _leads_soon(request):
            await begin_work(self)
        self._taken, self._busy = (*self._taken, request), (*self._busy, request.pair_id)
        return ResendState.deliver

    def _set_pending(self, request: ResendRequest | None) -> None:
        self._pending, self.later, self.over_budget, self._remembers = request, None, None, False

    async def _deliver(self, request: ResendRequest) -> list[Any]:
        """Send the pair and show the result. Return the redirects for the page."""
        try:
            if request.summarise:
                await write_summary(self, request.conversation_id, request.options, request.text, request.older)
            request = replace(request, summarise=False)
            sent = await compare(request) if request.models else await send_again(request)
        except (LaterPairsError, OverBudgetError, SelectionChangedError) as error:
            async with self:
                await self._ask_about(request, error)
        except InviewError as error:
            async with self:
                await self._refuse(request, error)
        except Exception:
            async with self:
                await self._refuse(request)
            raise
        else:
            if request.remembered is not None:
                await remember_way(request.remembered)
            if isinstance(sent, Comparison):
                return await self._announce_compared(request, sent)
            return await self._announce(request, sent)
        return []

    async def _ask_about(
        self, request: ResendRequest, error: LaterPairsError | OverBudgetError | SelectionChangedError
    ) -> None:
        """Open the dialog for this error. If the page shows another conversation by now, say that nothing is sent."""
        if conversation_in(self.router.url.path) != request.conversation_id:
            await self._refuse(request)
            await show_fault(self, _describe_unanswered(request))
            return
        await self._come()
        self._set_pending(request)
        if request.edit:
            (await self.get_state(EditState)).busy = False
        if isinstance(error, LaterPairsError):
            self.later = describe_later(request.position, error.count, request.ways)
        elif isinstance(error, SelectionChangedError):
            self.over_budget = describe_changed_context(error, models=request.models, kept=request.edit != "")
        else:
            self.over_budget = describe_over_budget(
                error.budget_options, models=request.models, summary=request.newest, kept=request.edit != ""
            )

    async def _refuse(self, request: ResendRequest, error: InviewError | None = None) -> None:
        """Show why the pair is not sent: in the text area of an edit, otherwise in a toast."""
        fault = "" if error is None else describe_fault(error)
        if request.edit:
            version = error.version if isinstance(error, PairChangedError) else None
            refuse_edit(await self.get_state(EditState), request.edit, fault, version)
        elif fault:
            await show_fault(self, fault)

    async def _announce(self, request: ResendRequest, resent: ResendResult) -> list[Any]:
        if request.edit:
            async with self:
                end_edit(await self.get_state(EditState), request.edit)
        if resent.conversation_id != request.conversation_id:
            async with self:
                await show_toast(self, BRANCHED)
            return [rx.redirect(conversation_path(resent.conversation_id))]
        discarded = tuple(each.pair_id for each in resent.undo)
        sent = SendUndo(resent.started.run_id, request.pair_id, request.conversation_id, request.version, discarded)
        async with self:
            self._sent = (*self._sent, sent)[-MAX_UNDOS:]
            undo = cast("EventSpec", ResendState.take_back(sent.run_id))
            message, undone = describe_sent(request, resent)
            await show_toast(self, message, undo=Undo(undo, undone))
        return []

    async def _announce_compared(self, request: ResendRequest, comparison: Comparison) -> list[Any]:
        branched = comparison.conversation_id != request.conversation_id
        async with self:
            await expect_replies(self, comparison.id)
            if branched:
                await show_toast(self, BRANCHED)
        return [rx.redirect(conversation_path(comparison.conversation_id))] if branched else []


def _describe_unanswered(request: ResendRequest) -> str:
    kept = " Your text is saved there." if request.edit else ""
    unsent = f"Pair {request.position} was not sent again, because that needs your choice."
    return f"{unsent} Open its conversation and send it again.{kept}"


def _leads_soon(request: ResendRequest) -> bool:
    """Return True if the pair is sent in a new branch at once, so that the page opens the branch soon.

    False if a summary is written first, because that takes long and the page does not wait for it.
    """
    return request.later is Later.BRANCH and not request.summarise
