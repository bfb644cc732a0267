"""One open page's view of a conversation, kept current.

    watcher = Watcher(wb, owner, conversation_id, Look(filter="s>=2"))
    async with watcher:                                  # begins to listen before it reads, so nothing is missed
        while (screen := await watcher.next_screen()) is not None:
            ...                                          # None: the conversation is gone

A screen is a value: a reader that is slow gets the newest one and misses nothing. Events of the conversation carry no
content (but for a starting reply): what they speak of is read again. What is in view is composed by the same function
as for a send, and never between a reply's start and its first text.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final, Self, assert_never

from typing_extensions import Unpack

from app.domain.composition import Candidate
from app.domain.conversation import Pair
from app.domain.errors import ConflictError, InputError, InviewError, NotFoundError
from app.domain.lifecycle import RUNNING
from app.domain.run import RunState
from app.runs.broadcast import follow_states, watch
from app.runs.composing import Composed, Look, compose_base, compose_view
from app.runs.feeds import (
    ComparisonChanged,
    ConversationChanged,
    ConversationRemoved,
    FeedEvent,
    PairsChanged,
    PairsRemoved,
    PermissionsChanged,
    QueueChanged,
    RetryHurried,
    RunStarted,
    Subscription,
    ToolProgress,
)
from app.runs.watch import beside
from app.runs.watch.context import show_context
from app.runs.watch.pairs import WatchedPairs, ids_of, is_running, watch_calls
from app.runs.watch.screen import Screen
from app.runs.watch.window import Window, around, earlier, fit, later, newest
from app.runs.workbench import Workbench
from app.store.conversations import load_conversation
from app.store.pairs import WINDOW, load_pairs
from app.views.screen.beside import RetryView, ToolProgressView
from app.views.screen.context import RefusalView, show_refusal
from app.views.screen.pair import ScreenPairView, ShownMarks

PATIENCE_SECONDS: Final = 0.06
"""How long the first screen waits to know what is sent where it is surely the newest pairs that are in view."""
SETTLE_SECONDS: Final = 0.02
"""After a change, others of the same action are waited for before what is in view is composed again."""
NODES_SECONDS: Final = 0.3
"""After the opening, which has better things to do."""
STARTED_SECONDS: Final = 0.4
"""After a reply's start: its first text goes first."""


@dataclass(frozen=True, slots=True)
class _Composition:
    """How the page looks from now on, what is in view of that, and why not what was `asked` for."""

    asked: Look
    look: Look
    composed: Composed | None
    refusal: InviewError | None = None


@dataclass(eq=False)
class Watcher:
    """One page. `look` is how it wants to look at the conversation, `draft` what stands in its composer.

    `turn` grows whenever what a send would carry was composed again.
    """

    wb: Workbench
    owner: str
    conversation_id: str
    look: Look = field(default_factory=Look)
    draft: str = ""
    screen: Screen = field(default_factory=Screen)
    turn: int = 0
    _pairs: WatchedPairs = field(init=False)
    _composed: Composed | None = None
    _known: asyncio.Event = field(default_factory=asyncio.Event)
    _held: Look | None = None  # how the page looks by now, once that is known
    _refusal: RefusalView | None = None  # why what was asked for cannot be; until something else is asked for
    _window: Window = field(default_factory=Window)
    _outdated: bool = True  # more may have changed than the draft
    _stale: asyncio.Event = field(default_factory=asyncio.Event)
    _due: float = 0.0  # by the loop's clock: not before that is what is in view composed again
    _composing: asyncio.Lock = field(default_factory=asyncio.Lock)  # held until what was composed is shown
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _nodes_stale: asyncio.Event = field(default_factory=asyncio.Event)
    _over: bool = False
    _tasks: asyncio.TaskGroup = field(default_factory=asyncio.TaskGroup)
    _open: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])
    _follower: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self._pairs = WatchedPairs(self.wb, self.owner)

    async def __aenter__(self) -> Self:
        feed = watch(self.wb, self.owner, self.conversation_id)
        await self._tasks.__aenter__()
        self._spawn(self._begin(feed))
        return self

    async def __aexit__(self, *fault: object) -> None:
        for task in tuple(self._open):
            task.cancel()
        try:
            await self._tasks.__aexit__(None, None, None)
        except ExceptionGroup as faults:  # the first one ended the others
            raise faults.exceptions[0] from faults

    async def next_screen(self) -> Screen | None:
        """The screen once it is another one than the last; None: the conversation is gone."""
        await self._changed.wait()
        self._changed.clear()
        if self._over:
            return None
        pairs, nodes = self._in_window(), self._pairs.leading
        running = next((pair.id for pair in self._pairs.views.values() if is_running(pair)), "")
        if pairs != self.screen.pairs or running != self.screen.running or nodes is not self.screen.nodes:
            self.screen = replace(self.screen, pairs=pairs, running=running, nodes=nodes)
        return self.screen

    @property
    def seen(self) -> Look:
        """The look that a send has to carry so that what is in view is what is sent."""
        look = self._held or self.look
        if self._composed is None:
            return look
        base = self._composed.base
        return replace(look, filter=base.filter, model=base.profile.model, as_of=base.as_of if base.ages else None)

    # --- what a person does ---

    def look_as(self, look: Look) -> None:
        """Look at the conversation like this from now on."""
        self.look, self._outdated, self._refusal = look, True, None
        self._compose_in(0)

    async def try_look(self, look: Look) -> None:
        """Look at the conversation like this from now on, if that is possible. Returns once the screen says so.

        Raises:
            NotFoundError: the conversation is gone.
            FilterError: the filter cannot be used; it says where. The screen stays as it is.
            InputError: the same for the model or the time zone.
            ConflictError: the conversation changes faster than it can be read.
        """
        async with self._composing:
            composed = await compose_view(self.wb, self.owner, self.conversation_id, look, self.draft)
            self.look, self._refusal = look, None
            await self._apply(_Composition(look, look, composed))

    def write(self, draft: str) -> None:
        """This stands in the composer."""
        self.draft = draft
        self._compose_in(0)

    def pair(self, pair_id: str) -> ScreenPairView | None:
        """The pair as it is shown, None if it is not on the page."""
        return self._pairs.views.get(pair_id)

    def amend(self, pair_id: str, **marks: Unpack[ShownMarks]) -> None:
        """Show these marks of a pair although they are not stored yet."""
        if self._pairs.amend(pair_id, marks):
            self._show()

    async def show_earlier(self) -> None:
        """Bring older pairs into the window."""
        await self._move(earlier)

    async def show_later(self) -> None:
        """Bring newer pairs into the window."""
        await self._move(later)

    async def show_newest(self) -> None:
        """Go to the newest pairs, and stay with them."""
        await self._move(lambda window, visible: window if window.until is None else newest(visible))

    async def show_position(self, position: int) -> None:
        """Go to the pair at this position, or the next one in view."""
        await self._known.wait()  # a key may come before it is known what is in view

        def choose(window: Window, visible: Sequence[Candidate]) -> Window:
            is_there = any(pair.position == position for pair in self._in_window())
            return window if is_there else around(position, visible)

        await self._move(choose)

    # --- the first screen ---

    async def _begin(self, feed: Subscription) -> None:
        async with self.wb.store.read() as session:
            conversation = await load_conversation(session, self.owner, self.conversation_id)
        unfiltered = not (conversation.filter if self.look.filter is None else self.look.filter).strip()
        async with self._composing:
            self._outdated = False  # what is asked for from now on is composed after this
            first = asyncio.create_task(self._compose())
            try:
                await asyncio.wait({first}, timeout=PATIENCE_SECONDS if unfiltered else None)
                if not first.done():
                    await self._show_stored()
                # In this order: what is composed may be older than what the feed tells of.
                self._spawn(self._listen(feed))
                found = await first
                if found.composed is None and not self._pairs.views:
                    await self._show_stored()
                await self._apply(found)
            finally:
                first.cancel()
                await asyncio.wait({first})
        self._spawn(self._keep_composed())
        self._spawn(self._pairs.structured.keep_read(self._show))
        await self._read_beside()
        self._spawn(self._keep_nodes())

    async def _show_stored(self) -> None:
        """Show the newest pairs before it is known what of them is sent."""
        async with self.wb.store.read() as session:
            found = await load_pairs(session, self.owner, self.conversation_id, limit=WINDOW + 1)
        async with self._pairs.reading:
            pairs = await self._pairs.load([pair.id for pair in found[-WINDOW:]])
            self._start(self._pairs.put_all(pairs))
        if len(found) > WINDOW:
            self._window = Window(since=found[1].position)
        self._show(earlier=len(found) > WINDOW)

    async def _read_beside(self) -> None:
        read = await beside.read_all(self.wb, self.owner, self.conversation_id)
        self._show(queue=read.queue, comparison=read.comparison, permissions=read.permissions)

    async def _keep_nodes(self) -> None:
        """Read what stands between the pairs: at first when nothing else is waited for, then after what changes it."""
        await asyncio.sleep(NODES_SECONDS)
        while True:
            self._pairs.hang(await beside.read_nodes(self.wb, self.owner, self.conversation_id))
            self._show()
            await self._nodes_stale.wait()
            await asyncio.sleep(SETTLE_SECONDS)
            self._nodes_stale.clear()

    # --- what is in view ---

    def _compose_in(self, seconds: float) -> None:
        """Have what is in view composed again: at once if a person waits for it, else after so long."""
        due = asyncio.get_running_loop().time() + seconds
        self._due = due if seconds == 0 or not self._stale.is_set() else max(self._due, due)
        self._stale.set()

    def _change(self, seconds: float) -> None:
        """As `_compose_in`, because something happened to the conversation."""
        self._outdated = True
        self._compose_in(seconds)

    async def _keep_composed(self) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            await self._stale.wait()
            while (early := self._due - clock()) > 0:  # noqa: ASYNC110 - who waits for it may bring it forward
                await asyncio.sleep(min(early, SETTLE_SECONDS))
            async with self._composing:
                self._stale.clear()
                await self._apply(await self._compose_again())

    async def _compose_again(self) -> _Composition:
        """Compose what changed: all of it, or only what the draft decides."""
        if self._outdated or self._composed is None:
            self._outdated = False
            return await self._compose()
        look = self.look
        return _Composition(look, look, await compose_base(self._composed.base, self.draft))

    async def _compose(self) -> _Composition:
        """What is in view as asked; if that cannot be, as it was looked at before, or as can be."""
        refusal: InviewError | None = None
        asked = self.look
        others = (self._held,) if self._held else (replace(asked, filter=None), replace(asked, filter="", model=None))
        for look in (asked, *others):
            try:
                composed = await compose_view(self.wb, self.owner, self.conversation_id, look, self.draft)
            except (InputError, ConflictError) as error:
                refusal = refusal or error
            else:
                return _Composition(asked, look, composed, refusal)
        return _Composition(asked, asked, self._composed, refusal)

    async def _apply(self, found: _Composition) -> None:
        before, composed = self._composed, found.composed
        refusal = self._refusal if found.refusal is None else show_refusal(found.refusal)
        self.turn += 1
        if found.refusal is not None and self.look is found.asked:  # else another is asked for by now
            self.look = found.look
            self._refusal = refusal if isinstance(found.refusal, InputError) else None  # a conflict passes
        if composed is None:  # its own model belongs to nobody set up here
            self._show(context=None, refusal=refusal)
            return
        pairs, visible = self._pairs, composed.composition.visible.pairs
        async with pairs.reading:
            self._held, self._composed = found.look, composed
            self._known.set()
            again = pairs.look(composed)
            if before is None or before.base.filter != composed.base.filter:
                pairs.dismiss_guest()
                window = newest(visible)
            else:
                window = fit(self._window, visible)
            pairs.watch_guest(ids_of(visible))
            await self._fill(composed, window, again=again)
        context = show_context(composed, found.look.topic)
        if context == self.screen.context:
            context = self.screen.context  # the same value: nothing is copied for it
        self._show(context=context, refusal=refusal)

    async def _fill(self, composed: Composed, window: Window, *, again: bool = False) -> None:
        """Hold exactly the pairs of the window, and those that stay. `again`: read them all anew.

        The caller holds `reading`: window and pairs change in one step, and nobody is shown one without the other.
        """
        pairs, visible = self._pairs, composed.composition.visible.pairs
        ids = ids_of(window.cut(visible))
        if window.until is None:
            ids |= pairs.unbound
            if composed.base.running is not None:
                ids |= {composed.base.running}
        found = await pairs.load(ids if again else ids - pairs.views.keys())
        pairs.remove(tuple(pairs.views.keys() - ids - pairs.unbound))
        self._window = window
        self._start(pairs.put_all(found))
        pairs.measure()
        self._show(earlier=window.has_earlier(visible), later=window.has_later(visible))

    async def _move(self, choose: Callable[[Window, Sequence[Candidate]], Window]) -> None:
        """Go to the window that `choose` makes of the one there is, once what is in view is known."""
        async with self._pairs.reading:
            if (composed := self._composed) is None:
                return
            window = choose(self._window, composed.composition.visible.pairs)
            if window != self._window:
                await self._fill(composed, window)

    # --- what happens ---

    async def _listen(self, feed: Subscription) -> None:
        async for event in feed:
            await self._take(event)

    async def _take(self, event: FeedEvent) -> None:
        match event:
            case RunStarted():
                self._start(event.pair)
                self._change(STARTED_SECONDS)
            case PairsChanged():
                self._nodes_stale.set()
                known = [pair_id for pair_id in event.pair_ids if pair_id in self._pairs.views]
                self._start(await self._pairs.read(known))
                self._show()
                self._change(SETTLE_SECONDS)
            case PairsRemoved():
                self._pairs.forget(event.pair_ids)
                self._nodes_stale.set()
                self._show()
                self._change(SETTLE_SECONDS)
            case ConversationChanged():
                self._nodes_stale.set()
                self._show(changes=self.screen.changes + 1)
                self._change(SETTLE_SECONDS)
            case QueueChanged():
                self._show(queue=await beside.read_queue(self.wb, self.owner, self.conversation_id))
            case ComparisonChanged():
                self._show(comparison=await beside.read_comparison(self.wb, self.owner, self.conversation_id))
            case PermissionsChanged():
                self._show(permissions=await beside.read_permissions(self.wb, self.owner, self.conversation_id))
            case RetryHurried():
                if self.screen.retry is not None and self.screen.retry.pair_id == event.pair_id:
                    self._show(retry=replace(self.screen.retry, seconds=0.0))
            case ToolProgress():
                self._show(progress=_with_progress(self.screen.progress, event))
            case ConversationRemoved():
                self._end()
            case _:
                assert_never(event)

    # --- the reply that streams ---

    def _start(self, pair: Pair | None) -> None:
        """A reply is on. Nothing is read here: its first text may be a millisecond away."""
        if pair is None or pair.run_id is None or pair.lifecycle not in RUNNING:
            return
        if self._pairs.follows(pair.id, pair.run_id):
            return
        self._pairs.start(pair)
        self._follower = self._spawn(self._follow(pair.id, pair.run_id, self._follower))
        self._show(retry=None, progress=())

    async def _follow(self, pair_id: str, run_id: str, before: asyncio.Task[None] | None) -> None:
        if before is not None and not before.done():
            await asyncio.wait((before,))  # the end of the reply before it is shown first
        with suppress(NotFoundError):  # deleted while it ran; the feed tells
            async for state in follow_states(self.wb, self.owner, run_id):
                self._pairs.grow(state)
                self._show(retry=_retry_of(pair_id, state, self.screen.retry))
        if await self._pairs.end(pair_id, run_id):
            self._pairs.measure()
            others = {} if self._pairs.following else {"retry": None, "progress": ()}
            self._show(ended=pair_id, **others)

    # --- telling ---

    def _in_window(self) -> tuple[ScreenPairView, ...]:
        """The pairs to show. One that stays whatever is in view is held also while the window is elsewhere."""
        until, screen = self._window.until, self.screen
        return tuple(
            watch_calls(pair, screen.permissions, screen.progress) if is_running(pair) else pair
            for pair in self._pairs.in_order()
            if until is None or pair.position <= until
        )

    def _show(self, **changes: object) -> None:
        if changes:
            self.screen = replace(self.screen, **changes)
        self._changed.set()

    def _end(self) -> None:
        self._over = True
        self._changed.set()

    def _spawn(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = self._tasks.create_task(self._until_gone(work))
        self._open.add(task)
        task.add_done_callback(self._open.discard)
        task.add_done_callback(lambda _: work.close())  # it may have been canceled before it began
        return task

    async def _until_gone(self, work: Coroutine[None, None, None]) -> None:
        try:
            await work
        except NotFoundError:
            self._end()


def _retry_of(pair_id: str, state: RunState, shown: RetryView | None) -> RetryView | None:
    """The retry that is waited for, if any. It keeps its value while it is the same: the page counts down from it."""
    if state.phase != "retrying" or not state.retries:
        return None
    retry = state.retries[-1]
    if shown is not None and (shown.pair_id, shown.attempt) == (pair_id, retry.attempt):
        return shown
    return RetryView(pair_id, retry.attempt, retry.reason.error_class.value, retry.reason.message, retry.seconds)


def _with_progress(shown: tuple[ToolProgressView, ...], event: ToolProgress) -> tuple[ToolProgressView, ...]:
    others = tuple(one for one in shown if one.tool_call_id != event.tool_call_id)
    told = ToolProgressView(event.tool_call_id, event.progress, event.total, event.message, event.conversation_id or "")
    return (*others, told)
