"""The pairs of one watcher's window, as the page draws them: read from the store, kept current, ordered.

    shown = WatchedPairs(wb, owner)
    shown.start(pair)                    # a reply begins: nothing is read, its first text may be a millisecond away
    shown.grow(state)                    # … it grows
    await shown.read(("p1", "p2"))       # these are new, or not what they were

Not here: which pairs belong to the window (`window.py`), and when to read again (`watcher.py`).
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter

from app.domain.context.composition import Candidate
from app.domain.context.context import OutReason
from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import RUNNING
from app.domain.conversation.page_bytes import measure_pair
from app.domain.conversation.parts import Part, ToolCall
from app.domain.run.run import RunState
from app.runs.request.preview import Composed
from app.runs.usage.prices import known_tariffs
from app.runs.watch.boundaries import mark_boundaries
from app.runs.watch.facts import Showing, learn_prices, load_topic_paths
from app.runs.watch.structured import StructuredReplies
from app.runs.workbench import Workbench
from app.store.conversation.pair_bytes import load_pair_bytes
from app.store.conversation.pairs import load_pairs_by_id
from app.views.conversation.pair import NO_FACTS, PairFacts
from app.views.screen.pair import ScreenPairView, ScreenPart, ShownMarks, show_pair, show_parts
from app.views.screen.panels import PermissionItemView, ToolProgressView
from app.views.screen.tool_card import ToolCardView, asked_in, watch_card

BATCH = 200
"""Pairs read in one statement."""


@dataclass(frozen=True, slots=True)
class Guest:
    """The newest pair, which stays until the next one although the filter hides it. `hidden`: it does."""

    pair_id: str
    position: int
    hidden: bool = False


@dataclass(eq=False)
class WatchedPairs:
    """The pairs on one page.

    `following` is the pair whose reply streams, as it was when that began. `views` are the pairs by id, `sizes` what
    they have in bytes; `_own_out` says why a pair is out whatever the boundary.
    """

    wb: Workbench
    owner: str
    views: dict[str, ScreenPairView] = field(default_factory=dict[str, ScreenPairView])
    guest: Guest | None = None
    following: Pair | None = None
    reading: asyncio.Lock = field(default_factory=asyncio.Lock)
    structured: StructuredReplies = field(init=False)
    sizes: dict[str, int] = field(default_factory=dict[str, int])
    _composed: Composed | None = None
    _showing: Showing | None = None
    _own_out: dict[str, OutReason | None] = field(default_factory=dict[str, OutReason | None])
    _parts: tuple[Part, ...] = ()
    _moved: bool = False  # the rules before the pairs may be out of date
    _amended: set[str] = field(default_factory=set[str])  # since what is being read was asked for

    def __post_init__(self) -> None:
        self.structured = StructuredReplies(self.wb, self.owner, self.views)

    def in_order(self) -> tuple[ScreenPairView, ...]:
        """The pairs, oldest first."""
        pairs = tuple(sorted(self.views.values(), key=lambda pair: pair.position))
        if not self._moved:
            return pairs
        self._moved = False
        found = mark_boundaries(pairs, None if self._composed is None else self._composed.composition.boundary)
        self.views.update((pair.id, pair) for pair in found)
        return found

    # --- the reply that streams ---

    def start(self, pair: Pair) -> None:
        """A reply begins. Its pair stays in view until the next one, whatever the filter is."""
        self.guest = Guest(pair.id, pair.position)
        self.following = pair
        self._parts = ()
        self._put(pair)

    def grow(self, state: RunState) -> None:
        """The reply has come this far. Parts that are as they were stay the same values."""
        pair = self.following
        if pair is None or pair.run_id != state.start.run_id or (view := self.views.get(pair.id)) is None:
            return
        parts = describe_grown(self._parts, view.parts, state.parts)
        self._parts = state.parts
        if parts != view.parts:
            self.views[pair.id] = replace(view, parts=parts)

    def follows(self, pair_id: str, run_id: str | None) -> bool:
        """Whether this is the reply that streams."""
        return self.following is not None and (self.following.id, self.following.run_id) == (pair_id, run_id)

    async def end(self, pair_id: str, run_id: str) -> bool:
        """A reply is over, and stored. False: the pair is answered again by now, or gone."""
        async with self.reading:
            if self.follows(pair_id, run_id):
                self.following = None
            elif pair_id not in self.views or (self.following is not None and self.following.id == pair_id):
                return False
            pairs = [pair for pair in await self._load((pair_id,)) if pair.run_id == run_id]
            await self._learn(pairs)
            for pair in pairs:
                self._put(pair)
            return bool(pairs)

    # --- what is read ---

    async def read(self, pair_ids: Collection[str]) -> Pair | None:
        """Read these pairs again. Returns the one whose reply has begun and is not followed yet, if any."""
        async with self.reading:
            return self.put_all(await self.load(pair_ids))

    async def load(self, pair_ids: Collection[str]) -> tuple[Pair, ...]:
        """These pairs, and what is needed to show them. `reading` is held until they are put."""
        self._amended.clear()
        pairs = await self._load(pair_ids)
        await self._learn(pairs)
        return pairs

    async def weigh(self, pair_ids: frozenset[str]) -> None:
        """Know in `sizes` how many bytes these pairs have, also those that are not read yet."""
        if unknown := pair_ids - self.sizes.keys():
            async with self.wb.store.read() as session:
                self.sizes |= await load_pair_bytes(session, self.owner, unknown)

    def amend(self, pair_id: str, marks: ShownMarks) -> bool:
        """Show these marks of a pair, whatever an older reading says of them. False: it is not here."""
        if (view := self.views.get(pair_id)) is None:
            return False
        self.views[pair_id] = replace(view, **marks)
        self._amended.add(pair_id)
        return True

    def put_all(self, pairs: Sequence[Pair]) -> Pair | None:
        """Show these pairs. Returns the one whose reply has begun and is not followed yet, if any."""
        started: Pair | None = None
        for pair in pairs:
            if self._is_outdated(pair) or self.follows(pair.id, pair.run_id) or pair.id in self._amended:
                continue  # what is shown is newer than what was read
            if pair.lifecycle in RUNNING:
                started = pair
            else:
                self._put(pair)
        return started

    def remove(self, pair_ids: Collection[str]) -> None:
        """These pairs are gone, or out of the window."""
        self._moved = self._moved or bool(pair_ids)
        for pair_id in pair_ids:
            self.views.pop(pair_id, None)
            self._own_out.pop(pair_id, None)
            self.sizes.pop(pair_id, None)
        self.structured.forget(pair_ids)

    def forget(self, pair_ids: Collection[str]) -> None:
        """These pairs were deleted. If one is brought back it is a pair like any other."""
        self.remove(pair_ids)
        if self.guest is not None and self.guest.pair_id in pair_ids:
            self.guest = None
        if self.following is not None and self.following.id in pair_ids:
            self.following = None

    # --- how they look ---

    def look(self, composed: Composed) -> bool:
        """From now on the pairs are shown as of this composition. True: all of them have to be read again for that."""
        bare = self._showing is None and bool(self.views)  # shown before anything but their texts was known
        before, self._composed, self._moved = self._composed, composed, True
        tariffs = known_tariffs(self.wb, self.owner)
        if self._showing is None:
            self._showing = Showing(composed.base, tariffs=tariffs)
        else:
            self._showing = replace(self._showing, base=composed.base, tariffs=tariffs)
        return bare or (before is not None and _ways_of(before) != _ways_of(composed))

    def measure(self) -> None:
        """Show for each pair what it comes to and whether it is sent, by the composition that holds."""
        composed = self._composed
        if composed is None:
            return
        for pair_id, view in self.views.items():
            if view.lifecycle in RUNNING:
                continue
            out = self._own_out.get(pair_id) or self._boundary_out(pair_id, view.position)
            tokens = composed.base.tokens_of(pair_id, view.position)
            if (out, tokens) != (view.out, view.tokens):
                self.views[pair_id] = replace(view, out=out, tokens=tokens)

    def watch_guest(self, visible: Sequence[Candidate]) -> None:
        """Whether the filter hides the newest pair, once its reply is over."""
        guest, composed = self.guest, self._composed
        if guest is None or composed is None or composed.base.tokens_of(guest.pair_id, guest.position) is None:
            return  # composed before there was this pair
        at = bisect_left(visible, guest.position, key=attrgetter("position"))
        found = at < len(visible) and visible[at].pair_id == guest.pair_id
        hidden = not found and composed.base.running != guest.pair_id
        self.guest = replace(guest, hidden=hidden)

    def dismiss_guest(self) -> None:
        """Another filter holds: what it hides is hidden, but for the reply that streams."""
        if self.guest is not None and (self.following is None or self.guest.pair_id != self.following.id):
            self.guest = None

    @property
    def unbound(self) -> frozenset[str]:
        """The pairs that stay whatever is in view: the newest, just sent, and the one whose reply streams."""
        ids = {self.guest.pair_id} if self.guest else set[str]()
        return frozenset(ids | {self.following.id} if self.following else ids)

    # --- one pair ---

    def _put(self, pair: Pair) -> None:
        self._moved = True
        facts = self._facts_of(pair)
        view = show_pair(pair, facts)
        self._own_out[pair.id] = view.out
        self.sizes[pair.id] = measure_pair(pair)
        if pair.lifecycle in RUNNING:
            view = replace(view, parts=())  # its reply comes from the run, from the beginning
        else:
            view = replace(view, out=view.out or self._boundary_out(pair.id, pair.position))
        self.views[pair.id] = self.structured.put(view)

    def _facts_of(self, pair: Pair) -> PairFacts:
        return NO_FACTS if self._showing is None else self._showing.facts_of(pair)

    def _boundary_out(self, pair_id: str, position: int) -> OutReason | None:
        if self.guest is not None and self.guest.hidden and self.guest.pair_id == pair_id:
            return OutReason.FILTERED
        composition = None if self._composed is None else self._composed.composition
        if composition is None or composition.boundary is None or position >= composition.boundary:
            return None
        return composition.boundary_reason

    def _is_outdated(self, pair: Pair) -> bool:
        """Whether this was read before the reply that streams began in this pair."""
        following = self.following
        if following is None or following.id != pair.id or following.run_id == pair.run_id:
            return False
        return pair.lifecycle not in RUNNING or pair.updated_at < following.updated_at

    async def _load(self, pair_ids: Collection[str]) -> tuple[Pair, ...]:
        ids, found = tuple(pair_ids), list[Pair]()
        for start in range(0, len(ids), BATCH):
            async with self.wb.store.read() as session:
                found += await load_pairs_by_id(session, self.owner, ids[start : start + BATCH])
        await self.wb.indexer.note_damage(self.owner, found)
        return tuple(found)

    async def _learn(self, pairs: Sequence[Pair]) -> None:
        """Know the paths of these pairs' topics, and what their models cost."""
        await learn_prices(self.wb, self.owner, pairs)
        if self._showing is not None and any(pair.topic is not None for pair in pairs):
            self._showing = replace(self._showing, paths=await load_topic_paths(self.wb, self.owner, pairs))


def _ways_of(composed: Composed) -> tuple[object, ...]:
    """What the look of all pairs depends on, besides their sizes and the boundary."""
    base = composed.base
    return base.profile, base.conversation.checkpoint, base.beside.redact


def describe_grown(
    before: tuple[Part, ...], shown: tuple[ScreenPart, ...], parts: tuple[Part, ...]
) -> tuple[ScreenPart, ...]:
    """The parts as drawn. One that has not changed keeps its value, so that comparing it later costs nothing.

    A call looks different once a result follows it, although it is the same part.
    """
    views = list(show_parts(parts, running=True))
    for at, (was, is_now) in enumerate(zip(before, parts, strict=False)):
        kept = shown[at] if at < len(shown) else None
        if kept is not None and (kept == views[at] if isinstance(is_now, ToolCall) else was is is_now):
            views[at] = kept
    return tuple(views)


def watch_calls(
    view: ScreenPairView, permissions: Sequence[PermissionItemView], progress: Sequence[ToolProgressView]
) -> ScreenPairView:
    """A pair whose reply runs, with what is known of its calls beside it."""
    asked, told = asked_in(view.id, permissions), {one.tool_call_id: one for one in progress}
    if not asked and not told:
        return view
    parts = tuple(watch_card(part, asked, told) if isinstance(part, ToolCardView) else part for part in view.parts)
    return replace(view, parts=parts)


def is_running(view: ScreenPairView) -> bool:
    """Whether the pair's reply is on."""
    return view.lifecycle in RUNNING


def ids_of(pairs: Sequence[Candidate]) -> frozenset[str]:
    """The ids of these pairs."""
    return frozenset(pair.pair_id for pair in pairs)
