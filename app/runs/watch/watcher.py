"""One open page's view of a conversation, which follows every change.

    watcher = Watcher(ctx, owner, conversation_id, ViewOptions(filter="s>=2"))
    async with watcher:                                  # subscribes before it reads, so no change is missed
        while (screen := await watcher.next_screen()) is not None:
            ...                                          # None: the conversation was deleted

Each screen has the whole content of the page, so a slow reader can skip screens and misses nothing. Events of the
conversation have no content (except the start of a reply), so the watcher reads the changed data again. The pairs in
view are composed by the same function as for a send. They are not composed between a reply's start and its first text,
so that this text is not delayed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import InitVar, dataclass, field, replace
from datetime import timedelta
from typing import Final, Self, assert_never

from typing_extensions import Unpack

from app.domain.context.context import OutReason
from app.domain.conversation.conversation import Conversation, Pair, Parameters
from app.domain.conversation.damage import DamagedRowError
from app.domain.conversation.lifecycle import RUNNING
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.conversation.parts import Part
from app.domain.errors import NotFoundError
from app.domain.run.run import RunState
from app.runs.app_context import AppContext
from app.runs.request.context_snapshots import ContextSnapshot
from app.runs.runtime.event_bus import (
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
from app.runs.runtime.ids import now
from app.runs.send.context_selection import ViewOptions
from app.runs.send.prefetch import warm
from app.runs.watch import panels
from app.runs.watch.broadcast import follow_states
from app.runs.watch.compared import ComparedReplies
from app.runs.watch.composed import SETTLE_SECONDS, ComposedResult, ComposedView
from app.runs.watch.context import describe_compared_sends, describe_context
from app.runs.watch.page_window import PageWindow
from app.runs.watch.pairs import WatchedPairs
from app.runs.watch.screen import Screen
from app.store.conversation.conversations import load_conversation
from app.views.composer.context import show_refusal
from app.views.conversation.damage import show_damaged_settings
from app.views.reply.pair import ScreenPairView, ShownMarks
from app.views.reply.panels import CountingView, RetryView, ToolProgressView

_DEFAULT_OPTIONS: Final = ViewOptions()

PATIENCE_SECONDS: Final = 0.06
"""Seconds that the first screen of a conversation without a filter waits for the composition.

After that, the first screen shows the newest pairs without the composition.
"""
STARTED_SECONDS: Final = 0.4
"""Delay of the composition after the start of a reply, because the first text of the reply is more urgent."""


@dataclass(eq=False)
class Watcher:
    """The watcher of one page.

    `options` are the first view options of the page, `draft` is the text in its composer. `parameters` apply to the
    next send only. `at` is the position of the pair that the page shows first; 0: the newest.

    A person may act before the watcher runs (`async with`): the first screen then has the new draft and options.
    `loaded` is set when it has read the first pairs, or when it ends without them.
    """

    ctx: AppContext
    owner: str
    conversation_id: str
    options: InitVar[ViewOptions] = _DEFAULT_OPTIONS
    draft: InitVar[str] = ""
    parameters: InitVar[Parameters] = NO_PARAMETERS
    at: int = 0
    screen: Screen = field(default_factory=Screen)
    loaded: asyncio.Event = field(default_factory=asyncio.Event)
    view: ComposedView = field(init=False)
    _pairs: WatchedPairs = field(init=False)
    _compared: ComparedReplies = field(init=False)
    _window: PageWindow = field(init=False)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _heard: int = 0  # number of events about the panels (queue, comparison, permissions)
    _deleted: set[str] = field(default_factory=set[str])
    _over: bool = False
    _runs: bool = False
    _tasks: asyncio.TaskGroup = field(default_factory=asyncio.TaskGroup)
    _open: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])
    _follower: asyncio.Task[None] | None = None

    def __post_init__(self, options: ViewOptions, draft: str, parameters: Parameters) -> None:
        self.view = ComposedView(self.ctx, self.owner, self.conversation_id, options, draft, parameters)
        self._pairs = WatchedPairs(self.ctx, self.owner)
        self._window = PageWindow(self._pairs, self.view, self._start, self._show, self.at)
        self._compared = ComparedReplies(self.ctx, self.owner, self._spawn, self._show)

    async def __aenter__(self) -> Self:
        feed = self.ctx.event_bus.subscribe(self.owner, self.conversation_id)
        await self._tasks.__aenter__()
        self._runs = True
        self._spawn(self._begin(feed)).add_done_callback(lambda _: self.release())
        return self

    async def __aexit__(self, *fault: object) -> None:
        for task in tuple(self._open):
            task.cancel()
        try:
            await self._tasks.__aexit__(None, None, None)
        except ExceptionGroup as faults:  # the first error made the other tasks end
            raise faults.exceptions[0] from faults

    async def next_screen(self) -> Screen | None:
        """Wait for a change and return the new screen; None: the conversation was deleted."""
        await self._changed.wait()
        self._changed.clear()
        if self._over:
            return None
        pairs = self._window.list_pairs(self.screen)
        if pairs != self.screen.pairs or self._pairs.running != self.screen.running:
            self.screen = replace(self.screen, pairs=pairs, running=self._pairs.running)
        comparison = self.screen.comparison
        standing = None if comparison is None else self._pairs.views.get(comparison.pair_id)
        compared = self._compared.show(self.screen.permissions, standing)
        if compared is not self.screen.compared:
            self.screen = replace(self.screen, compared=compared)
        return self.screen

    # --- actions of a person ---

    def set_options(self, options: ViewOptions) -> None:
        """Use these view options from now on."""
        self.view.set_options(options)

    async def try_options(self, options: ViewOptions) -> None:
        """Use these view options from now on, if they work. Return when the screen has them.

        If the watcher does not run yet, return at once: its first screen will have the options.

        Raises:
            NotFoundError: the conversation was deleted.
            FilterError: the filter cannot be used. The error has the place of the fault. The screen does not change.
            InputError: the model or the time zone cannot be used. The screen does not change.
            ConflictError: the conversation changes faster than it can be read.
        """
        async with self.view.busy:
            found = await self.view.try_options(options)
            if self._runs:
                await self._apply(found)

    def write(self, draft: str, parameters: Parameters = NO_PARAMETERS, edition: int = 0) -> None:
        """Set the text in the composer, and the parameters for the next send only.

        `edition` is the number by which the page identifies this text.
        """
        self.view.write(draft, parameters, edition)

    def attach(self, attached: tuple[Part, ...]) -> None:
        """Set the attachments of the text in the composer."""
        self.view.attach(attached)

    def compare(self, models: tuple[str, ...]) -> None:
        """Set the models that the text in the composer goes to; (): the model of the view options."""
        self.view.compare(models)

    @property
    def counted(self) -> ContextSnapshot | None:
        """The context snapshot from which the tokens and costs on the screen were computed; None until there is one."""
        return None if self.view.composed is None else self.view.composed.base

    @property
    def uncounted(self) -> tuple[str, ...]:
        """The ids of new pairs on the screen that are not part of its tokens and costs yet."""
        base = self.counted
        if base is None:
            return ()
        return tuple(pair.id for pair in self.screen.pairs if base.tokens_of(pair.id, pair.position) is None)

    def note_deleted(self, pair_id: str) -> None:
        """Note that the person at this page has deleted this pair."""
        self._deleted.add(pair_id)

    @property
    def deleted(self) -> frozenset[str]:
        """The ids of the pairs that were deleted on this page and are no longer shown on it."""
        return frozenset(self._deleted - {pair.id for pair in self.screen.pairs})

    @property
    def damaged(self) -> frozenset[str]:
        """The ids of the pairs that the page shows as damaged. No send includes them, even if they are counted."""
        return frozenset(pair.id for pair in self.screen.pairs if pair.out is OutReason.DAMAGED)

    def pair(self, pair_id: str) -> ScreenPairView | None:
        """Return a pair in the form that the page shows, or None if it is not on the page."""
        return self._pairs.views.get(pair_id)

    def amend(self, pair_id: str, **marks: Unpack[ShownMarks]) -> None:
        """Show these marks of a pair at once, before they are stored."""
        if self._pairs.amend(pair_id, marks):
            self._show()

    def look_at_compared(self, *, on: bool) -> None:
        """Start or stop following the replies of the open comparison, because the page shows or hides them."""
        self._compared.look(on=on)

    async def show_earlier(self) -> None:
        """Load older pairs into the window."""
        await self._window.show_earlier()

    async def show_later(self) -> None:
        """Load newer pairs into the window."""
        await self._window.show_later()

    async def show_newest(self) -> None:
        """Go to the newest pairs, and from then on show new pairs as they arrive."""
        await self._window.show_newest()

    def release(self) -> None:
        """Wake the handlers that wait for the first pairs: these have been read, or the watcher ends without them."""
        self.loaded.set()
        self._window.known.set()

    async def show_position(self, position: int) -> None:
        """Go to the pair at this position. If it is not in view, go to the next pair that is."""
        await self._window.show_position(position)

    # --- the first screen ---

    async def _begin(self, feed: Subscription) -> None:
        try:
            await self._show_first(feed)
        except DamagedRowError:
            try:
                await self._load()
            except DamagedRowError as error:  # the conversation cannot be opened, and the page says why
                self._show(refusal=show_refusal(error))
                return
            raise
        self._spawn(self.view.keep(self._apply))
        self._spawn(self._pairs.structured.keep_read(self._show))
        await self._read_beside()

    async def _show_first(self, feed: Subscription) -> None:
        async with self.view.busy:  # `try_options` may be running
            first = asyncio.create_task(self.view.compose())
            try:
                await asyncio.wait({first}, timeout=None if self.at else PATIENCE_SECONDS)
                if not first.done() and self._shows_newest(await self._load()):
                    await self._window.show_stored()
                    self.loaded.set()
                # Listen only after the composition has started: an event during the composition then marks it as
                # outdated.
                self._spawn(self._listen(feed))
                found = await first
                if found.composed is None and not self._pairs.views:
                    await self._load()  # raises an error if the conversation cannot be opened
                    await self._window.show_stored()
                await self._apply(found)
                self.loaded.set()
                if found.composed is not None:  # a person who opens a conversation will probably send something
                    warm(self.ctx, found.composed.base, found.options)
            finally:
                first.cancel()
                await asyncio.wait({first})

    def _shows_newest(self, conversation: Conversation) -> bool:
        """Return True if the newest pairs are in view before the composition shows it, because there is no filter."""
        chosen = self.view.options.filter
        return not (conversation.filter if chosen is None else chosen).strip()

    async def _load(self) -> Conversation:
        async with self.ctx.store.read() as session:
            return await load_conversation(session, self.owner, self.conversation_id)

    async def _read_beside(self) -> None:
        heard = self._heard
        read = await panels.read_all(self.ctx, self.owner, self.conversation_id)
        while heard != self._heard:  # an event arrived meanwhile, so the data may be outdated
            heard = self._heard
            read = await panels.read_all(self.ctx, self.owner, self.conversation_id)
        self._show(queue=read.queue, comparison=read.comparison, permissions=read.permissions, has_panels=True)
        self._compared.open(read.comparison)

    # --- the pairs in view ---

    async def _apply(self, found: ComposedResult) -> None:
        composed = found.composed
        refusal = self.view.take(found)
        if composed is None:
            damaged = show_damaged_settings((await self._load()).damage)
            self._show(context=None, refusal=refusal, damaged=damaged, edition=found.edition)
            return
        await self._window.put(composed, found.options)
        damaged = show_damaged_settings(composed.base.conversation.damage)
        if damaged != self.screen.damaged:
            self._show(damaged=damaged)
        compared = describe_compared_sends(self.ctx, self.owner, (composed, *found.others))
        context = describe_context(composed, found.options.topic, self.view.parameters, compared)
        if context == self.screen.context:
            context = self.screen.context  # keep the old object, so that nothing is copied
        self._show(context=context, refusal=refusal, edition=found.edition)

    # --- events of the conversation ---

    async def _listen(self, feed: Subscription) -> None:
        async for event in feed:
            if isinstance(event, QueueChanged | ComparisonChanged | PermissionsChanged):
                self._heard += 1
            await self._take(event)

    async def _take(self, event: FeedEvent) -> None:  # noqa: C901, PLR0912 - one case for each kind of event
        match event:
            case RunStarted():
                self._start(event.pair)
                self.view.change(STARTED_SECONDS)
            case PairsChanged():
                self._deleted.difference_update(event.pair_ids)  # these pairs may have been restored
                known = [pair_id for pair_id in event.pair_ids if pair_id in self._pairs.views]
                self._start(await self._pairs.read(known))
                self._show()
                self.view.change(SETTLE_SECONDS)
            case PairsRemoved():
                self._pairs.forget(event.pair_ids)
                self._show()
                self.view.change(SETTLE_SECONDS)
            case ConversationChanged():
                self._show(changes=self.screen.changes + 1)
                self.view.change(SETTLE_SECONDS)
            case QueueChanged():
                self._show(queue=await panels.read_queue(self.ctx, self.owner, self.conversation_id))
            case ComparisonChanged():
                comparison = await panels.read_comparison(self.ctx, self.owner, self.conversation_id)
                self._show(comparison=comparison)
                self._compared.open(comparison)
            case PermissionsChanged():
                self._show(permissions=await panels.read_permissions(self.ctx, self.owner, self.conversation_id))
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
        """Follow a reply that is running. Nothing is read here, because its first text may be a millisecond away."""
        if pair is None or pair.run_id is None or pair.lifecycle not in RUNNING:
            return
        if self._pairs.follows(pair.id, pair.run_id):
            return
        self._pairs.start(pair)
        self._follower = self._spawn(self._follow(pair.id, pair.run_id, self._follower))
        self._show(retry=None, progress=())

    async def _follow(self, pair_id: str, run_id: str, before: asyncio.Task[None] | None) -> None:
        if before is not None and not before.done():
            await asyncio.wait((before,))  # show the end of the earlier reply first
        with suppress(NotFoundError):  # the pair was deleted while its reply ran; another event reports that
            async for state, growth in follow_states(self.ctx, self.owner, run_id):
                self._pairs.grow(state, growth)
                self._show(retry=_retry_of(pair_id, state, self.screen.retry))
        if await self._pairs.end(pair_id, run_id):
            self._pairs.measure()
            others = {} if self._pairs.following else {"retry": None, "progress": ()}
            self._show(ended=pair_id, **others)

    # --- publishing ---

    def _show(self, **changes: object) -> None:
        if any(getattr(self.screen, name) is not value for name, value in changes.items()):
            self.screen = replace(self.screen, **changes)
        self._changed.set()

    def _end(self) -> None:
        self._over = True
        self._changed.set()

    def _spawn(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = self._tasks.create_task(self._until_gone(work))
        self._open.add(task)
        task.add_done_callback(self._open.discard)
        task.add_done_callback(lambda _: work.close())  # the task may have been canceled before it started
        return task

    async def _until_gone(self, work: Coroutine[None, None, None]) -> None:
        try:
            await work
        except NotFoundError:
            self._end()


def _retry_of(pair_id: str, state: RunState, shown: RetryView | None) -> RetryView | None:
    """Return the pending retry, if any.

    While the retry does not change, the same object is returned, because the page counts down from it.
    """
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
    report = ToolProgressView(
        event.tool_call_id, event.progress, event.total, event.message, event.conversation_id or ""
    )
    return (*others, report)
