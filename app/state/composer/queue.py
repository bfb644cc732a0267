"""The queue of texts that wait for the current reply. A person reads, edits, moves, drops and resumes them here.

    await tab.send(QueueState.edit, item_id="q1")       # pauses the queue
    await tab.send(QueueState.save, form={"text": "And then?"})  # resumes it

The server stores the queue. The watcher's screen brings what is shown here (`show_queue`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.errors import InviewError
from app.domain.run.queue import MAX_QUEUED, HoldReason, QueuedText
from app.runs.app_context import context_for, current
from app.runs.request.attachments import AttachedParts
from app.runs.runtime.ids import new_id
from app.runs.send.commands import LOCAL_OWNER
from app.runs.send.queue import (
    change_queued,
    drop_queued,
    pause_queue,
    queue_text,
    read_queue,
    resume_queue,
    view_options_of,
)
from app.runs.watch.screen import EMPTY_QUEUE, Screen
from app.state.address import conversation_in
from app.state.composer.sending import is_shown_by_queue
from app.state.composer.state import MAX_TEXT, TOO_LONG, ComposerState, make_order
from app.state.composer.views import OrderKind, QueueRow
from app.state.inputs import text_in, whole_in
from app.state.toasts import MAX_UNDOS, show_fault, show_toast
from app.state.turns import Turns
from app.views.screen.panels import QueuedItemView, ScreenQueueView
from app.views.usage.figures import plural

_MAX_ID: Final = 64
_TURNS: Final = Turns()
"""An edit waits for the end of the edit before it, or the queue would resume during the edit."""


@dataclass(frozen=True, slots=True)
class _Dropped:
    """A text that was taken out of the queue, its place there, and whether the queue was paused."""

    item: QueuedText
    place: int
    paused: bool
    attached: AttachedParts


class QueueState(rx.State):
    """`queue` is what waits in the conversation on screen, `rows` the same as shown, `said` what it does, `idle`: no
    reply has been running for a while.

    `edited` is the text when its edit began; `lost`: it does not wait any longer. `draft` is the text of an earlier
    edit that was not finished. `edit_id` names the edit, so that the browser keeps the text over a reload; "" in a
    temporary conversation: the browser keeps nothing then. `running`: a reply is running.
    """

    queue: rx.Field[ScreenQueueView] = rx.field(default_factory=lambda: EMPTY_QUEUE)
    rows: rx.Field[tuple[QueueRow, ...]] = rx.field(())
    said: rx.Field[str] = rx.field("")
    running: rx.Field[bool] = rx.field(default=False)
    idle: rx.Field[bool] = rx.field(default=False)
    edited: rx.Field[QueuedItemView | None] = rx.field(None)
    lost: rx.Field[bool] = rx.field(default=False)
    draft: rx.Field[str] = rx.field("")
    edit_id: rx.Field[str] = rx.field("")
    _paused: str = ""  # the conversation whose queue was paused for an edit
    _dropped: tuple[_Dropped, ...] = ()
    _unfinished: tuple[tuple[str, str], ...] = ()  # edits that were not finished, by the ids of their texts

    @rx.event
    async def settle(self) -> None:
        """No reply has been running for a while: between a reply and the next text nothing runs for a moment."""
        self.idle = not self.running
        _show_status(self)

    @rx.event
    async def edit(self, item_id: str) -> None:
        """Edit a text that waits. The queue is paused meanwhile, so that it is not sent half done."""
        item = next((each for each in self.queue.items if each.id == item_id), None)
        if item is None or self.edited is not None:
            return
        is_temporary = await context_for(current(), self._conversation()) is not current()
        self.edited, self.lost, self.edit_id = item, False, "" if is_temporary else new_id()
        self.draft = dict(self._unfinished).get(item.id, item.text)
        _show_status(self)
        token, conversation_id = self.router.session.client_token, self._conversation()
        async with _TURNS.held(token, _TURNS.take(token)):
            try:
                ctx = await context_for(current(), conversation_id)
                if (await read_queue(ctx, LOCAL_OWNER, conversation_id)).hold is None:
                    await pause_queue(ctx, LOCAL_OWNER, conversation_id)
                    self._paused = conversation_id
            except InviewError as fault:
                await show_fault(self, fault)

    @rx.event
    async def write(self, text: str) -> None:
        """Keep the content of the edit's text area until the edit ends, also while another conversation is shown."""
        words = text_in(text, MAX_TEXT)
        if self.edited is not None and words is not None:
            self._keep(self.edited.id, words)

    @rx.event
    async def leave(self) -> rx.event.EventType[()]:
        """End the edit without changing the text."""
        await self._end_edit()
        return QueueState.resume

    @rx.event
    async def save(self, form: dict[str, Any]) -> rx.event.EventType[()] | None:
        """Let the text that is edited say this. One that waits no longer goes into the message box instead."""
        words, item, conversation_id = text_in(form.get("text"), MAX_TEXT), self.edited, self._conversation()
        if item is None or (words is not None and not words.strip()):
            return None
        if words is None:
            await show_fault(self, TOO_LONG)
            return None
        if self.lost:
            await self._end_edit()
            return [cast("EventSpec", ComposerState.put(words, "")), QueueState.resume]
        try:
            ctx = await context_for(current(), conversation_id)
            await change_queued(ctx, LOCAL_OWNER, conversation_id, item.id, text=words, version=item.version)
        except InviewError as fault:
            await show_fault(self, fault)
            return None
        await self._end_edit()
        return QueueState.resume

    @rx.event(background=True)
    async def resume(self) -> None:
        """Resume the queue that an edit paused."""
        async with self:
            token, conversation_id = self.router.session.client_token, self._conversation()
            if self.edited is not None or self._paused != conversation_id:
                return
            self._paused = ""
            turn = _TURNS.take(token)
        fault: InviewError | None = None
        async with _TURNS.held(token, turn):
            try:
                ctx = await context_for(current(), conversation_id)
                await resume_queue(ctx, LOCAL_OWNER, conversation_id, only=HoldReason.PAUSED)
            except InviewError as error:
                fault = error
        if fault is not None and not await is_shown_by_queue(conversation_id):
            async with self:
                await show_fault(self, fault)

    @rx.event
    async def move(self, item_id: str, place: int) -> None:
        """Move a text to another place, counted from 0."""
        valid_id, to, conversation_id = text_in(item_id, _MAX_ID), whole_in(place), self._conversation()
        if not valid_id or to is None or not 0 <= to <= MAX_QUEUED:
            return
        try:
            ctx = await context_for(current(), conversation_id)
            await change_queued(ctx, LOCAL_OWNER, conversation_id, valid_id, place=to)
        except InviewError as fault:
            await show_fault(self, fault)

    @rx.event
    async def drop(self, item_id: str) -> None:
        """Take a text out of the queue unsent."""
        valid_id, conversation_id = text_in(item_id, _MAX_ID), self._conversation()
        if not valid_id:
            return
        place = next((at for at, each in enumerate(self.queue.items) if each.id == valid_id), len(self.queue.items))
        paused = self.queue.held is not None or not self.running
        try:
            dropped = await drop_queued(
                await context_for(current(), conversation_id), LOCAL_OWNER, conversation_id, valid_id
            )
        except InviewError as fault:
            await show_fault(self, fault)
            return
        self._dropped = (*self._dropped, _Dropped(dropped.item, place, paused, dropped.attached))[-MAX_UNDOS:]
        await show_toast(self, "Removed from the queue", undo=cast("EventSpec", QueueState.put_back(dropped.item.id)))

    @rx.event
    async def put_back(self, item_id: str) -> None:
        """Queue a text again that was dropped, at its old place. For undo: it offers none itself."""
        dropped = next((each for each in self._dropped if each.item.id == item_id), None)
        if dropped is None:
            return
        self._dropped = tuple(each for each in self._dropped if each is not dropped)
        item = dropped.item
        try:
            await queue_text(
                await context_for(current(), item.conversation_id),
                LOCAL_OWNER,
                item.conversation_id,
                item.text,
                view_options_of(item),
                parameters=item.parameters,
                over_budget=item.over_budget,
                place=dropped.place,
                paused=dropped.paused,
                attached=dropped.attached,
            )
        except InviewError as fault:
            await show_fault(self, fault)

    def _conversation(self) -> str:
        return conversation_in(self.router.url.path)

    def _keep(self, item_id: str, text: str) -> None:
        others = tuple(each for each in self._unfinished if each[0] != item_id)
        self._unfinished = (*others, (item_id, text))[-MAX_QUEUED:] if text else others

    async def _end_edit(self) -> None:
        """End the edit. The message box has the focus next."""
        if self.edited is not None:
            self._keep(self.edited.id, "")
        if self.lost:
            self.rows = list_rows(self.queue)
        self.edited, self.lost = None, False
        _show_status(self)
        composer = await self.get_state(ComposerState)
        composer.order = make_order(OrderKind.FOCUS, "")


def show_queue(state: QueueState, screen: Screen, shown: Screen | None) -> None:
    """Copy the queue of a screen, if it has changed."""
    if shown is not None and screen.queue is shown.queue and screen.running == shown.running:
        return
    if state.running != bool(screen.running):
        state.running = bool(screen.running)
    if screen.running and state.idle:
        state.idle = False
    if shown is None or screen.queue is not shown.queue:
        state.queue, edited = screen.queue, state.edited
        state.lost = edited is not None and all(item.id != edited.id for item in screen.queue.items)
        before = [row.id for row in state.rows]
        at = before.index(edited.id) if edited is not None and edited.id in before else 0
        state.rows = list_rows(screen.queue, edited if state.lost else None, at)
    _show_status(state)


def clear_queue(state: QueueState) -> None:
    """Forget the queue of the conversation before. A text that was dropped can still be taken back."""
    state.queue, state.rows, state.said, state.running, state.idle = EMPTY_QUEUE, (), "", False, False
    state.edited, state.lost = None, False


def _show_status(state: QueueState) -> None:
    text = "Paused while you edit." if state.edited is not None else describe_queue(state.queue, idle=state.idle)
    if text != state.said:
        state.said = text


def list_rows(queue: ScreenQueueView, lost: QueuedItemView | None = None, at: int = 0) -> tuple[QueueRow, ...]:
    """The queue as shown. `lost`: a text that does not wait any longer, shown before the one `at` that place."""
    last = len(queue.items)
    rows = [
        QueueRow(one.id, one.text, one.model, number, number == last, one.files, one.asked)
        for number, one in enumerate(queue.items, 1)
    ]
    if lost is not None:
        rows.insert(at, QueueRow(lost.id, lost.text, lost.model, 0, last=False))
    return tuple(rows)


def describe_queue(queue: ScreenQueueView, *, idle: bool) -> str:
    """Say in plain words why the queue waits. `idle`: no reply is running."""
    count = len(queue.items)
    wait = f"{plural(count, 'message')} {'waits' if count == 1 else 'wait'}"
    if queue.held is not None:
        return " ".join(filter(None, (queue.held.sentence, queue.held.message, f"{wait}.")))
    if idle:
        return f"{wait}. No reply is running."
    it, verb, stay = ("It", "is", "it stays") if count == 1 else ("They", "are", "they stay")
    return f"{wait} for this reply. {it} {verb} sent when it is complete; if it fails or you stop it, {stay} here."
