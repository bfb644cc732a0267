"""The branches of the conversation on screen: the tree of forks, and the commands that make and delete a fork.

`keep_current` reads the tree, for the inspector and the numbers of forks at the pairs. `fork` makes a fork of the pairs
up to a given one, or of all pairs, and opens it. If a filter hides pairs, `ask_fork` first asks whether to include
these.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal, cast

import reflex as rx
from reflex_base.event import EventSpec

from app.domain.errors import InviewError
from app.runs.app_context import context_for, current
from app.runs.conversation.conversation_commands import delete_conversation
from app.runs.conversation.forks import fork_from, read_tree
from app.runs.conversation.opening import OpenedConversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.state.filters.applied import FilterState
from app.state.messages.answered import begin_work, end_work
from app.state.messages.error_messages import describe_fault
from app.state.messages.toasts import Undo, show_fault, show_toast
from app.state.tab.address import conversation_in, conversation_path
from app.state.tab.changes import set_changed
from app.state.tab.inputs import text_in
from app.store.conversation.lists import describe_listed
from app.store.conversation.pairs import load_pair
from app.views.conversation.branch import BranchView, describe_branches
from app.views.usage.figures import plural

AGAIN_SECONDS: Final = 1.0
"""Seconds during which a second request for the same fork is ignored: it is a double click or a key held down."""
_MAX_ID: Final = 64
_ALTERED: Final = "The fork has new messages. You can delete it in the conversation list."

Which = Literal["all", "seen"]


@dataclass(frozen=True)
class BranchItem:
    """A conversation of the tree of forks, `depth` levels below the root.

    - `after`: names the pair after which it was forked; "" if it is the root, or was forked without pairs.
    - `pairs`: the number of its pairs as text.
    """

    id: str
    path: str
    depth: int
    title: str
    after: str
    pairs: str
    updated_at: str
    snippet: str
    running: bool


@dataclass(frozen=True)
class ForksItem:
    """The number of forks after a pair, as text."""

    pair_id: str
    count: str


@dataclass(frozen=True)
class ForkChoiceView:
    """The dialog that asks which pairs a fork includes.

    - `pair_id`: the last pair to include, "" for a fork of the whole conversation.
    - `up_to`: for example " up to pair 3", or "" for the whole conversation.
    - `description`: describes the filter.
    """

    pair_id: str
    up_to: str
    description: str


class BranchState(rx.State):
    """The tree of forks that contains the conversation with the id `conversation`.

    - `items`: the conversations of the tree, parents in front of their forks.
    - `forks` has the number of forks of each pair that has some.
    - `fault`: the reason why the tree could not be read.
    - `choosing`: the dialog that asks which pairs a fork includes.
    """

    conversation: rx.Field[str] = rx.field("")
    items: rx.Field[tuple[BranchItem, ...]] = rx.field(())
    forks: rx.Field[tuple[ForksItem, ...]] = rx.field(())
    fault: rx.Field[str] = rx.field("")
    choosing: rx.Field[ForkChoiceView | None] = rx.field(None)
    _forking: bool = False
    _forked: tuple[str, str, float] = ("", "", 0.0)

    @rx.event(background=True)
    async def keep_current(self) -> None:
        """Read the tree of forks of the conversation on screen. Until it is read, the page shows the previous tree."""
        async with self:
            conversation_id = conversation_in(self.router.url.path)
            _clear_others(self, conversation_id)
        if not conversation_id:
            return
        try:
            tree = await read_tree(await context_for(current(), conversation_id), LOCAL_OWNER, conversation_id)
        except InviewError as error:
            async with self:
                self.conversation, self.fault = conversation_id, describe_fault(error)
            return
        branches = describe_branches(tree).items
        async with self:
            if conversation_in(self.router.url.path) == conversation_id:
                self.conversation, self.fault = conversation_id, ""
                self.items, self.forks = tuple(map(_describe, branches)), _count_forks(branches, conversation_id)

    @rx.event
    async def ask_fork(self, pair_id: str) -> rx.event.EventType[()] | None:
        """Fork after a pair ("": after the last). If there is a filter, first ask whether to include hidden pairs."""
        filters = await self.get_state(FilterState)
        if not filters.filter:
            return await self._begin(pair_id, "all")
        if not pair_id:
            self.choosing = ForkChoiceView("", "", filters.description)
            return None
        ctx = await context_for(current(), conversation_in(self.router.url.path))
        async with ctx.store.read() as session:
            pair = await load_pair(session, LOCAL_OWNER, text_in(pair_id, _MAX_ID) or "")
        self.choosing = ForkChoiceView(pair.id, f" up to pair {pair.position}", filters.description)
        return None

    @rx.event
    async def end_choice(self) -> None:
        self.choosing = None

    @rx.event
    async def fork(self, pair_id: str, which: Which) -> rx.event.EventType[()]:
        """Fork the conversation with the pairs up to this one ("": with all pairs), and open the fork.

        If `which` is "seen", the fork includes only the pairs in view.
        """
        return await self._begin(pair_id, which)

    @rx.event(background=True)
    async def make_fork(self, pair_id: str, which: Which) -> AsyncGenerator[rx.event.EventType[()] | None]:
        """Make the fork that `fork` or `ask_fork` has prepared, and open it."""
        try:
            yield await self._make_fork(pair_id, which)
        finally:
            async with self:
                await end_work(self)

    async def _begin(self, pair_id: str, which: Which) -> rx.event.EventType[()]:
        self.choosing = None
        await begin_work(self)
        return BranchState.make_fork(pair_id, which)

    async def _make_fork(self, pair_id: str, which: Which) -> rx.event.EventType[()] | None:
        async with self:
            origin, last = conversation_in(self.router.url.path), text_in(pair_id, _MAX_ID) or None
            if self._forking or self._is_repeated(origin, last or ""):
                return None
            self._forking = True
            options = _options_of(await self.get_state(FilterState)) if which == "seen" else None
        try:
            made = await fork_from(await context_for(current(), origin), LOCAL_OWNER, origin, options, last)
        except InviewError as error:
            async with self:
                await show_fault(self, error)
            return None
        finally:
            async with self:
                self._forking = False
        async with self:
            self._forked = (origin, last or "", time.monotonic())
            undo = cast("EventSpec", BranchState.take_back(made.conversation.id, made.pair_count))
            pairs = plural(made.pair_count, "pair")
            message = f"Forked: a new conversation with {pairs}. The other one is unchanged."
            await show_toast(self, message, undo=Undo(undo, f"forked {pairs}"))
        return rx.redirect(conversation_path(made.conversation.id))

    @rx.event
    async def take_back(self, fork_id: str, pair_count: int) -> rx.event.EventType[()] | None:
        """Delete a fork that was just made, unless its number of pairs has changed since. Undo sends this event."""
        self._forked = ("", "", 0.0)
        ctx = await context_for(current(), str(fork_id))
        try:
            async with ctx.store.read() as session:
                listed = await describe_listed(session, LOCAL_OWNER, str(fork_id))
            if listed.pair_count != pair_count:
                await show_fault(self, _ALTERED)
                return None
            await delete_conversation(ctx, LOCAL_OWNER, listed.conversation.id)
        except InviewError as error:
            await show_fault(self, error)
            return None
        on_screen = conversation_in(self.router.url.path) == listed.conversation.id
        origin = listed.conversation.parent_id
        return rx.redirect(conversation_path(origin)) if on_screen and origin else None

    def _is_repeated(self, origin: str, pair_id: str) -> bool:
        *last, at = self._forked
        return last == [origin, pair_id] and time.monotonic() - at < AGAIN_SECONDS


def open_branches(state: BranchState, opened: OpenedConversation) -> rx.event.EventType[()] | None:
    """Remove the tree of another conversation. If the opened one has forks, return the event that reads its tree.

    The pairs need the tree, because they show the numbers of forks. Without forks, only a section of the inspector
    shows the tree, and reads the tree when it is opened.
    """
    if opened.is_forked:
        return BranchState.keep_current
    _clear_others(state, opened.id)
    set_changed(state, forks=())
    return None


def _clear_others(state: BranchState, conversation_id: str) -> None:
    if not any(item.id == conversation_id for item in state.items):
        set_changed(state, items=(), forks=())


def _options_of(filters: FilterState) -> ViewOptions:
    """Return the view options of the page: the current filter, and the time that ages in the filter refer to."""
    as_of = datetime.fromisoformat(filters.as_of) if filters.as_of else None
    return replace(filters.view_options, filter=filters.filter, as_of=as_of)


def _describe(branch: BranchView) -> BranchItem:
    return BranchItem(
        id=branch.id,
        path=conversation_path(branch.id),
        depth=branch.depth,
        title=branch.title or "New conversation",
        after="" if branch.fork is None else f"after pair {branch.fork.position}",
        pairs=plural(branch.pair_count, "pair"),
        updated_at=branch.updated_at.isoformat(),
        snippet=branch.snippet,
        running=branch.running,
    )


def _count_forks(branches: tuple[BranchView, ...], conversation_id: str) -> tuple[ForksItem, ...]:
    """Return the number of forks of this conversation for each pair after which forks start."""
    forks = (branch.fork for branch in branches if branch.parent_id == conversation_id)
    counts = Counter(fork.pair_id for fork in forks if fork is not None)
    return tuple(ForksItem(pair_id, plural(count, "fork")) for pair_id, count in counts.items())
