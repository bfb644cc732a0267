"""The edit of a pair in the transcript: which pair is edited, and the text so far.

There is at most one edit. It survives a reload.

    await tab.send(EditState.begin, pair_id="p1")
    await tab.send(EditState.write, edit_id=..., text="Shorter, please")
    await tab.send(EditState.cancel)                 # the toast offers to restore the text

`resend.py` sends the edited pair.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.conversation.lifecycle import RUNNING
from app.runs.app_context import context_for, current
from app.runs.runtime.ids import new_id
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.watch.screen import Screen
from app.state.composer.message_box import MAX_TEXT
from app.state.composer.state import ComposerState
from app.state.messages.toasts import MAX_UNDOS, Undo, show_fault, show_toast
from app.state.reply.pair_lookup import find_pair
from app.state.tab.address import conversation_in
from app.state.tab.inputs import json_in, text_in
from app.state.tab.tab_watchers import watcher_of
from app.store.conversation.pairs import load_positions

MAX_ID: Final = 64


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit of a pair.

    `version` is the pair's version that was on screen when the edit began: the edit replaces no other version.
    `temporary`: the conversation is temporary, so the browser does not store the text.
    """

    id: str
    pair_id: str
    conversation_id: str
    position: int
    version: int
    temporary: bool = False


@dataclass(frozen=True, slots=True)
class Unfinished:
    """An edit that has not been sent, with the text typed so far.

    `before` is the text of the pair when the edit began.
    """

    edit: Edit
    text: str
    before: str


class EditState(rx.State):
    """The edit of a pair: the text area that is shown instead of the pair's request.

    - `edit`, `pair`: the ids of the edit and of the pair; both are "" if no pair is being edited.
    - `kept`: the edit as JSON, which the browser stores.
    - `text`: the initial text. The browser holds the text while the user writes, and reports it with `write`.
    - `asked`: the text area should take the focus. False after a reload.
    - `blank`: the text has only white space.
    - `busy`: the edit is being sent.
    - `fault`: the reason why it could not be sent, "" for no error.
    """

    kept: str = rx.SessionStorage("", name="inview.edit")
    text: rx.Field[str] = rx.field("")
    asked: rx.Field[bool] = rx.field(default=False)
    blank: rx.Field[bool] = rx.field(default=False)
    busy: rx.Field[bool] = rx.field(default=False)
    fault: rx.Field[str] = rx.field("")
    _before: str = ""  # the text of the pair when its edit started
    _written: str = ""
    _left: tuple[Unfinished, ...] = ()  # cancelled edits that Undo can resume

    @rx.var
    def edit(self) -> str:
        """The id of the edit, "" for none."""
        return found.id if (found := read_edit(self.kept)) else ""

    @rx.var
    def kept_as(self) -> str:
        """The key under which the browser stores the edited text, or "" if it does not store the text."""
        return found.id if (found := read_edit(self.kept)) and not found.temporary else ""

    @rx.var
    def pair(self) -> str:
        """The id of the pair being edited, "" for none."""
        return found.pair_id if (found := read_edit(self.kept)) else ""

    @rx.var
    def conversation(self) -> str:
        """The id of the conversation whose pair is being edited, "" for none."""
        return found.conversation_id if (found := read_edit(self.kept)) else ""

    @rx.event
    async def open(self) -> rx.event.EventType[()] | None:
        """End the edit if its pair was deleted while the page was closed."""
        edit = read_edit(self.kept)
        if edit is None or conversation_in(self.router.url.path) != edit.conversation_id:
            return None
        return await self._give_back(edit) if await _is_deleted(edit) else None

    @rx.event
    async def begin(self, pair_id: str) -> None:
        """Start to edit a pair of this page: its request becomes a text area."""
        if (pair := await find_pair(self, pair_id)) is None:
            return
        if pair.lifecycle in RUNNING:
            await show_toast(self, "The reply is still running. Stop it or wait for it, then edit.")
            return
        if self.pair == pair.id:
            self.asked = True
            return
        await self._leave_off()
        temporary = await context_for(current(), pair.conversation_id) is not current()
        edit = Edit(new_id(), pair.id, pair.conversation_id, pair.position, pair.version, temporary)
        self._stand(Unfinished(edit, pair.user_text, pair.user_text))

    @rx.event
    async def write(self, edit_id: str, text: str) -> None:
        """Store the current text of the edited request.

        Also clear `asked`: the text area has taken the focus by now, so it must not take it again.
        """
        words, edit = text_in(text, MAX_TEXT), read_edit(self.kept)
        if edit is None or edit.id != edit_id or words is None:
            return
        self.asked = False
        if words != self._written:
            self._written, self.blank, self.fault = words, not words.strip(), ""
            if edit.temporary:  # for a temporary conversation, a reload restores the text from here
                self.text = words

    @rx.event
    async def cancel(self) -> None:
        """End the edit: close its text area and leave the pair unchanged.

        If the typed text differs from the pair's text, a toast offers to resume the edit.
        """
        await self._leave_off()

    @rx.event
    async def take_up(self, edit_id: str) -> rx.event.EventType[()] | None:
        """Resume a cancelled edit. Undo sends this event."""
        found = next((each for each in self._left if each.edit.id == edit_id), None)
        if found is None:
            return None
        await self._leave_off()
        self._left = tuple(each for each in self._left if each is not found)
        self._stand(found)
        return await self._give_back(found.edit) if await _is_deleted(found.edit) else None

    @rx.event
    async def leave(self) -> rx.event.EventType[()] | None:
        """Show a toast that leads to the typed text, if the edited pair was deleted or is hidden.

        Otherwise do nothing.
        """
        edit, watcher = read_edit(self.kept), watcher_of(self)
        if edit is None or conversation_in(self.router.url.path) != edit.conversation_id:
            return None
        if await _is_deleted(edit):
            return await self._give_back(edit)
        if watcher is None or watcher.conversation_id != edit.conversation_id or not watcher.screen.pairs:
            return None
        if watcher.pair(edit.pair_id) is None and not _is_elsewhere(edit, watcher.screen):
            await show_fault(
                self, f"Pair {edit.position}, which you are editing, is hidden. Your text is saved and returns with it."
            )
        return None

    async def _give_back(self, edit: Edit) -> rx.event.EventType[()] | None:
        """End the edit of a deleted pair. If its text was changed, put the text into the message box."""
        text = self._written if self._written != self._before else ""
        # After a restart of the server, all three values are empty.
        is_forgotten = not (self._written or self._before or edit.temporary)
        watcher = watcher_of(self)
        end_edit(self, edit.id)
        if watcher is None or edit.pair_id not in watcher.deleted:  # a deletion on this page has a toast with Undo
            saved = " Your text is in the message box." if text.strip() or is_forgotten else ""
            await show_fault(self, f"Pair {edit.position}, which you were editing, was deleted.{saved}")
        if is_forgotten:
            return cast("EventSpec", ComposerState.put_edit(edit.id))
        return cast("EventSpec", ComposerState.put(text, "")) if text.strip() else None

    def _stand(self, begun: Unfinished) -> None:
        text = begun.text
        self.kept, self.text, self._written = json.dumps(asdict(begun.edit)), text, text
        self._before = begun.before
        self.asked, self.blank, self.busy, self.fault = True, not text.strip(), False, ""

    async def _leave_off(self) -> None:
        """Cancel the edit. If the text was changed, a toast offers to resume it."""
        edit = read_edit(self.kept)
        if edit is None:
            return
        left = Unfinished(edit, self._written, self._before)
        end_edit(self, edit.id)
        if left.text != left.before:
            self._left = (*self._left, left)[-MAX_UNDOS:]
            undo = cast("EventSpec", EditState.take_up(edit.id))
            await show_toast(self, "Edit cancelled.", undo=Undo(undo))


def read_edit(kept: str) -> Edit | None:
    """Read the edit that the browser stored. Return None if there is none or if it is not valid.

    >>> read_edit('{"id": "e", "pair_id": "p", "conversation_id": "c", "position": 2, "version": 1}').position
    2
    >>> read_edit("{}"), read_edit("7"), read_edit("")
    (None, None, None)
    """
    stored = json_in(kept)
    try:
        edit = Edit(**cast("dict[str, Any]", stored))
    except TypeError:
        return None
    texts, numbers = (edit.id, edit.pair_id, edit.conversation_id), (edit.position, edit.version)
    is_one = all(text_in(each, MAX_ID) for each in texts) and all(type(each) is int for each in numbers)
    return edit if is_one and type(edit.temporary) is bool else None


def end_edit(state: EditState, edit_id: str) -> None:
    """End the edit, because it was sent or cancelled. If another edit is open, nothing changes."""
    if state.edit == edit_id:
        state.kept, state.text = "", ""
        state._written, state._before = "", ""  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        state.asked, state.blank, state.busy, state.fault = False, False, False, ""


def refuse_edit(state: EditState, edit_id: str, fault: str = "", version: int | None = None) -> None:
    """Show that the edit was not sent, for the reason `fault`. Its text stays in the text area.

    `version` is the newer version of the pair that the error reported. The next attempt replaces this newer version.
    """
    edit = read_edit(state.kept)
    if edit is None or edit.id != edit_id:
        return
    state.busy, state.fault, state.asked = False, fault, bool(fault)
    if version is not None:
        state.kept = json.dumps(asdict(replace(edit, version=version)))


async def _is_deleted(edit: Edit) -> bool:
    ctx = await context_for(current(), edit.conversation_id)
    async with ctx.store.read() as session:
        return not await load_positions(session, LOCAL_OWNER, (edit.pair_id,))


def _is_elsewhere(edit: Edit, screen: Screen) -> bool:
    """Return True if the pair is older or newer than all pairs that the page has loaded."""
    pairs = screen.pairs
    before = screen.earlier and bool(pairs) and edit.position < pairs[0].position
    return before or (screen.later and bool(pairs) and edit.position > pairs[-1].position)
