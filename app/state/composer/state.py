"""The state of the composer: its message box (`message_box.py`), and the handlers that send the draft.

The models of a comparison are in `next_models.py`, the summary before a send is in `summary.py`.

    await tab.send(ComposerState.send, send_id="1", text="/echo Hello", order_id="")
    tab.shows(ComposerState, "answers")          # (SendAnswer("1", accepted=True),)

Each send gets an answer with its id: accepted or refused. The text of a refused send goes back into the message box.
While the dialog of an oversized send is open, the send has no answer yet. No handler waits for the database under the
lock of the state.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

import reflex as rx

from app.domain.compare.comparisons import ComparingError
from app.domain.context.over_budget import OverBudgetError
from app.domain.context.seen_selection import SelectionChangedError
from app.domain.errors import InviewError, NotFoundError
from app.domain.settings.preferences import Preferences
from app.runs.app_context import context_for, current
from app.runs.runtime.ids import now
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.send.deliveries import DeliveredError, find_delivery
from app.runs.send.first_message import FirstMessageOptions
from app.runs.send.queue import read_queue
from app.runs.send.stopping import cancel_run
from app.runs.settings.preference_commands import prelude_of, read_prelude
from app.runs.watch.screen import Screen
from app.state.comparison import expect_replies
from app.state.composer.changed_context import describe_changed_context
from app.state.composer.files import refuse_to_send
from app.state.composer.first_message import deliver_first, new_conversation
from app.state.composer.message_box import MAX_TEXT, Events, make_order, show_context
from app.state.composer.next_models import NextModels
from app.state.composer.over_budget import (
    Way,
    add_choice,
    add_counted,
    describe_over_budget,
    extent_of,
    read_way,
    remember_way,
    selection_of,
)
from app.state.composer.parameters import restore_send_parameters, take_send_parameters
from app.state.composer.sending import Draft, deliver, is_shown_by_queue
from app.state.composer.split import describe_counting
from app.state.composer.summary import SummaryBeforeSend
from app.state.composer.view_options import options_of
from app.state.composer.views import (
    OrderKind,
    OverBudgetView,
    SendAnswer,
    SendWaitView,
)
from app.state.composer.waits import plan_wait
from app.state.conversation.model import ModelState
from app.state.messages.error_messages import describe_fault, provider_of
from app.state.messages.toasts import show_fault
from app.state.tab.address import conversation_in, conversation_path
from app.state.tab.changes import set_changed
from app.state.tab.inputs import text_in
from app.state.tab.tab_watchers import watcher_of
from app.state.tab.turns import Turns, token_in
from app.state.tab.visit import Visit, VisitedState, visit_of
from app.state.topics.chosen import TopicState

TOO_LONG: Final = f"This is longer than {MAX_TEXT:,} characters. Shorten it, or send it in parts."
_MAX_ID: Final = 64
_KEPT_ANSWERS: Final = 8
_TURNS: Final = Turns()
_COMPARING: Final = describe_fault(ComparingError())
_NO_CONVERSATION: Final = FirstMessageOptions("", None)


class ComposerState(NextModels, SummaryBeforeSend, VisitedState, rx.State):
    """The composer: the message box, and the sends of its draft.

    - `running`: the id of the pair whose reply is running.
    - `stopping`: the id of the pair whose reply is being stopped.
    - `wait`: the wait after the last send, if a rate limit refused it.
    - `over_budget`: the content of the dialog for a send that exceeds its budget.
    - `answers`: the results of the last sends.
    - `made`: the id of the conversation that a first message has started.
    """

    running: rx.Field[str] = rx.field("")
    stopping: rx.Field[str] = rx.field("")
    wait: rx.Field[SendWaitView | None] = rx.field(None)
    over_budget: rx.Field[OverBudgetView | None] = rx.field(None)
    answers: rx.Field[tuple[SendAnswer, ...]] = rx.field(())
    made: rx.Field[str] = rx.field("")
    _page: Visit = ("", "")  # the visit whose data this state has
    _made_as: FirstMessageOptions | None = None
    _taken: tuple[Draft, ...] = ()  # drafts that wait for delivery, oldest first
    _pending: Draft | None = None
    _chosen_way: tuple[Draft, Way] | None = None
    _remembers: bool = False
    _going: str = ""  # the conversation that a first message has started, until the page shows it

    @rx.event
    async def open(self) -> list[Any]:
        """Clear the data of the previous page. On the start page, read the text about the user that sends include."""
        here = conversation_in(self.router.url.path)
        return await self._open(None if here else await read_prelude(current(), LOCAL_OWNER))

    async def _open(self, prelude: str | None) -> list[Any]:
        await self._come_to_page()
        going, self._going = self._going, ""
        if conversation_in(self.router.url.path):
            return []
        set_changed(self, prelude=prelude)
        return _go_to(going)  # the page missed this redirect while it had no connection

    @rx.event
    async def send(self, send_id: str, text: str, order_id: str) -> rx.event.EventType[()] | None:
        """Send the draft, or queue it while a reply is running. The first message starts a conversation.

        Events of a page are handled in order, so a choice made just before the send applies to it.
        """
        if (draft := await self._take(send_id, text, order_id)) is None:
            return None
        self._taken = (*self._taken, draft)
        return ComposerState.deliver

    @rx.event(background=True)
    async def deliver(self) -> Events:
        """Deliver the oldest draft that waits in this state, after the earlier drafts for its conversation.

        If one of the earlier drafts needs a summary first, this draft waits for the summary too. Drafts for other
        conversations do not wait.
        """
        async with self:
            if not self._taken:
                return
            draft, *rest = self._taken
            self._taken = tuple(rest)
            turn = _TURNS.take(self._order_of(draft))
        async with _TURNS.held(turn):
            yield _go_to(await self._deliver(draft))
            if draft.files:
                yield ComposerState.count_files

    @rx.event(background=True)
    async def resume_queue(self) -> None:
        """Send the first text of the queue."""
        conversation_id = conversation_in(self.router.url.path)
        with suppress(NotFoundError):
            queue = await read_queue(await context_for(current(), conversation_id), LOCAL_OWNER, conversation_id)
            if queue.items:
                await self._resume(queue.items[0].text)

    @rx.event
    async def remember_way(self, remembers: bool) -> None:
        """Set whether the next choice in the dialog "This does not fit" also applies to later sends."""
        self._remembers = remembers is True

    @rx.event
    async def choose_way(self, key: str) -> rx.event.EventType[()] | None:
        """Choose an option in the dialog for a send that exceeds its budget. `go_on` carries it out."""
        way, selection = read_way(str(key)), selection_of(self.over_budget, str(key))
        older = extent_of(self.over_budget, str(key))
        draft, self._pending, shown, self.over_budget = self._pending, None, self.over_budget, None
        remembers, self._remembers = self._remembers, False
        if draft is None or way is None:
            return None
        if draft.models:
            choices = add_choice(draft.choices, shown, way)
            draft = replace(draft, selections=add_counted(draft.selections, shown, str(key)), choices=choices)
        else:
            over_budget = draft.over_budget if way.as_counted else way.over_budget
            draft = replace(draft, over_budget=over_budget, selection=selection, counted=None, older=older)
        if remembers and way.over_budget is not None:
            draft = replace(draft, remembered=way.over_budget)
        if way.summarise:
            await self._answer(draft, accepted=False)
        self._chosen_way = (draft, way)
        return ComposerState.go_on

    @rx.event(background=True)
    async def go_on(self) -> Events:
        """Carry out the option that the person chose for a send that exceeds its budget."""
        async with self:
            chosen, self._chosen_way = self._chosen_way, None
            if chosen is None:
                return
            draft, way = chosen
            turn = _TURNS.take(self._order_of(draft))
        async with _TURNS.held(turn):
            if way.summarise:
                await self._summarise_first(draft)
                return
            if way.model is not None:
                yield ModelState.choose(way.model)
                draft = replace(
                    draft,
                    options=replace(draft.options, model=way.model),
                    new=replace(draft.new, model=way.model),
                )
            yield _go_to(await self._deliver(draft))

    @rx.event
    async def end_over_budget(self) -> rx.event.EventType[()]:
        """Cancel the send that exceeds its budget. Its text goes back into the message box."""
        draft, self._pending, self.over_budget, self._remembers = self._pending, None, None, False
        if draft is not None:
            await self._answer(draft, accepted=False)
        return ComposerState.count_files

    @rx.event(background=True)
    async def stop_reply(self) -> None:
        """Stop the reply that is running in the conversation on screen. The text received so far stays."""
        async with self:
            conversation_id = conversation_in(self.router.url.path)
            self.stopping = self.running
        ctx = await context_for(current(), conversation_id)
        for run in ctx.engine.runs_of(conversation_id):
            if run.place.owner == LOCAL_OWNER:
                await cancel_run(ctx, LOCAL_OWNER, run.run_id)

    async def _meet(self, visit: Visit) -> None:
        if self._page != visit:
            await self._end_visit()

    async def _end_visit(self) -> None:
        """Drop an order to send that the previous page did not report as carried out.

        The page may have sent the draft just when the connection was lost. The next page does not know this: it would
        carry out the order again and send whatever its text area contains by now.
        """
        if self.order is not None and self.order.kind in {OrderKind.SEND, OrderKind.SAY}:
            self.order = None

    async def _come_to_page(self) -> None:
        """Clear the data of the previous page. `send` calls this too, because it may arrive before `open`.

        A draft whose dialog was open there is refused: the text area waits for this answer, then shows the text again.
        """
        conversation_id = conversation_in(self.router.url.path)
        before, self._page = self._page, await visit_of(self)
        if self._page == before:
            return
        if self._pending is not None:
            await self._answer(self._pending, accepted=False)
        set_changed(self, fault="", wait=None, refused=(), work=None, over_budget=None, order=None)
        self._pending = None
        self._compare_next(())
        if self.made != conversation_id:  # else a text of the start page may still be on its way there
            self._made_as = None
            set_changed(self, made="")

    async def _resume(self, text: str) -> None:
        """Send the first text of the queue of the conversation on screen. For background handlers."""
        async with self:
            self.fault = ""
            conversation_id = conversation_in(self.router.url.path)
        await self._deliver(Draft("", text, conversation_id, ViewOptions(), _NO_CONVERSATION, waited=True))

    async def _take(self, send_id: object, text: object, order_id: object) -> Draft | None:
        """Return a draft with the data on screen, None if there is nothing to send.

        None, for example, for the second of two quick presses of Enter: the first press has already sent a draft of
        files without text.
        """
        words, name = text_in(text, MAX_TEXT), text_in(send_id, _MAX_ID)
        if name is None:
            return None
        if words is not None and not words.strip() and not self.files:
            # The page waits for this answer, and counts no tokens before it arrives.
            self._note_answer(name, accepted=False)
            return None
        await self._come_to_page()
        self.fault, self.wait = "", None
        order = self.order if self.order is not None and self.order.id == order_id else None
        # The models of an order to send a draft were chosen with it. "Continue" (`SAY`) counts as the next message: it
        # goes to the models that `compared` names.
        models = self._models_of(order_id) if order is not None and order.kind is OrderKind.SEND else self._next_models
        if models:
            self._compare_next(())
        if order is not None:
            self.order = None
        conversation_id = conversation_in(self.router.url.path)
        options = await options_of(self, conversation_id)
        new = _NO_CONVERSATION
        if not conversation_id:
            options = replace(options, as_of=self._first_as_of)
            new = await new_conversation(self, options)
        watcher = watcher_of(self)
        token = self.router.session.client_token
        draft = Draft(name, words or "", conversation_id, options, new, self.schema, self.files, models, token=token)
        if watcher is not None and watcher.conversation_id == conversation_id:
            left_out = watcher.deleted | watcher.damaged
            draft = replace(draft, counted=watcher.counted, uncounted=watcher.uncounted, left_out=left_out)
        if refusal := TOO_LONG if words is None else refuse_to_send(self.files):
            await self._refuse(draft, refusal)
            return None
        self.schema, self._draft, self._edition, self.files, self.refused = "", "", 0, (), ()
        parameters = await take_send_parameters(self, conversation_id)
        if watcher is not None:
            watcher.attach(())
        self._count()  # the message box is empty now, so estimate and preview no longer include the sent text
        # Known now: the redirect after the previous text may open another page before this draft is delivered.
        return self._move_to_made(replace(draft, send_parameters=parameters))

    async def _deliver(self, draft: Draft) -> str:
        """Send the draft and show the result.

        Return the id of the conversation that the page must open next if the text is from the start page, else "".
        """
        async with self:
            draft = self._move_to_made(draft)
        target, begun, send = draft.conversation_id, "", draft.page_send
        try:
            if send is not None and (delivered := await find_delivery(current(), LOCAL_OWNER, send)):
                target = delivered
            else:
                target, begun = await self._deliver_to(draft)
        except DeliveredError as error:
            target = error.conversation_id
        except OverBudgetError as error:
            async with self:
                await self._ask_about(
                    draft, describe_over_budget(error.budget_options, models=draft.models, kept=draft.text != "")
                )
            return ""
        except SelectionChangedError as error:
            async with self:
                await self._ask_about(
                    draft, describe_changed_context(error, models=draft.models, kept=draft.text != "")
                )
            return ""
        except InviewError as error:
            is_shown = draft.waited and await is_shown_by_queue(draft.conversation_id)
            async with self:
                wait = plan_wait(error, now()) if draft.is_of_page(self.router.url.path) and not draft.waited else None
                message = "" if is_shown or wait is not None else describe_fault(error)
                await self._refuse(draft, message, provider_of(error))
                self.wait = wait
            return ""
        except Exception:
            async with self:
                await self._refuse(draft, "")
            raise
        async with self:
            is_there = target == conversation_in(self.router.url.path)
            next_page = "" if is_there or (draft.conversation_id and not draft.moved) else target
            self._going = next_page or self._going
            await self._answer(draft, accepted=True)
            if begun:
                await expect_replies(self, begun)
        if draft.remembered is not None:
            await remember_way(draft.remembered)
        return next_page

    async def _deliver_to(self, draft: Draft) -> tuple[str, str]:
        """Deliver the draft. Return the id of its conversation, new or not, and of its comparison ("" for none)."""
        if draft.conversation_id:
            return draft.conversation_id, await deliver(draft)
        made, comparison = await deliver_first(draft)
        async with self:
            self.made, self._made_as = made, draft.new
            token = self.router.session.client_token
            _TURNS.continue_in(token_in(token, ""), token_in(token, made))
        return made, comparison

    def _order_of(self, draft: Draft) -> str:
        """Return the name of the sequence that this draft is delivered in. Each conversation of this tab has one."""
        return token_in(self.router.session.client_token, draft.conversation_id or self._find_made(draft))

    def _move_to_made(self, draft: Draft) -> Draft:
        """Return a draft of the start page as one of the conversation that the previous text there started, if any."""
        made = self._find_made(draft)
        return replace(draft, conversation_id=made, moved=True) if made else draft

    def _find_made(self, draft: Draft) -> str:
        """Return the conversation that the previous text of the start page started for this draft, "" for none."""
        return "" if draft.conversation_id or self._made_as != draft.new else self.made

    async def _answer(self, draft: Draft, *, accepted: bool) -> None:
        if not accepted:
            if draft.conversation_id == conversation_in(self.router.url.path):
                self.schema = self.schema or draft.schema
                self.files = self.files or draft.files
                self._compare_next(self._next_models or draft.models)
            else:
                self._keep_returned(draft.conversation_id, draft.schema, draft.files)
            await restore_send_parameters(self, draft.conversation_id, draft.send_parameters)
        if draft.id:
            moved = draft.conversation_id if draft.moved and not accepted else ""
            self._note_answer(draft.id, accepted=accepted, moved=moved)

    def _note_answer(self, send_id: str, *, accepted: bool, moved: str = "") -> None:
        self.answers = (*self.answers[1 - _KEPT_ANSWERS :], SendAnswer(send_id, accepted, moved))

    async def _ask_about(self, draft: Draft, dialog: OverBudgetView) -> None:
        """Open the dialog of a send that is held back, unless another page is open by now."""
        if draft.is_of_page(self.router.url.path):
            self._pending, self.over_budget = draft, dialog
        else:
            await self._refuse(draft, dialog.message)

    async def _refuse(self, draft: Draft, message: str, provider: str = "") -> None:
        await self._show_fault(draft, message, provider)
        await self._answer(draft, accepted=False)

    async def _show_fault(self, draft: Draft, message: str, provider: str) -> None:
        """Show why a draft was not sent: in the composer or, if another page is open by now, in a toast."""
        if draft.is_of_page(self.router.url.path):
            self.fault, self.fault_provider = message, provider
        elif message:
            await show_fault(self, message)

    async def _summarise_first(self, draft: Draft) -> None:
        """Summarise the older pairs, then send the draft.

        A draft from the queue is delivered here. Any other draft is sent by the text area, if the text area still has
        the same text.
        """
        try:
            await self._write_summary(draft)
        except (InviewError, NotFoundError) as error:
            async with self:
                await self._show_fault(draft, describe_fault(error), provider_of(error))
            return
        finally:
            async with self:
                _, path = self._page
                self._end_work(draft, path)
        if draft.waited:
            await self._deliver(replace(draft, options=ViewOptions()))
            return
        async with self:
            # An order without a text sends any text, also one that was written during the summary.
            is_same = bool(draft.text) or not self._draft.strip()
            if draft.conversation_id == conversation_in(self.router.url.path) and is_same:
                self.order = make_order(OrderKind.SEND, draft.text)


def _go_to(conversation_id: str) -> list[Any]:
    """Return the events after a first message: they give the new conversation the chosen topic, and open it.

    The id "" returns no events.
    """
    if not conversation_id:
        return []
    return [TopicState.carry(conversation_id), rx.redirect(conversation_path(conversation_id))]


async def open_composer(state: ComposerState, preferences: Preferences | None) -> list[Any]:
    """Clear the data of the previous page. On the start page, show the prelude of these preferences."""
    prelude = None if preferences is None else prelude_of(preferences)
    return await state._open(prelude)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - public methods are for browsers


def show_composer(state: ComposerState, screen: Screen, shown: Screen | None) -> None:
    """Copy the parts of `screen` that the composer shows to `state`, if they differ from those in `shown`.

    `shown` is the screen that was copied last.
    """
    if shown is None or screen.running != shown.running:
        state.running = screen.running
    if screen.comparison is None and state.fault == _COMPARING:  # the comparison has ended since the send was refused
        state.fault = ""
    if shown is None or screen.counting != shown.counting:
        state.counting = describe_counting(screen.counting)
    if shown is None or screen.edition != shown.edition:
        state.counted = screen.edition
    if shown is None or screen.context is not shown.context:
        show_context(state, screen.context, None if shown is None else shown.context)


def clear_composer(state: ComposerState) -> None:
    """Remove the figures of the next send from `state`, because the page shows another conversation."""
    state.estimate, state.split, state.tools, state.prelude = None, None, None, None
    state.model, state.running, state.stopping, state.x, state.y = "", "", "", 0, 0
    state.secrets, state.kept_back, state.counting, state.counted = (), "", "", 0
