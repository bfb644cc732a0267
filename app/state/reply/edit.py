"""The pair that is edited in its place, with the text typed so far. One at a time; it survives a reload.

    await tab.send(EditState.begin, pair_id="p1")
    await tab.send(EditState.write, edit_id=..., text="Shorter, please")
    await tab.send(EditState.cancel)                 # the words can be had again: the toast offers them

Not the sending (`resend.py`).
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import Final, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.conversation.lifecycle import RUNNING
from app.language.translation import translate
from app.runs.process.ids import new_id
from app.runs.watch.screen import Screen
from app.state.address import conversation_in
from app.state.composer.state import MAX_TEXT
from app.state.inputs import text_in
from app.state.toasts import MAX_UNDOS, show_fault, show_toast
from app.state.watching import watcher_of

MAX_ID: Final = 64


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit of a pair. `version` is the one that was seen: another one is not replaced.

    `attached`: its request has images or files, and may be sent without a word.
    """

    id: str
    pair_id: str
    conversation_id: str
    position: int
    version: int
    attached: bool = False


class EditState(rx.State):
    """`edit` names the edit, `pair` is the pair in whose place the text area stands; "": none.

    `text` is what stood there at first; what a person writes is in the browser, and told. `asked`: the text area is to
    take the focus, which after a reload it does not. `busy`: it is being sent; `fault` is why it could not be.
    """

    kept: str = rx.SessionStorage("", name="inview.edit")
    text: rx.Field[str] = rx.field("")
    asked: rx.Field[bool] = rx.field(default=False)
    blank: rx.Field[bool] = rx.field(default=False)
    busy: rx.Field[bool] = rx.field(default=False)
    fault: rx.Field[str] = rx.field("")
    _written: str = ""
    _left: tuple[tuple[Edit, str], ...] = ()  # can be taken up again

    @rx.var
    def edit(self) -> str:
        """The edit by its name, "" for none."""
        return found.id if (found := read_edit(self.kept)) else ""

    @rx.var
    def pair(self) -> str:
        """The pair that is edited, "" for none."""
        return found.pair_id if (found := read_edit(self.kept)) else ""

    @rx.event
    async def begin(self, pair_id: str) -> None:
        """Edit a pair of this page: its request becomes a text area."""
        watcher, wanted = watcher_of(self), text_in(pair_id, MAX_ID)
        pair = None if watcher is None or not wanted else watcher.pair(wanted)
        if pair is None:
            return
        if pair.lifecycle in RUNNING:
            await show_toast(self, translate("reply.edit_while_running"))
            return
        if self.pair == pair.id:
            self.asked = True
            return
        await self._leave_off()
        attached = bool(pair.attached)
        edit = Edit(new_id(), pair.id, pair.conversation_id, pair.position, pair.version, attached)
        self._stand(edit, pair.user_text)

    @rx.event
    async def write(self, edit_id: str, text: str) -> None:
        """Note the text of the text area, which has the focus by now if it was asked to take it."""
        words = text_in(text, MAX_TEXT)
        if not self.edit or self.edit != edit_id or words is None:
            return
        self.asked = False
        if words != self._written:
            edit = read_edit(self.kept)
            self._written, self.fault = words, ""
            self.blank = edit is not None and is_blank(edit, words)

    @rx.event
    async def cancel(self) -> None:
        """Leave the text area: everything is as it was. What was written can be taken up again."""
        await self._leave_off()

    @rx.event
    async def take_up(self, edit_id: str) -> None:
        """Resume an edit that was cancelled. For undo."""
        found = next((each for each in self._left if each[0].id == edit_id), None)
        if found is not None:
            await self._leave_off()
            self._left = tuple(each for each in self._left if each is not found)
            self._stand(*found)

    @rx.event
    async def leave(self) -> None:
        """The text area is not drawn any more: it is said if its pair is gone."""
        edit, watcher = read_edit(self.kept), watcher_of(self)
        if edit is None or watcher is None or watcher.conversation_id != edit.conversation_id:
            return
        here = conversation_in(self.router.url.path) == edit.conversation_id
        if here and watcher.pair(edit.pair_id) is None and not _is_elsewhere(edit, watcher.screen):
            await show_fault(
                self,
                translate("reply.edit_pair_gone", position=edit.position),
            )

    def _stand(self, edit: Edit, text: str) -> None:
        self.kept, self.text, self._written = json.dumps(asdict(edit)), text, text
        self.asked, self.blank, self.busy, self.fault = True, is_blank(edit, text), False, ""

    async def _leave_off(self) -> None:
        """Stop editing; what was written is offered, if anything was."""
        edit, watcher = read_edit(self.kept), watcher_of(self)
        if edit is None:
            return
        pair, written = None if watcher is None else watcher.pair(edit.pair_id), self._written
        before = self.text if pair is None else pair.user_text
        end_edit(self, edit.id)
        if written != before:
            self._left = (*self._left, (edit, written))[-MAX_UNDOS:]
            undo = cast("EventSpec", EditState.take_up(edit.id))
            await show_toast(self, translate("reply.edit_cancelled"), undo=undo)


def read_edit(kept: str) -> Edit | None:
    """The edit as the browser keeps it; None: there is none, or nothing that could be one.

    >>> read_edit('{"id": "e", "pair_id": "p", "conversation_id": "c", "position": 2, "version": 1}').position
    2
    >>> read_edit("{}"), read_edit("7"), read_edit("")
    (None, None, None)
    """
    try:
        edit = Edit(**json.loads(kept))
    except (ValueError, TypeError):
        return None
    texts, numbers = (edit.id, edit.pair_id, edit.conversation_id), (edit.position, edit.version)
    is_one = all(text_in(each, MAX_ID) for each in texts) and all(type(each) is int for each in numbers)
    is_one = is_one and type(edit.attached) is bool
    return edit if is_one else None


def is_blank(edit: Edit, text: str) -> bool:
    """Whether the pair could not be sent with this text: it would say nothing."""
    return not text.strip() and not edit.attached


def end_edit(state: EditState, edit_id: str) -> None:
    """It was sent, or called off."""
    if state.edit == edit_id:
        state.kept, state.text, state._written = "", "", ""  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        state.asked, state.blank, state.busy, state.fault = False, False, False, ""


def refuse_edit(state: EditState, edit_id: str, fault: str = "", version: int | None = None) -> None:
    """It was not sent: what is written stays. `version` is one that is told of, so that the next one replaces it."""
    edit = read_edit(state.kept)
    if edit is None or edit.id != edit_id:
        return
    state.busy, state.fault, state.asked = False, fault, bool(fault)
    if version is not None:
        state.kept = json.dumps(asdict(replace(edit, version=version)))


def _is_elsewhere(edit: Edit, screen: Screen) -> bool:
    """Whether its place is before or after the window."""
    pairs = screen.pairs
    before = screen.earlier and bool(pairs) and edit.position < pairs[0].position
    return before or (screen.later and bool(pairs) and edit.position > pairs[-1].position)
