"""One open page's view of a conversation, kept current.

    watcher = Watcher(wb, owner, conversation_id, ViewOptions(filter="s>=2"))
    async with watcher:                                  # begins to listen before it reads, so nothing is missed
        while (screen := await watcher.next_screen()) is not None:
            ...                                          # None: the conversation is gone

A screen is a value: a reader that is slow gets the newest one and misses nothing. Events of the conversation carry no
content (but for a starting reply): what they speak of is read again. What is in view is composed by the same function
as for a send, and never between a reply's start and its first text.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import InitVar, dataclass, field, replace
from datetime import timedelta
from typing import Final, Self, assert_never

from typing_extensions import Unpack

from app.domain.conversation.conversation import Pair, Parameters
from app.domain.conversation.lifecycle import RUNNING
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.conversation.parts import Part
from app.domain.copying import copy_with
from app.domain.errors import NotFoundError
from app.domain.run.state import RunState
from app.runs.process.event_bus import (
    ComparisonChanged,
    ConversationChanged,
    ConversationRemoved,
    FeedEvent,
    PairsChanged,
    PairsCounted,
    PairsRemoved,
    PermissionsChanged,
    QueueChanged,
    RetryHurried,
    RunStarted,
    Subscription,
    ToolProgress,
)
from app.runs.process.ids import now
from app.runs.request.bases import Base
from app.runs.send.context_selection import DEFAULT_VIEW, ViewOptions
from app.runs.watch import panels
from app.runs.watch.broadcast import follow_states, watch
from app.runs.watch.compared import ComparedReplies
from app.runs.watch.composed import SETTLE_SECONDS, ComposedView, Composition
from app.runs.watch.context import show_context
from app.runs.watch.page_window import PageWindow
from app.runs.watch.pairs import GrownText, WatchedPairs
from app.runs.watch.screen import Screen
from app.runs.watch.window import (
    earlier,
    fit,
    keep_newest_edge,
    keep_oldest_edge,
    later,
    newest,
    up_to,
)
from app.runs.workbench import Workbench
from app.store.conversation.conversations import load_conversation
from app.views.screen.node import ScreenNodeView
from app.views.screen.pair import ScreenPairView, ShownMarks
from app.views.screen.panels import CountingView, RetryView, ToolProgressView, WaitingView, describe_waiting

PATIENCE_SECONDS: Final = 0.06
"""How long the first screen waits to know what is sent where it is surely the newest pairs that are in view."""
NODES_SECONDS: Final = 0.3
"""After the opening, which has better things to do."""
STARTED_SECONDS: Final = 0.4
"""After a reply's start: its first text goes first."""


TellText = Callable[[Screen, int, str], bool]
"""Shows a screen on which the last part of the pair at this place went on by this text."""


@dataclass(eq=False)
class Watcher:
    """One page. `view_options` are those it begins with, `draft` what stands in its composer,
    `asked` how the model is asked this once.

    `at` is the position of the pair that it begins with, 0 for the newest. `nodes` are what the page shows between its
    pairs already: they stay until they are read anew, so that nothing a person unfolded goes away for that moment.

    `tell_text` is called with the next screen where it differs from the last one in a text that went on and nothing
    else. It returns whether it has shown it: otherwise `next_screen` returns it, as any other.
    """

    wb: Workbench
    owner: str
    conversation_id: str
    view_options: InitVar[ViewOptions] = DEFAULT_VIEW
    draft: InitVar[str] = ""
    asked: InitVar[Parameters] = NO_PARAMETERS
    at: int = 0
    nodes: InitVar[tuple[ScreenNodeView, ...]] = ()
    screen: Screen = field(default_factory=Screen)
    tell_text: TellText | None = None
    view: ComposedView = field(init=False)
    _pairs: WatchedPairs = field(init=False)
    _compared: ComparedReplies = field(init=False)
    _known: asyncio.Event = field(default_factory=asyncio.Event)
    _window: PageWindow = field(init=False)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _nodes_stale: asyncio.Event = field(default_factory=asyncio.Event)
    _heard: int = 0  # how often the feed told of something beside the pairs
    _deleted: set[str] = field(default_factory=set[str])
    _over: bool = False
    _tasks: asyncio.TaskGroup = field(default_factory=asyncio.TaskGroup)
    _open: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])
    _follower: asyncio.Task[None] | None = None

    def __post_init__(
        self, view_options: ViewOptions, draft: str, asked: Parameters, nodes: tuple[ScreenNodeView, ...]
    ) -> None:
        self.view = ComposedView(self.wb, self.owner, self.conversation_id, view_options, draft, asked)
        self._pairs = WatchedPairs(self.wb, self.owner)
        self._pairs.hang(nodes)
        self._window = PageWindow(self._pairs, self.view, self._start, self._show)
        self._compared = ComparedReplies(self.wb, self.owner, self._spawn, self._show)

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
        pairs, running = self._window.cut(self.screen)
        nodes = self._pairs.leading
        if pairs != self.screen.pairs or running != self.screen.running or nodes is not self.screen.nodes:
            self.screen = replace(self.screen, pairs=pairs, running=running, nodes=nodes)
        comparison = self.screen.comparison
        standing = None if comparison is None else self._pairs.views.get(comparison.pair_id)
        compared = self._compared.show(self.screen.permissions, standing)
        if compared is not self.screen.compared:
            self.screen = replace(self.screen, compared=compared)
        return self.screen

    # --- what a person does ---

    def use_view_options(self, view_options: ViewOptions) -> None:
        """Use these view options from now on."""
        self.view.use_view_options(view_options)

    async def try_view_options(self, view_options: ViewOptions) -> None:
        """Use these view options from now on, if that is possible. Returns once the screen says so.

        Raises:
            NotFoundError: the conversation is gone.
            FilterError: the filter cannot be used; it says where. The screen stays as it is.
            InputError: the same for the model or the time zone.
            ConflictError: the conversation changes faster than it can be read.
        """
        async with self.view.busy:
            await self._apply(await self.view.try_view_options(view_options))

    def write(self, draft: str, asked: Parameters = NO_PARAMETERS) -> None:
        """Note the draft in the composer, and the parameters of the next send."""
        self.view.write(draft, asked)

    def attach(self, attached: tuple[Part, ...]) -> None:
        """Note the files that are attached to the draft."""
        self.view.attach(attached)

    @property
    def counted(self) -> Base | None:
        """What the figures on screen were counted of; None: there are none yet."""
        return None if self.view.composed is None else self.view.composed.base

    @property
    def uncounted(self) -> tuple[str, ...]:
        """The pairs on the screen that came to it since the figures were counted: the newest."""
        base = self.counted
        if base is None:
            return ()
        return tuple(pair.id for pair in self.screen.pairs if base.tokens_of(pair.id, pair.position) is None)

    def note_deleted(self, pair_id: str) -> None:
        """The person at this page has deleted it."""
        self._deleted.add(pair_id)

    @property
    def deleted(self) -> frozenset[str]:
        """The pairs that this page has deleted, and does not show any more."""
        return frozenset(self._deleted - {pair.id for pair in self.screen.pairs})

    def pair(self, pair_id: str) -> ScreenPairView | None:
        """The pair as it is shown, None if it is not on the page."""
        return self._pairs.views.get(pair_id)

    def amend(self, pair_id: str, **marks: Unpack[ShownMarks]) -> None:
        """Show these marks of a pair although they are not stored yet."""
        if self._pairs.amend(pair_id, marks):
            self._show()

    def look_at_compared(self, *, on: bool) -> None:
        """Show the replies that are compared as they come, or no longer."""
        self._compared.look(on=on)

    async def show_earlier(self) -> None:
        """Bring older pairs into the window."""
        await self._window.move(earlier, keep_oldest_edge)

    async def show_later(self) -> None:
        """Bring newer pairs into the window."""
        await self._window.move(later, keep_newest_edge)

    async def show_newest(self) -> None:
        """Go to the newest pairs, and stay with them."""
        await self._window.move(lambda window, visible: window if window.until is None else newest(visible), None)

    async def show_position(self, position: int) -> None:
        """Go to the pair at this position, or the next one in view."""
        await self._known.wait()  # a key may come before it is known what is in view
        await self._window.move_to(position, self.screen)

    # --- the first screen ---

    async def _begin(self, feed: Subscription) -> None:
        async with self.wb.store.read() as session:
            conversation = await load_conversation(session, self.owner, self.conversation_id)
        unfiltered = not (
            conversation.filter if self.view.view_options.filter is None else self.view.view_options.filter
        ).strip()
        async with self.view.busy:
            first = asyncio.create_task(self.view.compose())
            try:
                await asyncio.wait({first}, timeout=PATIENCE_SECONDS if unfiltered and not self.at else None)
                if not first.done():
                    await self._window.show_stored()
                # In this order: what is composed may be older than what the feed tells of.
                self._spawn(self._listen(feed))
                found = await first
                if found.composed is None and not self._pairs.views:
                    await self._window.show_stored()
                await self._apply(found)
            finally:
                first.cancel()
                await asyncio.wait({first})
        self._spawn(self.view.keep(self._apply))
        self._spawn(self._pairs.structured.keep_read(self._show))
        await self._read_beside()
        self._spawn(self._keep_nodes())

    async def _read_beside(self) -> None:
        heard = self._heard
        read = await panels.read_all(self.wb, self.owner, self.conversation_id)
        while heard != self._heard:  # what the feed told of meanwhile may be newer
            heard = self._heard
            read = await panels.read_all(self.wb, self.owner, self.conversation_id)
        self._show(queue=read.queue, comparison=read.comparison, permissions=read.permissions)
        self._compared.open(read.comparison)

    async def _keep_nodes(self) -> None:
        """Read what stands between the pairs: at first when nothing else is waited for, then after what changes it."""
        await asyncio.sleep(NODES_SECONDS)
        while True:
            self._pairs.hang(await panels.read_nodes(self.wb, self.owner, self.conversation_id))
            self._show()
            await self._nodes_stale.wait()
            await asyncio.sleep(SETTLE_SECONDS)
            self._nodes_stale.clear()

    # --- what is in view ---

    async def _apply(self, found: Composition) -> None:
        before, composed = self.view.composed, found.composed
        refusal = self.view.take(found)
        if composed is None:  # its own model belongs to nobody set up here
            self._show(context=None, refusal=refusal)
            return
        pairs, visible = self._pairs, composed.composition.visible.pairs
        async with pairs.reading:
            self.view.hold(found.view_options, composed)
            self._known.set()
            again = pairs.look(composed)
            if before is None or before.base.filter != composed.base.filter:
                pairs.dismiss_guest()
                window = up_to(self.at, visible) if before is None and self.at else newest(visible)
            else:
                window = fit(self._window.window, visible)
            pairs.watch_guest(visible)
            await self._window.fill(composed, window, again=again)
        context = show_context(composed, found.view_options.topic, self.view.asked)
        if context == self.screen.context:
            context = self.screen.context  # the same value: nothing is copied for it
        self._show(context=context, refusal=refusal)

    # --- what happens ---

    async def _listen(self, feed: Subscription) -> None:
        async for event in feed:
            if isinstance(event, QueueChanged | ComparisonChanged | PermissionsChanged):
                self._heard += 1
            await self._take(event)

    async def _take(self, event: FeedEvent) -> None:  # noqa: C901, PLR0912 - a case for each event
        match event:
            case RunStarted():
                self._start(event.pair)
                self.view.change(STARTED_SECONDS)
            case PairsChanged():
                self._deleted.difference_update(event.pair_ids)  # they may have come back
                self._nodes_stale.set()
                known = [pair_id for pair_id in event.pair_ids if pair_id in self._pairs.views]
                self._start(await self._pairs.read(known))
                self._show()
                self.view.change(SETTLE_SECONDS)
            case PairsRemoved():
                self._pairs.forget(event.pair_ids)
                self._nodes_stale.set()
                self._show()
                self.view.change(SETTLE_SECONDS)
            case ConversationChanged():
                self._nodes_stale.set()
                self._show(changes=self.screen.changes + 1)
                self.view.change(SETTLE_SECONDS)
            case QueueChanged():
                self._show(queue=await panels.read_queue(self.wb, self.owner, self.conversation_id))
            case ComparisonChanged():
                comparison = await panels.read_comparison(self.wb, self.owner, self.conversation_id)
                self._show(comparison=comparison)
                self._compared.open(comparison)
            case PermissionsChanged():
                self._show(permissions=await panels.read_permissions(self.wb, self.owner, self.conversation_id))
            case RetryHurried():
                if self.screen.retry is not None and self.screen.retry.pair_id == event.pair_id:
                    at = now().isoformat()
                    self._show(retry=replace(self.screen.retry, until=at, now=at))
            case ToolProgress():
                self._show(progress=_with_progress(self.screen.progress, event))
            case PairsCounted():
                self._show(counting=None if event.done == event.total else CountingView(event.done, event.total))
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
        self._show(retry=None, waiting=None, progress=())

    async def _follow(self, pair_id: str, run_id: str, before: asyncio.Task[None] | None) -> None:
        if before is not None and not before.done():
            await asyncio.wait((before,))  # the end of the reply before it is shown first
        with suppress(NotFoundError):  # deleted while it ran; the feed tells
            async for state in follow_states(self.wb, self.owner, run_id):
                grown = self._pairs.grow(state)
                retry, waiting = _retry_of(pair_id, state, self.screen.retry), self._waiting_of(pair_id, run_id)
                if (retry, waiting) != (self.screen.retry, self.screen.waiting):
                    self._show(retry=retry, waiting=waiting)
                elif grown is None or not self._tell_text(grown):
                    self._show()
        if await self._pairs.end(pair_id, run_id):
            self._pairs.measure()
            others = {} if self._pairs.following else {"retry": None, "waiting": None, "progress": ()}
            self._show(ended=pair_id, **others)

    def _tell_text(self, grown: GrownText) -> bool:
        """Have a text that went on shown now, if nothing else is to be shown. False: `next_screen` returns it."""
        screen = self.screen
        if self.tell_text is None or self._changed.is_set() or not self._pairs.is_in_order:
            return False
        if screen.permissions or screen.progress or screen.comparison is not None:  # they show the reply as well
            return False
        at = len(screen.pairs) - 1
        while at >= 0 and screen.pairs[at] is not grown.before:
            at -= 1
        if at < 0:
            return False
        told = copy_with(screen, pairs=(*screen.pairs[:at], grown.now, *screen.pairs[at + 1 :]))
        if not self.tell_text(told, at, grown.text):
            return False
        self.screen = told
        return True

    def _waiting_of(self, pair_id: str, run_id: str) -> WaitingView | None:
        """What the reply's call waits for, if it does. It keeps its value while it is the same."""
        run = self.wb.engine.runs.get(run_id)
        if run is None or run.waiting is None:
            return None
        said = describe_waiting(pair_id, run.waiting.ahead, run.waiting.until, now())
        shown = self.screen.waiting
        return shown if shown is not None and replace(shown, now=said.now) == said else said

    # --- telling ---

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
    at = now()
    until = at + timedelta(seconds=retry.seconds)
    reason = retry.reason
    return RetryView(
        pair_id, retry.attempt, reason.error_class.value, reason.message, until.isoformat(), at.isoformat()
    )


def _with_progress(shown: tuple[ToolProgressView, ...], event: ToolProgress) -> tuple[ToolProgressView, ...]:
    others = tuple(one for one in shown if one.tool_call_id != event.tool_call_id)
    told = ToolProgressView(event.tool_call_id, event.progress, event.total, event.message, event.conversation_id or "")
    return (*others, told)
