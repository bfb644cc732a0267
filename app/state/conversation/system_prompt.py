"""The card of the system prompt: add, edit and remove the prompt, with its size while it is typed.

    await tab.send(SystemPromptState.edit)
    await tab.send(SystemPromptState.write, text="Answer briefly.")     # counts it
    await tab.send(SystemPromptState.save, form={"prompt": "Answer briefly."})

On the start page, the card has the prompt of the conversation that the first message starts. Every change offers an
undo. The stored prompt on screen is `ChatState.system_prompt`.
"""

from __future__ import annotations

from typing import Any, Final, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.errors import InviewError
from app.providers.counts.vocabularies import vocabulary_of
from app.runs.app_context import context_for, current
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation
from app.runs.request.calibration import load_estimator
from app.runs.request.texts import count_text
from app.runs.runtime.catalogue import DEFAULT_MODEL
from app.runs.runtime.ids import new_id
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.conversation.model import ModelState
from app.state.conversation.temporary import TemporaryState
from app.state.messages.toasts import Undo, show_fault, show_toast
from app.state.tab.address import conversation_in
from app.state.tab.changes import set_changed
from app.state.tab.inputs import text_in
from app.state.tab.tab_watchers import watcher_of
from app.state.tab.visit import VisitedState
from app.store.conversation.conversations import load_conversation
from app.views.usage.figures import plural

MAX_PROMPT: Final = 900_000
"""Maximum characters of a typed prompt. A longer one would close the page's connection; the HTTP API accepts it."""
TOO_LONG: Final = f"This is longer than {MAX_PROMPT:,} characters. Shorten it."
_MAX_ID: Final = 64


class SystemPromptState(VisitedState, rx.State):
    """The card of the system prompt. `editing`: the card shows a text area instead of the prompt.

    - `number`: grows with each new initial text of the text area.
    - `size`: the size of the typed text.
    - `changed`: the typed text differs from the stored prompt, so that closing the text area loses it.
    - `fault`: the reason why the prompt cannot be saved.
    - `edit_id`: the key under which the browser keeps the typed text over a reload, because the server may not have
      received all of it. "" in a temporary conversation, whose texts the browser must not keep.
    - `new`: the prompt of the conversation that the first message starts.
    """

    editing: rx.Field[bool] = rx.field(default=False)
    begun: rx.Field[str] = rx.field("")
    number: rx.Field[int] = rx.field(0)
    edit_id: rx.Field[str] = rx.field("")
    new: rx.Field[str] = rx.field("")
    size: rx.Field[str] = rx.field("")
    changed: rx.Field[bool] = rx.field(default=False)
    fault: rx.Field[str] = rx.field("")
    _written: str = ""
    _stored: str = ""
    _page: str = ""

    @rx.event
    async def open(self) -> None:
        """On the page of a conversation, clear `new`.

        A conversation that was started with this prompt has stored the prompt already.
        """
        open_system_prompt(self)

    @rx.event
    async def edit(self) -> rx.event.EventType[()] | None:
        """Show the text area with the current system prompt."""
        conversation_id = conversation_in(self.router.url.path)
        try:
            stored = await _load(conversation_id) if conversation_id else self.new
        except InviewError as error:
            await show_fault(self, error)
            return None
        await self._come()
        self.editing, self.fault, self.size, self._page = True, "", "", conversation_id
        self.edit_id = "" if await _is_temporary(self, conversation_id) else new_id()
        self._stored, self.changed = stored, False
        self._begin(stored)
        return SystemPromptState.count

    @rx.event
    async def end_edit(self) -> None:
        """Close the text area without changing the system prompt."""
        self.editing, self.fault = False, ""

    @rx.event
    async def write(self, text: str) -> rx.event.EventType[()] | None:
        """Store the system prompt typed in the text area, and count its tokens."""
        written = text_in(text, MAX_PROMPT)
        self.fault = TOO_LONG if written is None else ""
        if written is None:
            return None
        self._written, self.changed = written, written != self._stored
        return SystemPromptState.count

    @rx.event(background=True)
    async def count(self) -> None:
        """Show the size of the typed text, in tokens of the next send's model."""
        async with self:
            text, watcher = self._written, watcher_of(self)
            models = await self.get_state(ModelState)
            model = models.chosen or models.remembered or DEFAULT_MODEL
        base = None if watcher is None else watcher.counted
        if base is not None:
            vocabulary, estimator = base.vocabulary, base.terms.estimator
        else:
            ctx = current()
            async with ctx.store.read() as session:
                _, profile = await ctx.catalogue.recognise(session, LOCAL_OWNER, model)
                estimator = await load_estimator(session, LOCAL_OWNER, profile)
            vocabulary = vocabulary_of(profile.model)
        tokens = estimator.of_text(await count_text(vocabulary, text), 1) if text.strip() else 0
        async with self:
            if self._written == text:
                self.size = f"~{plural(tokens, 'token')}" if tokens else "Nothing is sent."

    @rx.event
    async def save(self, form: dict[str, Any]) -> None:
        """Store the system prompt in the form. A blank text removes the prompt."""
        text = text_in(form.get("prompt"), MAX_PROMPT)
        if text is None:
            self.fault = TOO_LONG
            return
        await self._change(text if text.strip() else "")

    @rx.event
    async def remove(self) -> None:
        """Remove the system prompt."""
        await self._change("")

    @rx.event
    async def put_back(self, conversation_id: str, text: str) -> None:
        """Restore the previous system prompt. Undo sends this event, so no further undo is offered."""
        valid_id, prompt = text_in(conversation_id, _MAX_ID), text_in(text, MAX_PROMPT)
        if valid_id is not None and prompt is not None:
            await self._store(valid_id, prompt)

    async def _end_visit(self) -> None:
        """End the edit if another page was opened. If the same page was loaded again, restore the typed text."""
        if self._page != conversation_in(self.router.url.path):
            self.editing, self.fault = False, ""
        elif self.editing:
            self._begin(self._written)
            await self._come()

    def _begin(self, text: str) -> None:
        self.begun, self._written, self.number = text, text, self.number + 1

    async def _change(self, text: str) -> None:
        conversation_id = conversation_in(self.router.url.path)
        try:
            before = await _load(conversation_id) if conversation_id else self.new
        except InviewError as error:
            await show_fault(self, error)
            return
        if not await self._store(conversation_id, text):
            return
        self.editing, self.fault = False, ""
        if text != before:
            done = "added" if not before else "changed" if text else "removed"
            undo = None
            if len(before) <= MAX_PROMPT:
                undo = Undo(cast("EventSpec", SystemPromptState.put_back(conversation_id, before)))
            await show_toast(self, f"The system prompt was {done}.", undo=undo)

    async def _store(self, conversation_id: str, text: str) -> bool:
        if not conversation_id:
            self.new = text
            return True
        try:
            ctx = await context_for(current(), conversation_id)
            await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(system_prompt=text))
        except InviewError as error:
            await show_fault(self, error)
            return False
        return True


def open_system_prompt(state: SystemPromptState) -> None:
    """On the page of a conversation, clear `new`."""
    if conversation_in(state.router.url.path):
        set_changed(state, new="")


async def new_prompt(state: rx.State) -> str:
    """Return the system prompt for the conversation that the first message starts."""
    return (await state.get_state(SystemPromptState)).new


async def _is_temporary(state: rx.State, conversation_id: str) -> bool:
    """Return True if this conversation is temporary. "" means the conversation that the first message will start.

    The browser must not store any text of a temporary conversation.
    """
    if conversation_id:
        return await context_for(current(), conversation_id) is not current()
    return (await state.get_state(TemporaryState)).wanted


async def _load(conversation_id: str) -> str:
    async with (await context_for(current(), conversation_id)).store.read() as session:
        return (await load_conversation(session, LOCAL_OWNER, conversation_id)).system_prompt
