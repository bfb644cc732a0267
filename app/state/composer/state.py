"""The state of the message box and of the controls around it, and the handlers that send the draft.

    await tab.send(ComposerState.send, send_id="1", text="/echo Hello", order_id="")
    tab.shows(ComposerState, "answers")          # (SendAnswer("1", accepted=True),)

Each send gets an answer with its id: accepted or refused. The text of a refused send goes back into the message box.
While the dialog of an oversized send is open, the send has no answer yet. No handler waits for the database under the
lock of the state.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final
from uuid import uuid4

import reflex as rx

from app.domain.context.over_budget import OverBudgetError
from app.domain.context.seen_selection import SelectionChangedError
from app.domain.conversation.comparisons import MAX_MODELS
from app.domain.conversation.text_size import MAX_TEXT_BYTES
from app.domain.conversation.uploads import MAX_ATTACHED
from app.domain.errors import InputError, InviewError, NotFoundError
from app.runs.app_context import context_for, current
from app.runs.child_calls.summaries import summarise
from app.runs.library.preference_commands import read_prelude
from app.runs.send.commands import LOCAL_OWNER, cancel_run
from app.runs.send.context_selection import ViewOptions
from app.runs.send.first_message import FirstMessageOptions
from app.runs.send.queue import read_queue, view_options_of
from app.runs.uploads import find_uploads, load_attached
from app.runs.watch.screen import Screen
from app.state.comparison import expect_replies
from app.state.composer.files import DraftFile, describe_upload, ids_of, refuse_to_send
from app.state.composer.first_message import deliver_first, estimate_first, new_conversation, read_first
from app.state.composer.over_budget import (
    Way,
    add_choice,
    add_counted,
    describe_changed,
    describe_over_budget,
    extent_of,
    read_way,
    remember_way,
    selection_of,
)
from app.state.composer.parameters import restore_send_parameters, take_send_parameters
from app.state.composer.sending import Delivered, Draft, deliver, is_shown_by_queue
from app.state.composer.split import describe_counting, describe_secrets, describe_split
from app.state.composer.summary import describe_work, follow_summary
from app.state.composer.view_options import options_of
from app.state.composer.views import (
    BoxOrder,
    OrderKind,
    OverBudgetView,
    SendAnswer,
    SplitView,
    SummaryWorkView,
)
from app.state.conversation.model import ModelState
from app.state.inspector.frame import ON_START, InspectorState
from app.state.inspector.preview import PreviewState, note_first
from app.state.messages.error_messages import describe_fault, provider_of
from app.state.tab.address import conversation_in, conversation_path
from app.state.tab.inputs import text_in, whole_in
from app.state.tab.tab_watchers import watcher_of
from app.state.tab.turns import Turns
from app.state.tab.visit import visit_of
from app.state.topics.chosen import TopicState
from app.views.request.composition import EstimateView
from app.views.screen.context import ContextView, ToolCountView

MAX_TEXT: Final = MAX_TEXT_BYTES
"""Maximum number of characters of a message. A longer text also has too many bytes, and is neither sent nor counted."""
CONTINUE: Final = "Continue exactly where you stopped."
TOO_LONG: Final = f"This is longer than {MAX_TEXT:,} characters. Shorten it, or send it in parts."
_MAX_ID: Final = 64
_MAX_MODEL: Final = 300
_MAX_SCHEMA: Final = 100_000
_MAX_FILES: Final = 10_000
_KEPT_ANSWERS: Final = 8
_TURNS: Final = Turns()
_DELIVERED: Final = Delivered()
_NO_CONVERSATION: Final = FirstMessageOptions("", None)

Events = AsyncGenerator[Any, None]


class ComposerState(rx.State):
    """The message box and the region around it: the draft, the size of its send, and the results of the last sends.

    `estimate` is the size of the next send, None until it is known; `split` has the same figures as text. `x` of the
    `y` pairs in view are sent to `model`. The text area numbers its texts; the number of a text is called edition.
    `counted` is the edition of the text in these figures: if the text area has another edition by now, the figures are
    those of an earlier text. `counting` is the progress of the count that the figures wait for, "" for none. `tools`
    has the numbers of tools in the send.

    `secrets` are the kinds of secrets in the draft that are redacted, and `kept_back` describes them. `prelude` is the
    text about the person that is sent in front of all pairs. `schema` ("": none) and `files` are sent with the draft.
    `refused` has a text for each file that was not attached, which says why. `restored` is the text area's number of
    the last draft that it restored.

    `running` is the id of the pair whose reply is running, `stopping` the id of the pair whose reply is being stopped.
    `fault` is why the last send was refused, `fault_provider` the provider whose settings must be changed, "" for none.
    `over_budget` is the content of the dialog of a send that does not fit. `work` is the summary that is written before
    the send. `answers` are the results of the last sends. `order` is an action that the text area shall carry out.
    `made` is the id of the conversation that a first message has started.
    """

    estimate: rx.Field[EstimateView | None] = rx.field(None)
    split: rx.Field[SplitView | None] = rx.field(None)
    counted: rx.Field[int] = rx.field(0)
    counting: rx.Field[str] = rx.field("")
    model: rx.Field[str] = rx.field("")
    x: rx.Field[int] = rx.field(0)
    y: rx.Field[int] = rx.field(0)
    tools: rx.Field[ToolCountView | None] = rx.field(None)
    secrets: rx.Field[tuple[str, ...]] = rx.field(())
    kept_back: rx.Field[str] = rx.field("")
    prelude: rx.Field[str | None] = rx.field(None)
    schema: rx.Field[str] = rx.field("")
    files: rx.Field[tuple[DraftFile, ...]] = rx.field(())
    refused: rx.Field[tuple[str, ...]] = rx.field(())
    restored: rx.Field[int] = rx.field(0)
    running: rx.Field[str] = rx.field("")
    stopping: rx.Field[str] = rx.field("")
    fault: rx.Field[str] = rx.field("")
    fault_provider: rx.Field[str] = rx.field("")
    work: rx.Field[SummaryWorkView | None] = rx.field(None)
    over_budget: rx.Field[OverBudgetView | None] = rx.field(None)
    answers: rx.Field[tuple[SendAnswer, ...]] = rx.field(())
    order: rx.Field[BoxOrder | None] = rx.field(None)
    made: rx.Field[str] = rx.field("")
    _page: tuple[str, str] = ("", "")  # the conversation, and the connection on which it was opened
    _draft: str = ""
    _edition: int = 0  # the text area's number for the draft; 0: it shows another text
    _made_as: FirstMessageOptions | None = None
    _taken: tuple[Draft, ...] = ()  # drafts that wait for delivery, the oldest first
    _pending: Draft | None = None
    _chosen_way: tuple[Draft, Way] | None = None
    _remembers: bool = False
    _models: tuple[str, ...] = ()
    _going: str = ""  # the conversation that a first message has started, until the page shows it
    _summary_run: str = ""
    _estimates: int = 0  # number of estimates of first messages

    @rx.event
    async def open(self) -> list[Any]:
        """Clear the data of the previous page. On the start page, read the prelude."""
        await self._come_to_page()
        going, self._going = self._going, ""
        if conversation_in(self.router.url.path):
            return []
        self.prelude = await read_prelude(current(), LOCAL_OWNER)
        return _go_to(going)  # the page missed this redirect while its connection was lost

    @rx.event
    async def restore(
        self, draft: str, schema: str, files: str, edition: int = 0, restore_id: int = 0
    ) -> rx.event.EventType[()]:
        """Take over the draft that the browser stored for the conversation just opened, with its schema and its files.

        `restore_id` is the text area's number for this call. `restored` is set to this number, so that the text area
        knows which draft the vars `schema` and `files` belong to.
        """
        self.restored = whole_in(restore_id) or 0
        self.schema = text_in(schema, _MAX_SCHEMA) or ""
        ids = (text_in(files, _MAX_FILES) or "").split()[:MAX_ATTACHED]
        kept = await find_uploads(current(), LOCAL_OWNER, ids) if ids else ()
        self.files = tuple(describe_upload(f"kept-{at}", one) for at, one in enumerate(kept))
        await self._write(draft, edition)
        return ComposerState.count_files if conversation_in(self.router.url.path) else ComposerState.estimate_first

    @rx.event(background=True)
    async def count_files(self) -> None:
        """Include the files of the draft in the count of the next send."""
        async with self:
            ids, watcher = ids_of(self.files), watcher_of(self)
        if watcher is None:
            return
        try:
            attached = await load_attached(current(), LOCAL_OWNER, ids)
        except InputError as error:
            async with self:
                self.fault = str(error)
            return
        watcher.attach(attached.parts)

    @rx.event
    async def write(self, draft: str, typed: bool, edition: int = 0) -> rx.event.EventType[()] | None:
        """Take the text of the text area, and update the size of the next send.

        `typed`: a person wrote the text, so the reason why the last send was refused is cleared. `edition` is the text
        area's number for the text; 0: the text area shows another text, so it must not show the new figures as those of
        its own text.
        """
        if typed is True:
            self.fault = ""
        await self._write(draft, edition)
        return None if conversation_in(self.router.url.path) else ComposerState.estimate_first

    @rx.event(background=True)
    async def estimate_first(self) -> Events:
        """Estimate the first message of a conversation that does not exist yet, and update its preview.

        If this is called again meanwhile, the result of the earlier call is dropped.
        """
        async with self:
            if conversation_in(self.router.url.path):
                return
            self._estimates += 1
            turn, files = self._estimates, ids_of(self.files)
            draft = await read_first(self, self._draft, self._edition, self.schema, files)
            await note_first(self, draft)
        context = await estimate_first(draft)
        async with self:
            if turn != self._estimates or conversation_in(self.router.url.path):
                return
            _show_context(self, context, None)
            self.counted = draft.edition
            previews = (await self.get_state(InspectorState)).section == ON_START
        if previews:
            yield PreviewState.keep_current

    async def _write(self, draft: object, edition: object) -> None:
        words = text_in(draft, MAX_TEXT)
        self._draft, self._edition = words or "", 0 if words is None else whole_in(edition) or 0
        self._count()

    def _count(self) -> None:
        watcher = watcher_of(self)
        if watcher is not None and watcher.conversation_id == conversation_in(self.router.url.path):
            parameters = replace(watcher.view.parameters, reply_schema=self.schema or None)
            watcher.write(self._draft, parameters, self._edition)

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
        """Deliver the oldest draft that waits in this state, as soon as the delivery of earlier drafts has ended."""
        async with self:
            if not self._taken:
                return
            draft, *rest = self._taken
            self._taken = tuple(rest)
            token = self.router.session.client_token
            turn = _TURNS.take(token)
        async with _TURNS.held(token, turn):
            yield _go_to(await self._deliver(draft))
            if draft.files:
                yield ComposerState.count_files

    @rx.event
    async def finish_order(self, order_id: str) -> None:
        """Clear `order`, because the text area has carried it out."""
        if self.order is not None and self.order.id == order_id:
            self.order = None

    @rx.event
    async def focus(self) -> None:
        """Focus the text area."""
        self.order = make_order(OrderKind.FOCUS, "")

    @rx.event
    async def put(self, text: str, schema: str) -> None:
        """Insert a text in front of the draft, with its schema ("": the draft's schema stays)."""
        if words := text_in(text, MAX_TEXT):
            self.fault = ""
            self.schema = text_in(schema, _MAX_SCHEMA) or self.schema
            self.order = make_order(OrderKind.PUT, words)

    @rx.event
    async def put_edit(self, edit_id: str) -> None:
        """Insert the unsaved text of this edit, which the browser keeps, in front of the draft."""
        if name := text_in(edit_id, _MAX_ID):
            self.order = make_order(OrderKind.PUT_EDIT, name)

    @rx.event
    async def continue_reply(self) -> None:
        """Send a request for the rest of the last reply.

        If there is a draft, the text of this request is inserted in front of the draft and not sent.
        """
        self.order = make_order(OrderKind.SAY, CONTINUE)

    @rx.event
    async def put_if_empty(self, text: str) -> None:
        """Put a text into the message box, if that is empty."""
        if words := text_in(text, MAX_TEXT):
            self.order = make_order(OrderKind.PUT_IF_EMPTY, words)

    @rx.event
    async def compare(self, models: list[str]) -> None:
        """Send the draft to these models, side by side."""
        if all(text_in(one, _MAX_MODEL) for one in models) and len(models) <= MAX_MODELS:
            self._models = tuple(models)
            self.order = make_order(OrderKind.SEND, "")

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
        """Choose an option in the dialog of a send that does not fit. `go_on` carries out the option."""
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
        """Carry out the chosen option of a send that does not fit."""
        async with self:
            chosen, self._chosen_way = self._chosen_way, None
            if chosen is None:
                return
            draft, way = chosen
            token = self.router.session.client_token
            turn = _TURNS.take(token)
        async with _TURNS.held(token, turn):
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
        """Cancel the send that does not fit. Its text goes back into the message box."""
        draft, self._pending, self.over_budget, self._remembers = self._pending, None, None, False
        if draft is not None:
            await self._answer(draft, accepted=False)
        return ComposerState.count_files

    @rx.event(background=True)
    async def stop_summary(self) -> None:
        """Stop the summary that is written before the send."""
        async with self:
            run_id, conversation_id = self._summary_run, conversation_in(self.router.url.path)
        if run_id:
            await cancel_run(await context_for(current(), conversation_id), LOCAL_OWNER, run_id)

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

    @rx.var
    def file_keys(self) -> tuple[str, ...]:
        """The browser's names for the files of the draft."""
        return tuple(file.key for file in self.files)

    @rx.var
    def file_ids(self) -> str:
        """The ids of the uploads that have arrived, in the format of the text area's storage."""
        return " ".join(ids_of(self.files))

    @rx.var
    def has_images(self) -> bool:
        """True if one of the files is an image."""
        return any(file.image for file in self.files)

    @property
    def text(self) -> str:
        """The text of the text area that was received last."""
        return self._draft

    @property
    def edition(self) -> int:
        """The text area's number for the text that was received last, 0 for none."""
        return self._edition

    async def _come_to_page(self) -> None:
        """Clear the data of the previous page. `send` calls this too, because it may arrive before `open`."""
        conversation_id = conversation_in(self.router.url.path)
        before, self._page = self._page, await visit_of(self)
        if self._page == before:
            return
        self.fault, self.refused, self.work, self.over_budget, self.order = "", (), None, None, None
        self._pending, self._made_as = None, None
        self.made = self.made if self.made == conversation_id else ""

    async def _resume(self, text: str) -> None:
        """Send the first text of the queue of the conversation on screen. For background handlers."""
        async with self:
            self.fault = ""
            conversation_id = conversation_in(self.router.url.path)
        await self._deliver(Draft("", text, conversation_id, ViewOptions(), _NO_CONVERSATION, waited=True))

    async def _take(self, send_id: object, text: object, order_id: object) -> Draft | None:
        """Return a draft with the data on screen, None if there is nothing to send.

        There is nothing to send if, for example, Enter is pressed twice and the first press has sent a draft of files
        alone.
        """
        words, name = text_in(text, MAX_TEXT), text_in(send_id, _MAX_ID)
        if name is None:
            return None
        if words is not None and not words.strip() and not self.files:
            self._note_answer(name, accepted=False)  # the page waits for an answer, and counts nothing until then
            return None
        await self._come_to_page()
        self.fault = ""
        ordered = self.order is not None and self.order.id == order_id
        models, self._models = (self._models, ()) if ordered else ((), self._models)
        if ordered:
            self.order = None
        conversation_id = conversation_in(self.router.url.path)
        options = await options_of(self, conversation_id)
        new = await new_conversation(self, options) if not conversation_id else _NO_CONVERSATION
        watcher = watcher_of(self)
        draft = Draft(name, words or "", conversation_id, options, new, self.schema, self.files, models)
        if watcher is not None and watcher.conversation_id == conversation_id:
            counted, uncounted, deleted = watcher.counted, watcher.uncounted, watcher.deleted
            draft = replace(draft, counted=counted, uncounted=uncounted, deleted=deleted)
        if refusal := TOO_LONG if words is None else refuse_to_send(self.files):
            await self._refuse(draft, refusal)
            return None
        self.schema, self._draft, self._edition, self.files, self.refused = "", "", 0, (), ()
        parameters = await take_send_parameters(self, conversation_id)
        if watcher is not None:
            watcher.attach(())
        self._count()  # the message box is empty: estimate and preview no longer include the text that was sent
        return replace(draft, send_parameters=parameters)

    async def _deliver(self, draft: Draft) -> str:
        """Send the draft and show the result. Return the id of the conversation that the send started, "" for none."""
        target, begun = draft.conversation_id, ""
        async with self:
            token = self.router.session.client_token
        try:
            if delivered := _DELIVERED.find(token, draft.id):
                target = delivered
            else:
                target, begun = await self._deliver_to(draft)
        except OverBudgetError as error:
            async with self:
                self._pending = draft
                self.over_budget = describe_over_budget(error.budget_options, several=bool(draft.models))
            return ""
        except SelectionChangedError as error:
            async with self:
                self._pending = draft
                self.over_budget = describe_changed(error, several=bool(draft.models))
            return ""
        except InviewError as error:
            is_shown = draft.waited and await is_shown_by_queue(draft.conversation_id)
            async with self:
                await self._refuse(draft, "" if is_shown else describe_fault(error), provider_of(error))
            return ""
        except Exception:
            async with self:
                await self._refuse(draft, "")
            raise
        if draft.id:
            _DELIVERED.note(token, draft.id, target)
        moved = "" if draft.conversation_id else target
        async with self:
            self._going = moved or self._going
            await self._answer(draft, accepted=True)
            if begun:
                await expect_replies(self, begun)
        if draft.remembered is not None:
            await remember_way(draft.remembered)
        return moved

    async def _deliver_to(self, draft: Draft) -> tuple[str, str]:
        """Deliver the draft. Return the id of its conversation, new or not, and of its comparison ("" for none)."""
        if draft.conversation_id:
            return draft.conversation_id, await deliver(draft)
        async with self:
            made = self.made if self._made_as == draft.new else ""
        if made:  # the previous text on this page has started this conversation
            return made, await deliver(replace(draft, conversation_id=made))
        made, comparison = await deliver_first(draft)
        async with self:
            self.made, self._made_as = made, draft.new
        return made, comparison

    async def _answer(self, draft: Draft, *, accepted: bool) -> None:
        if not accepted:
            self.schema = self.schema or draft.schema
            self.files = self.files or draft.files
            await restore_send_parameters(self, draft.conversation_id, draft.send_parameters)
        if draft.id:
            self._note_answer(draft.id, accepted=accepted)

    def _note_answer(self, send_id: str, *, accepted: bool) -> None:
        self.answers = (*self.answers[1 - _KEPT_ANSWERS :], SendAnswer(send_id, accepted))

    async def _refuse(self, draft: Draft, message: str, provider: str = "") -> None:
        self.fault, self.fault_provider = message, provider
        await self._answer(draft, accepted=False)

    async def _summarise_first(self, draft: Draft) -> None:
        """Summarise the older pairs. Then let the text area send its text again, if it still has that text."""
        target = draft.conversation_id
        try:
            ctx = await context_for(current(), target)
            options = draft.options
            if draft.waited:
                (item, *_) = (await read_queue(ctx, LOCAL_OWNER, target)).items or (None,)
                options = options if item is None else view_options_of(item)
            summary = await summarise(ctx, LOCAL_OWNER, target, options, draft.text, draft.older)
            async with self:
                self._summary_run = summary.started.run_id
                self.work = SummaryWorkView(describe_work(summary.count, 0))
            async for characters in follow_summary(ctx, target, summary):
                async with self:
                    self.work = SummaryWorkView(describe_work(summary.count, characters))
        except (InviewError, NotFoundError) as error:
            async with self:
                self.fault, self.fault_provider = describe_fault(error), provider_of(error)
            return
        finally:
            async with self:
                self.work, self._summary_run = None, ""
        if draft.waited:
            await self._deliver(replace(draft, options=ViewOptions()))
            return
        async with self:
            self.order = make_order(OrderKind.SEND, draft.text)


def _go_to(conversation_id: str) -> list[Any]:
    """Return the events that show a conversation started by a first message, and give it the chosen topic.

    The id "" returns no events.
    """
    if not conversation_id:
        return []
    return [TopicState.carry(conversation_id), rx.redirect(conversation_path(conversation_id))]


def set_schema(composer: ComposerState, schema: str) -> None:
    """Set the schema of the draft; "": none."""
    composer.schema = schema
    if (watcher := watcher_of(composer)) is not None:
        watcher.write(composer.text, replace(watcher.view.parameters, reply_schema=schema or None), composer.edition)


def make_order(kind: OrderKind, text: str) -> BoxOrder:
    """Return a new action for the text area."""
    return BoxOrder(uuid4().hex, kind, text)


def show_composer(state: ComposerState, screen: Screen, shown: Screen | None) -> None:
    """Copy the parts of `screen` that the composer shows to `state`, if they differ from those in `shown`.

    `shown` is the screen that was copied last.
    """
    if shown is None or screen.running != shown.running:
        state.running = screen.running
    if shown is None or screen.counting != shown.counting:
        state.counting = describe_counting(screen.counting)
    if shown is None or screen.edition != shown.edition:
        state.counted = screen.edition
    if shown is None or screen.context is not shown.context:
        _show_context(state, screen.context, None if shown is None else shown.context)


def _show_context(state: ComposerState, context: ContextView | None, before: ContextView | None) -> None:
    if context is None:
        state.estimate, state.split = None, None
        return
    state.estimate = context.estimate  # also if only an exact count of the same estimate is outdated
    if before is None or (context.model, context.x, context.y) != (before.model, before.x, before.y):
        state.model, state.x, state.y = context.model, context.x, context.y
    if before is None or context.tools != before.tools:
        state.tools = context.tools
    if before is None or (context.secrets, context.prelude) != (before.secrets, before.prelude):
        state.secrets, state.prelude = context.secrets, context.prelude
        state.kept_back = describe_secrets(context.secrets)
    state.split = describe_split(context)


def show_count(state: ComposerState, context: ContextView, exact: EstimateView) -> None:
    """Show the provider's count of the next send instead of the estimate, until the content of the send changes."""
    state.estimate = exact
    state.split = describe_split(replace(context, estimate=exact))


def clear_composer(state: ComposerState) -> None:
    """Remove the figures from `state`, because the page shows another conversation."""
    state.estimate, state.split, state.tools, state.prelude = None, None, None, None
    state.model, state.running, state.stopping, state.x, state.y = "", "", "", 0, 0
    state.secrets, state.kept_back, state.counting, state.counted = (), "", "", 0
