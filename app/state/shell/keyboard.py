"""The keyboard actions that the server performs. Each of these actions is an event of another state.

The table of all actions is in `app/views/shortcuts/shortcuts.py`.

    await tab.send(KeyboardState.perform, action="two_stars", pair_id="p1")

Keys that move the cursor between pairs, or the focus, are handled by the browser alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import reflex as rx

from app.state.compare.answer_again import AnswerAgainState
from app.state.composer.split import describe_split
from app.state.filters.sheet import SheetState
from app.state.inspector.branches import BranchState
from app.state.inspector.frame import InspectorState
from app.state.inspector.versions import VersionsState
from app.state.messages.answered import AnsweredState
from app.state.messages.toasts import show_toast
from app.state.reply.deletion import PairDeletionState
from app.state.reply.edit import EditState
from app.state.reply.marks import MarksState
from app.state.reply.pair_lookup import find_pair_if_shown
from app.state.reply.summary import SummaryState
from app.state.sidebar.sidebar import SidebarState
from app.state.tab.inputs import text_in, whole_in
from app.state.tab.tab_watchers import watcher_of
from app.state.topics.picker import TopicPickerState
from app.state.undo.undo import UndoState

MAX_ID: Final = 64
FIRST_SENT: Final = "first_sent"
NOTHING_SENT: Final = "Nothing of this conversation would be sent."

PAIR_EVENTS: Final[Mapping[str, Callable[[str], Any]]] = {
    "one_star": lambda pair_id: MarksState.give_stars(pair_id, 1),
    "two_stars": lambda pair_id: MarksState.give_stars(pair_id, 2),
    "three_stars": lambda pair_id: MarksState.give_stars(pair_id, 3),
    "no_stars": lambda pair_id: MarksState.give_stars(pair_id, 0),
    "flag": MarksState.toggle_flag,
    "mark": MarksState.cycle_mark,
    "topic": TopicPickerState.pick_for_pair,
    "edit": EditState.begin,
    "regenerate": AnswerAgainState.ask,
    "swap": VersionsState.swap,
    "fork": BranchState.ask_fork,
    "delete": PairDeletionState.ask,
}
"""The events of the keys that act on the pair at the cursor."""

PAGE_EVENTS: Final[Mapping[str, Callable[[str], Any]]] = {
    "preview": lambda _: InspectorState.toggle("preview"),
    "branches": lambda _: InspectorState.toggle("branches"),
    "log": lambda _: InspectorState.toggle("log"),
    "summarise": SummaryState.ask,
    "undo": lambda _: UndoState.undo_last,
    "undo_own": lambda _: UndoState.undo_own,
    "new_conversation": lambda _: rx.redirect("/"),
    "next_conversation": lambda _: SidebarState.step(1),
    "previous_conversation": lambda _: SidebarState.step(-1),
    "help": lambda _: SheetState.show("keys"),
    "help_anywhere": lambda _: SheetState.show("keys"),
}
"""The events of the keys that act on the page."""


class KeyboardState(rx.State):
    """The event handlers of keyboard shortcuts.

    The table of shortcuts is part of the page. Shortcuts that a person changed are preferences.
    """

    @rx.event
    async def perform(self, action: str, pair_id: str, opening: int = 0) -> rx.event.EventType[()] | None:
        """Perform the action of a keyboard shortcut. `pair_id` is the pair at the cursor, "" for none.

        `opening` is the number that the page gave to this action if it leads to another dialog or text field, otherwise
        0. When the action is done, `AnsweredState` reports the number to the page.
        """
        name, valid_id, number = text_in(action, MAX_ID), text_in(pair_id, MAX_ID), whole_in(opening)
        if name is None or valid_id is None or number is None:
            return None
        if name == FIRST_SENT:
            if message := self._describe_sent():
                await show_toast(self, message)
            return None
        found = PAGE_EVENTS.get(name) or (PAIR_EVENTS.get(name) if valid_id else None)
        if found is None or not number:
            return None if found is None else found(valid_id)
        return [found(valid_id), AnsweredState.tell_answered(number)]

    def _describe_sent(self) -> str:
        """Return a sentence if the next send includes no pair, or all pairs in view; otherwise ""."""
        watcher = watcher_of(self)
        context = None if watcher is None else watcher.screen.context
        if context is None or not context.first_sent:
            return NOTHING_SENT
        split = describe_split(context)
        return f"Everything is included: {split.title[0].lower()}{split.title[1:]}." if split.all_fit else ""

    @rx.event
    async def tell_copied(self, pair_id: str, request: bool, copied: bool) -> None:
        """Show a toast that names the copied text: the pair's request or, if `request` is False, a part of its reply.

        `copied`: the browser has copied the text. If it could not, the toast says so.
        """
        if copied is not True:
            await show_toast(self, "The browser does not allow copying here.")
        elif (pair := await find_pair_if_shown(self, pair_id)) is not None:
            what = "request" if request is True else "part"
            await show_toast(self, f"Copied the {what} of pair {pair.position}")
