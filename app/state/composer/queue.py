"""The queue of texts that wait for the current reply. A person can read, edit, move and drop its texts, and resume it.

    await tab.send(QueueState.edit, item_id="q1")       # pauses the queue
    await tab.send(QueueState.save, form={"text": "And then?"})  # resumes it

The server stores the queue. The watcher's screen brings the data that is shown here (`show_queue`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.errors import InviewError
from app.domain.run.queue import MAX_QUEUED, HoldReason, QueuedText
from app.runs.app_context import context_for, current
from app.runs.request.attachments import AttachedParts
from app.runs.runtime.ids import new_id
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.queue import (
    QueuedChanges,
    change_queued,
    drop_queued,
    pause_queue,
    queue_text,
    read_queue,
    request_of_queued,
    resume_queue,
)
from app.runs.watch.screen import EMPTY_QUEUE, Screen
from app.state.composer.message_box import MAX_TEXT, make_order
from app.state.composer.sending import is_shown_by_queue
from app.state.composer.state import TOO_LONG, ComposerState
from app.state.composer.views import OrderKind, QueueRow
from app.state.messages.toasts import MAX_UNDOS, Undo, show_fault, show_toast
from app.state.tab.address import conversation_in
from app.state.tab.changes import set_changed
from app.state.tab.inputs import text_in, whole_in
from app.state.tab.turns import Turns
from app.views.reply.panels import QueuedItemView, ScreenQueueView
from app.views.usage.figures import plural

_MAX_ID: Final = 64
_TURNS: Final = Turns()
"""The order of edits: an edit begins after the previous one has ended.

Otherwise the end of the previous edit would resume the queue during the new edit.
"""


@dataclass(frozen=True, slots=True)
class _Dropped:
    """A text that was removed from the queue, with the data to put the text back.

    The data are the text's files, its place, and whether the queue was paused.
    """

    item: QueuedText
    place: int
    paused: bool
    attached: AttachedParts


class QueueState(rx.State):
    """The queue of the conversation on screen, and the edit of one of its texts.

    - `queue`: the stored queue.
    - `rows`: its rows on screen.
    - `said`: the reason why the queue waits, "" if it has no texts.
    - `running`: a reply is running.
    - `idle`: no reply has been running for a while.
    - `edited`: the text that is being edited, with the content that it had when the edit began.
    - `lost`: this text has left the queue since then.
    - `changed`: the typed text differs from the text in the queue, so that leaving the edit loses it.
    - `draft`: the initial content of the edit's text area: the text of an earlier, unfinished edit, otherwise the text
      in the queue.
    - `edit_id`: the key under which the browser stores the edit, so that it survives a reload. "" in a temporary
      conversation, whose texts the browser must not store.
    """

    queue: rx.Field[ScreenQueueView] = rx.field(default_factory=lambda: EMPTY_QUEUE)
    rows: rx.Field[tuple[QueueRow, ...]] = rx.field(())
    said: rx.Field[str] = rx.field("")
    running: rx.Field[bool] = rx.field(default=False)
    idle: rx.Field[bool] = rx.field(default=False)
    edited: rx.Field[QueuedItemView | None] = rx.field(None)
    lost: rx.Field[bool] = rx.field(default=False)
    changed: rx.Field[bool] = rx.field(default=False)
    draft: rx.Field[str] = rx.field("")
    edit_id: rx.Field[str] = rx.field("")
    _paused: str = ""  # the conversation whose queue was paused for an edit
    _dropped: tuple[_Dropped, ...] = ()
    _unfinished: tuple[tuple[str, str], ...] = ()  # edits that were not finished, by the ids of their texts

    @rx.event
    async def settle(self) -> None:
        """Set `idle`, because no reply has been running for a while, and show that the queue waits.

        The page waits before it calls this, because nothing runs for a short time between a reply and the next text.
        """
        self.idle = not self.running
        _show_status(self)

    @rx.event
    async def edit(self, item_id: str) -> None:
        """Start to edit a text of the queue. The queue is paused meanwhile, so that an unfinished text is not sent."""
        item = next((each for each in self.queue.items if each.id == item_id), None)
        if item is None or self.edited is not None:
            return
        is_temporary = await context_for(current(), self._conversation()) is not current()
        self.edited, self.lost, self.edit_id = item, False, "" if is_temporary else new_id()
        self.draft = dict(self._unfinished).get(item.id, item.text)
        self.changed = self.draft != item.text
        _show_status(self)
        token, conversation_id = self.router.session.client_token, self._conversation()
        async with _TURNS.held(_TURNS.take(token)):
            try:
                ctx = await context_for(current(), conversation_id)
                if (await read_queue(ctx, LOCAL_OWNER, conversation_id)).hold is None:
                    await pause_queue(ctx, LOCAL_OWNER, conversation_id)
                    self._paused = conversation_id
            except InviewError as fault:
                await show_fault(self, fault)

    @rx.event
    async def write(self, text: str) -> None:
        """Store the text typed in the edit's text area.

        It is kept until the edit ends, even if the page shows another conversation.
        """
        words = text_in(text, MAX_TEXT)
        if self.edited is None:
            return
        self.changed = words != self.edited.text
        if words is not None:
            self._keep(self.edited.id, words)

    @rx.event
    async def leave(self) -> rx.event.EventType[()]:
        """End the edit of a queued text without changing the text."""
        await self._end_edit()
        return QueueState.resume

    @rx.event
    async def save(self, form: dict[str, Any]) -> rx.event.EventType[()] | None:
        """Replace the edited text in the queue with the text in the form.

        If the edited text has left the queue, put the new text into the message box instead.
        """
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
            changes = QueuedChanges(text=words)
            await change_queued(ctx, LOCAL_OWNER, conversation_id, item.id, changes, version=item.version)
        except InviewError as fault:
            await show_fault(self, fault)
            return None
        await self._end_edit()
        return QueueState.resume

    @rx.event(background=True)
    async def resume(self) -> None:
        """Resume the queue of the conversation on screen, if an edit in this tab paused the queue and has ended."""
        async with self:
            token, conversation_id = self.router.session.client_token, self._conversation()
            if self.edited is not None or self._paused != conversation_id:
                return
            self._paused = ""
            turn = _TURNS.take(token)
        fault: InviewError | None = None
        async with _TURNS.held(turn):
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
        """Move a text to another place in the queue, counted from 0."""
        valid_id, to, conversation_id = text_in(item_id, _MAX_ID), whole_in(place), self._conversation()
        if not valid_id or to is None or not 0 <= to <= MAX_QUEUED:
            return
        try:
            ctx = await context_for(current(), conversation_id)
            await change_queued(ctx, LOCAL_OWNER, conversation_id, valid_id, QueuedChanges(place=to))
        except InviewError as fault:
            await show_fault(self, fault)

    @rx.event
    async def drop(self, item_id: str) -> None:
        """Remove a text from the queue without sending it."""
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
        undo = cast("EventSpec", QueueState.put_back(dropped.item.id))
        await show_toast(self, "Removed from the queue", undo=Undo(undo))

    @rx.event
    async def put_back(self, item_id: str) -> None:
        """Put a removed text back into the queue, at its old place.

        Undo sends this event, so no further undo is offered.
        """
        dropped = next((each for each in self._dropped if each.item.id == item_id), None)
        if dropped is None:
            return
        self._dropped = tuple(each for each in self._dropped if each is not dropped)
        item = dropped.item
        try:
            ctx = await context_for(current(), item.conversation_id)
            request = replace(request_of_queued(item), attached=dropped.attached)
            await queue_text(
                ctx, LOCAL_OWNER, item.conversation_id, request, place=dropped.place, paused=dropped.paused
            )
        except InviewError as fault:
            await show_fault(self, fault)

    def _conversation(self) -> str:
        return conversation_in(self.router.url.path)

    def _keep(self, item_id: str, text: str) -> None:
        others = tuple(each for each in self._unfinished if each[0] != item_id)
        self._unfinished = (*others, (item_id, text))[-MAX_QUEUED:] if text else others

    async def _end_edit(self) -> None:
        """End the edit, and focus the message box."""
        if self.edited is not None:
            self._keep(self.edited.id, "")
        if self.lost:
            self.rows = list_rows(self.queue)
        self.edited, self.lost, self.changed = None, False, False
        _show_status(self)
        composer = await self.get_state(ComposerState)
        composer.order = make_order(OrderKind.FOCUS, "")


def show_queue(state: QueueState, screen: Screen, shown: Screen | None) -> None:
    """Copy the queue from `screen` to `state`, unless it is the same as in `shown`, the screen that was copied last."""
    if shown is not None and screen.queue is shown.queue and screen.running == shown.running:
        return
    set_changed(state, running=bool(screen.running), idle=state.idle and not screen.running)
    if shown is None or screen.queue is not shown.queue:
        state.queue, edited = screen.queue, state.edited
        set_changed(state, lost=edited is not None and all(item.id != edited.id for item in screen.queue.items))
        before = [row.id for row in state.rows]
        at = before.index(edited.id) if edited is not None and edited.id in before else 0
        state.rows = list_rows(screen.queue, edited if state.lost else None, at)
    _show_status(state)


def clear_queue(state: QueueState) -> None:
    """Remove the queue from `state`, because the page shows another conversation. The stored queue stays.

    The removal of a text can still be undone.
    """
    state.queue, state.rows, state.said, state.running, state.idle = EMPTY_QUEUE, (), "", False, False
    state.edited, state.lost, state.changed = None, False, False


def _show_status(state: QueueState) -> None:
    text = "Paused while you edit." if state.edited is not None else describe_queue(state.queue, idle=state.idle)
    set_changed(state, said=text)


def list_rows(queue: ScreenQueueView, lost: QueuedItemView | None = None, at: int = 0) -> tuple[QueueRow, ...]:
    """Return the rows of the queue. `lost` is a text that has left the queue; its row is inserted at the index `at`."""
    last = len(queue.items)
    rows = [
        QueueRow(one.id, one.text, one.model_name, number, number == last, one.files, one.asked)
        for number, one in enumerate(queue.items, 1)
    ]
    if lost is not None:
        rows.insert(at, QueueRow(lost.id, lost.text, lost.model_name, 0, last=False))
    return tuple(rows)


def describe_queue(queue: ScreenQueueView, *, idle: bool) -> str:
    """Return a sentence with the reason why the queue waits, or "" if it has no texts.

    `idle`: no reply has been running for a while.
    """
    if not queue.items:
        return ""
    count = len(queue.items)
    wait = f"{plural(count, 'message')} {'waits' if count == 1 else 'wait'}"
    if queue.held is not None:
        return " ".join(filter(None, (queue.held.sentence, queue.held.message, f"{wait}.")))
    if idle:
        return f"{wait}. No reply is running."
    it, verb, stay = ("It", "is", "it stays") if count == 1 else ("They", "are", "they stay")
    return f"{wait} for this reply. {it} {verb} sent when it is complete; if it fails or you stop it, {stay} here."
