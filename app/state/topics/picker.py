"""The picker of topics, which chooses one for a pair or for the next messages, and the form that changes a topic.

Every handler reads the tree again after a change, so the picker shows the current topics.
"""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass, replace
from typing import Any, Final, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.conversation.marks import Marks
from app.domain.errors import InviewError
from app.domain.settings.preferences import TopicOrder
from app.runs.app_context import context_for, current
from app.runs.conversation.mark_commands import mark_pair
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.preference_commands import read_preferences, set_preferences
from app.runs.topics.topic_commands import TopicChanges, change_topic, create_topic, delete_topic, list_topics
from app.state.filters.kept_topics import MAX_ID, read_kept
from app.state.messages.error_messages import describe_fault
from app.state.messages.toasts import Undo, show_toast
from app.state.tab.inputs import text_in, whole_in
from app.state.tab.visit import VisitedState
from app.state.topics.chosen import TopicState
from app.state.topics.rows import (
    TopicFormView,
    TopicTreeRow,
    describe_form,
    find_topic,
    list_rows,
    place_at,
    place_beside,
)
from app.store.conversation.pairs import load_pair
from app.views.topics.topic import TopicView

MAX_QUERY: Final = 2_000
_PLACES: Final = frozenset({"before", "into", "after"})


@dataclass(frozen=True, slots=True)
class TopicPickerView:
    """The purpose of the picker: to choose the topic of a pair or, if `pair_id` is "", of the next messages.

    `position` is the position of the pair.
    """

    label: str
    pair_id: str = ""
    position: int = 0


class TopicPickerState(VisitedState, TopicState):
    """The picker of topics, which is open while `picking` is set.

    - `rows`: the topics that match `query`.
    - `at`: the index of the chosen topic in `rows`.
    - `by_hand`: the topics are in their manual order.
    - `editing`: the form of a topic, None if no form is shown.
    - `fault`: the reason why the last command failed.
    """

    picking: rx.Field[TopicPickerView | None] = rx.field(None)
    rows: rx.Field[tuple[TopicTreeRow, ...]] = rx.field(())
    query: rx.Field[str] = rx.field("")
    at: rx.Field[int] = rx.field(0)
    by_hand: rx.Field[bool] = rx.field(default=False)
    editing: rx.Field[TopicFormView | None] = rx.field(None)
    fault: rx.Field[str] = rx.field("")
    _topics: tuple[TopicView, ...] = ()
    _marked: str = ""  # the id of the topic that is chosen in the picker

    @rx.event
    async def pick_for_composer(self) -> None:
        """Open the picker to choose the topic of the next messages."""
        self._marked = self.chosen
        await self._open(TopicPickerView("Topic of the next messages"))

    @rx.event
    async def pick_for_pair(self, pair_id: str) -> None:
        """Open the picker to choose the topic of a pair. An id that is not text changes nothing.

        Raises:
            NotFoundError: there is no such pair.
        """
        if (valid_id := text_in(pair_id, MAX_ID)) is None:
            return
        ctx = await context_for(current(), valid_id)
        async with ctx.store.read() as session:
            pair = await load_pair(session, LOCAL_OWNER, valid_id)
        self._marked = pair.topic or ""
        await self._open(TopicPickerView(f"Topic of pair {pair.position}", pair.id, pair.position))

    @rx.event
    async def close(self) -> None:
        """Close the picker of topics."""
        self._close()

    @rx.event
    async def search(self, query: str) -> None:
        """List the topics that match this query."""
        self._list(text_in(query, MAX_QUERY) or "")

    @rx.event
    async def choose(self, query: str, index: int) -> None:
        """Choose the row with this index in the list for the query.

        If it is the row "Create", create its topic first.
        """
        typed, place = text_in(query, MAX_QUERY), whole_in(index)
        if self.picking is None or typed is None or place is None:
            return
        self._list(typed)
        if 0 <= place < len(self.rows):
            await self._attempt(self._choose(self.picking, self.rows[place]))

    @rx.event
    async def file(self, pair_id: str, topic_id: str) -> None:
        """File a pair under a topic; "": under no topic. Undo sends this event."""
        pair, topic = text_in(pair_id, MAX_ID), text_in(topic_id, MAX_ID)
        if pair is not None and topic is not None:
            await mark_pair(await context_for(current(), pair), LOCAL_OWNER, pair, Marks(topic_id=topic or None))

    @rx.event
    async def arrange(self) -> None:
        """Switch between the two orders of the topics: by hand, and by last use."""
        await self._attempt(self._arrange())

    @rx.event
    async def drop(self, topic_id: str, target_id: str, place: str) -> None:
        """Move a topic above another one ("before"), below it ("after") or under it ("into")."""
        topic, target = find_topic(self._topics, topic_id), find_topic(self._topics, target_id)
        if topic is not None and target is not None and place in _PLACES:
            await self._change(topic, place_at(self._topics, target, place))

    @rx.event
    async def edit(self, topic_id: str) -> None:
        """Show the form of a topic instead of the list of topics."""
        self.editing, self.fault = describe_form(self._topics, text_in(topic_id, MAX_ID) or ""), ""

    @rx.event
    async def back(self) -> None:
        """Close the form of a topic and show the list of topics."""
        self.editing, self.fault = None, ""

    @rx.event
    async def escape(self) -> None:
        """Close the topic's form. If it is already closed, as after two quick presses of Escape, close the picker."""
        if self.editing is None:
            self._close()
        self.editing, self.fault = None, ""

    @rx.event
    async def save(self, form: dict[str, Any]) -> None:
        """Give the topic the name and the parent in the form. If both are unchanged, close the form."""
        topic = self._edited()
        if topic is None:
            return
        name = (text_in(form.get("name"), MAX_QUERY) or "").strip()
        parent_id = text_in(form.get("parent"), MAX_ID) or None
        changes: TopicChanges = {}
        if name != topic.name:
            changes["name"] = name
        if parent_id != topic.parent_id:
            changes["parent_id"] = parent_id
        if changes:
            await self._change(topic, changes)
        else:
            self.editing, self.fault = None, ""

    @rx.event
    async def move_up(self) -> None:
        """Move the topic in the form above its previous sibling."""
        if (topic := self._edited()) is not None:
            await self._change(topic, place_beside(self._topics, topic, -1))

    @rx.event
    async def move_down(self) -> None:
        """Move the topic in the form below its next sibling."""
        if (topic := self._edited()) is not None:
            await self._change(topic, place_beside(self._topics, topic, 1))

    @rx.event
    async def delete(self) -> None:
        """Delete the topic in the form. This is refused if the topic has pairs or topics under it."""
        if (topic := self._edited()) is not None:
            await self._attempt(self._delete(topic))

    async def _end_visit(self) -> None:
        self._close()

    async def _open(self, picking: TopicPickerView) -> None:
        await self._come()
        self.editing, self.fault = None, ""
        await self._read()
        self._list("")
        self.at = max(0, next((at for at, row in enumerate(self.rows) if row.id == self._marked), 0))
        self.picking = picking

    def _close(self) -> None:
        self.picking, self.editing, self.fault = None, None, ""

    def _list(self, query: str) -> None:
        self.rows, self.query = list_rows(self._topics, query, self._marked), query

    def _edited(self) -> TopicView | None:
        return None if self.editing is None else find_topic(self._topics, self.editing.id)

    async def _read(self) -> None:
        """Read the tree again, and show it."""
        listed = await list_topics(current(), LOCAL_OWNER)
        self._topics, self.by_hand = listed.items, listed.order is TopicOrder.MANUAL
        self._list(self.query)
        if self.editing is not None:
            self.editing = describe_form(self._topics, self.editing.id)
        if self.chosen:  # the chosen topic may have been moved or deleted
            await self._choose_here(read_kept(self.topics, self._here()))

    async def _attempt(self, work: Awaitable[None]) -> None:
        """Await `work`. If it fails, the picker shows why."""
        self.fault = ""
        try:
            await work
        except InviewError as error:
            self.fault = describe_fault(error)

    async def _choose(self, picking: TopicPickerView, row: TopicTreeRow) -> None:
        topic_id = await create_topic(current(), LOCAL_OWNER, row.create) if row.create else row.id
        path = row.create or row.path
        if picking.pair_id:
            await self._file(picking, topic_id, path)
        else:
            await self._choose_here(topic_id)
        self._close()

    async def _file(self, picking: TopicPickerView, topic_id: str, path: str) -> None:
        ctx = await context_for(current(), picking.pair_id)
        (change,) = await mark_pair(ctx, LOCAL_OWNER, picking.pair_id, Marks(topic_id=topic_id or None)) or (None,)
        if change is None:  # the pair was filed under this topic already
            return
        undo = TopicPickerState.file(picking.pair_id, change.marks.get("topic_id") or "")
        where = path if topic_id else "no topic"
        undone = f"pair {picking.position} filed under {where}"
        message = f"Pair {picking.position}: Filed under {where}"
        await show_toast(self, message, undo=Undo(cast("EventSpec", undo), undone))

    async def _arrange(self) -> None:
        order = TopicOrder.RECENT if self.by_hand else TopicOrder.MANUAL
        preferences = await read_preferences(current(), LOCAL_OWNER)
        await set_preferences(current(), LOCAL_OWNER, replace(preferences, topic_order=order))
        await self._read()

    async def _change(self, topic: TopicView, changes: TopicChanges) -> None:
        await self._attempt(self._change_now(topic, changes))

    async def _change_now(self, topic: TopicView, changes: TopicChanges) -> None:
        await change_topic(current(), LOCAL_OWNER, topic.id, changes)
        await self._read()

    async def _delete(self, topic: TopicView) -> None:
        await delete_topic(current(), LOCAL_OWNER, topic.id)
        await self._read()
