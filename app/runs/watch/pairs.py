"""The pairs that one page has loaded, in the form that the page shows.

    shown = WatchedPairs(ctx, owner)
    shown.start(pair)                    # a reply starts: nothing is read, its first text may be a millisecond away
    shown.grow(state, growth)            # the reply has grown
    await shown.read(("p1", "p2"))       # these are new or have changed

`page_window.py` decides which pairs the page loads, `watcher.py` when to read them again.
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
from app.domain.run.growth import Growth
from app.domain.run.run import RunState
from app.runs.app_context import AppContext
from app.runs.request.preview import Composed
from app.runs.usage.prices import known_tariffs
from app.runs.watch.boundaries import mark_boundaries
from app.runs.watch.facts import Showing, learn_prices, load_topic_paths
from app.runs.watch.structured import StructuredReplies
from app.store.conversation.pair_bytes import load_pair_bytes
from app.store.conversation.pairs import load_standing
from app.views.conversation.pair import NO_FACTS, PairFacts
from app.views.reply.pair import ScreenPairView, ShownMarks, show_grown, show_pair
from app.views.reply.panels import PermissionItemView, ToolProgressView
from app.views.reply.tool_card import ToolCardView, waiting_in, watch_card
from app.views.usage.figures import join_words

BATCH = 200
"""Maximum number of pairs read in one statement."""


@dataclass(frozen=True, slots=True)
class Guest:
    """The newest pair. It is shown until the next pair starts, even if the filter hides it (`hidden`)."""

    pair_id: str
    position: int
    hidden: bool = False


@dataclass(eq=False)
class WatchedPairs:
    """The pairs on one page.

    - `following`: the pair whose reply streams, with its values at the start of the reply.
    - `views`: the views of the pairs by id.
    - `sizes`: the sizes of the pairs in bytes.
    - `guest`: the newest pair, if it is shown regardless of the filter.
    - `running`: the id of the pair whose reply is running, "" for none; `in_order` updates it.
    - `_own_out`: the reasons why pairs are OUT, except the boundary.
    - `_order`: the ids of the pairs, oldest first.
    """

    ctx: AppContext
    owner: str
    views: dict[str, ScreenPairView] = field(default_factory=dict[str, ScreenPairView])
    guest: Guest | None = None
    following: Pair | None = None
    reading: asyncio.Lock = field(default_factory=asyncio.Lock)
    structured: StructuredReplies = field(init=False)
    sizes: dict[str, int] = field(default_factory=dict[str, int])
    running: str = ""
    _composed: Composed | None = None
    # the composition for each model that gets the draft, by the name of the model; empty if there is only one model
    _compared: dict[str, Composed] = field(default_factory=dict[str, Composed])
    _showing: Showing | None = None
    _own_out: dict[str, OutReason | None] = field(default_factory=dict[str, OutReason | None])
    _order: tuple[str, ...] = ()
    _moved: bool = False  # the order of the pairs and the lines above them may be outdated
    # the pairs whose marks were changed on this page after the current read started
    _amended: set[str] = field(default_factory=set[str])

    def __post_init__(self) -> None:
        self.structured = StructuredReplies(self.ctx, self.owner, self.views)

    def in_order(self) -> tuple[ScreenPairView, ...]:
        """Return the pairs, oldest first."""
        if not self._moved:
            return tuple(map(self.views.__getitem__, self._order))
        self._moved = False
        self.running = next((pair.id for pair in self.views.values() if is_running(pair)), "")
        names = self.ctx.catalogue.names_of(self.owner, {pair.model for pair in self.views.values()})
        in_order = sorted(self.views.values(), key=attrgetter("position"))
        pairs = [_with_name(pair, names[pair.model]) for pair in in_order]
        found = mark_boundaries(pairs, self._find_boundary())
        self.views.update((pair.id, pair) for pair in found)
        self._order = tuple(pair.id for pair in found)
        return found

    # --- the reply that streams ---

    def start(self, pair: Pair) -> None:
        """Show a pair whose reply starts. It is shown until the next pair starts, regardless of the filter."""
        self.guest = Guest(pair.id, pair.position)
        self.following = pair
        self._put(pair)

    def grow(self, state: RunState, growth: Growth) -> None:
        """Show the current text of the reply that streams.

        `growth` is the difference from the state that was shown before.
        """
        pair = self.following
        if pair is None or pair.run_id != state.start.run_id or (view := self.views.get(pair.id)) is None:
            return
        if not growth.unchanged == len(state.parts) == len(view.parts):
            self.views[pair.id] = replace(view, parts=show_grown(view.parts, state.parts, growth.unchanged))

    def follows(self, pair_id: str, run_id: str | None) -> bool:
        """Return True if this reply of a pair is the one that streams on the page."""
        return self.following is not None and (self.following.id, self.following.run_id) == (pair_id, run_id)

    async def end(self, pair_id: str, run_id: str) -> bool:
        """Show a reply that has ended and is stored.

        Returns False if the pair was answered again meanwhile, or was deleted.
        """
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

    # --- reading ---

    async def read(self, pair_ids: Collection[str]) -> Pair | None:
        """Read these pairs again and show them. Return the pair whose reply has started, if it is not followed yet."""
        async with self.reading:
            return self.put_all(await self.load(pair_ids))

    async def load(self, pair_ids: Collection[str]) -> tuple[Pair, ...]:
        """Read these pairs, and the data that is needed to show them. Return the pairs.

        The caller holds the lock `reading` until it has called `put_all`.
        """
        self._amended.clear()
        pairs = await self._load(pair_ids)
        await self._learn(pairs)
        return pairs

    async def weigh(self, pair_ids: frozenset[str]) -> None:
        """Add the sizes of these pairs in bytes to `sizes`, including pairs that are not read yet."""
        if unknown := pair_ids - self.sizes.keys():
            async with self.ctx.store.read() as session:
                self.sizes |= await load_pair_bytes(session, self.owner, unknown)

    def amend(self, pair_id: str, marks: ShownMarks) -> bool:
        """Show these marks of a pair, even if a read that has already started returns older marks.

        Return False if the pair is not on the page.
        """
        if (view := self.views.get(pair_id)) is None:
            return False
        self.views[pair_id] = replace(view, **marks)
        self._amended.add(pair_id)
        return True

    def put_all(self, pairs: Sequence[Pair]) -> Pair | None:
        """Show these pairs, unless newer values are shown.

        Return the pair whose reply has started, if it is not followed yet.
        """
        started: Pair | None = None
        for pair in pairs:
            if self._is_outdated(pair) or self.follows(pair.id, pair.run_id) or pair.id in self._amended:
                continue  # the view is newer than this pair
            if pair.lifecycle in RUNNING:
                started = pair
            else:
                self._put(pair)
        return started

    def remove(self, pair_ids: Collection[str]) -> None:
        """Remove pairs that were deleted, or that are outside the window of the page."""
        self._moved = self._moved or bool(pair_ids)
        for pair_id in pair_ids:
            self.views.pop(pair_id, None)
            self._own_out.pop(pair_id, None)
            self.sizes.pop(pair_id, None)
        self.structured.forget(pair_ids)

    def forget(self, pair_ids: Collection[str]) -> None:
        """Remove deleted pairs from the page.

        If the newest pair is deleted, it is no longer shown regardless of the filter, even if it is restored later.
        """
        self.remove(pair_ids)
        if self.guest is not None and self.guest.pair_id in pair_ids:
            self.guest = None
        if self.following is not None and self.following.id in pair_ids:
            self.following = None

    # --- appearance ---

    def look(self, composed: Composed, others: Sequence[Composed] = ()) -> bool:
        """Use this composition from now on. Return True if all pairs must be read again to show them correctly.

        `others` are the compositions for the other models that get the draft.
        """
        bare = self._showing is None and bool(self.views)  # so far the page shows only the texts of the pairs
        before, self._composed, self._moved = self._composed, composed, True
        several = (composed, *others) if others else ()
        names = self.ctx.catalogue.names_of(self.owner, (one.base.profile.model for one in several))
        self._compared = {names[one.base.profile.model]: one for one in several}
        profiles = tuple(replace(one.base.profile, name=name) for name, one in self._compared.items())
        tariffs = known_tariffs(self.ctx, self.owner)
        shown = self._showing
        if shown is None:
            self._showing = Showing(composed.base, tariffs=tariffs, profiles=profiles)
        else:
            self._showing = replace(shown, base=composed.base, tariffs=tariffs, profiles=profiles)
        is_same = before is None or _ways_of(before) == _ways_of(composed)
        return bare or not is_same or (shown is not None and shown.profiles != profiles)

    def measure(self) -> None:
        """Update the tokens of each pair, and whether it is sent, from the current composition."""
        composed = self._composed
        if composed is None:
            return
        for pair_id, view in self.views.items():
            if view.lifecycle in RUNNING:
                continue
            out = self._own_out.get(pair_id) or self._boundary_out(pair_id, view.position)
            out_for = "" if out else self._describe_out_for(view.position)
            tokens = composed.base.tokens_of(pair_id, view.position)
            if (out, out_for, tokens) != (view.out, view.out_for, view.tokens):
                self.views[pair_id] = replace(view, out=out, out_for=out_for, tokens=tokens)

    def watch_guest(self, visible: Sequence[Candidate]) -> None:
        """Update whether the filter hides the newest pair. A pair whose reply is running counts as not hidden."""
        guest, composed = self.guest, self._composed
        if guest is None or composed is None or composed.base.tokens_of(guest.pair_id, guest.position) is None:
            return  # the composition does not include this pair yet
        at = bisect_left(visible, guest.position, key=attrgetter("position"))
        found = at < len(visible) and visible[at].pair_id == guest.pair_id
        hidden = not found and composed.base.running != guest.pair_id
        self.guest = replace(guest, hidden=hidden)

    def dismiss_guest(self) -> None:
        """Apply a new filter to the newest pair too, so that the page may hide it. A streaming pair stays."""
        if self.guest is not None and (self.following is None or self.guest.pair_id != self.following.id):
            self.guest = None

    @property
    def unbound(self) -> frozenset[str]:
        """The ids of the pairs that are shown regardless of the filter: the newest pair, and the streaming pair."""
        ids = {self.guest.pair_id} if self.guest else set[str]()
        return frozenset(ids | {self.following.id} if self.following else ids)

    # --- one pair ---

    def _put(self, pair: Pair) -> None:
        self._moved = True
        facts = self._facts_of(pair)
        view = show_pair(pair, facts, self.ctx.catalogue.name_of(self.owner, pair.model))
        self._own_out[pair.id] = view.out
        self.sizes[pair.id] = measure_pair(pair)
        if pair.lifecycle in RUNNING:
            view = replace(view, parts=())  # the run provides all parts of its reply
        else:
            out = view.out or self._boundary_out(pair.id, pair.position)
            view = replace(view, out=out, out_for="" if out else self._describe_out_for(pair.position))
        self.views[pair.id] = self.structured.put(view)

    def _facts_of(self, pair: Pair) -> PairFacts:
        return NO_FACTS if self._showing is None else self._showing.facts_of(pair)

    def _boundary_out(self, pair_id: str, position: int) -> OutReason | None:
        if self.guest is not None and self.guest.hidden and self.guest.pair_id == pair_id:
            return OutReason.FILTERED
        boundary = self._find_boundary()
        if self._composed is None or boundary is None or position >= boundary:
            return None
        return self._composed.composition.boundary_reason

    def _find_boundary(self) -> int | None:
        """Return the position of the oldest pair that is sent; None if no pair is left out.

        With several models, this is the oldest pair that any of them gets.
        """
        several = tuple(self._compared.values()) or (() if self._composed is None else (self._composed,))
        boundaries = [one.composition.boundary for one in several]
        known = [boundary for boundary in boundaries if boundary is not None]
        return min(known) if known and len(known) == len(boundaries) else None

    def _describe_out_for(self, position: int) -> str:
        """Name the models that do not get a pair at this position; "" if all models that get the draft get the pair."""
        boundaries = ((name, one.composition.boundary) for name, one in self._compared.items())
        names = [name for name, boundary in boundaries if boundary is not None and position < boundary]
        return join_words(names) if names else ""

    def _is_outdated(self, pair: Pair) -> bool:
        """Return True if this pair was read earlier than the start of the reply that streams in it."""
        following = self.following
        if following is None or following.id != pair.id or following.run_id == pair.run_id:
            return False
        return pair.lifecycle not in RUNNING or pair.updated_at < following.updated_at

    async def _load(self, pair_ids: Collection[str]) -> tuple[Pair, ...]:
        ids, found = tuple(pair_ids), list[Pair]()
        for start in range(0, len(ids), BATCH):
            async with self.ctx.store.read() as session:
                some = await load_standing(session, self.owner, ids[start : start + BATCH])
            found += [pair for _, pair in some.values()]
            boundary = self._find_boundary() or 0  # older pairs will not be sent
            self.ctx.sent_pairs.note({name: one for name, one in some.items() if one[1].position >= boundary})
        await self.ctx.indexer.note_damage(self.owner, found)
        return tuple(found)

    async def _learn(self, pairs: Sequence[Pair]) -> None:
        """Read the topic paths of these pairs and the prices of their models."""
        await learn_prices(self.ctx, self.owner, pairs)
        if self._showing is not None and any(pair.topic is not None for pair in pairs):
            self._showing = replace(self._showing, paths=await load_topic_paths(self.ctx, self.owner, pairs))


def _with_name(view: ScreenPairView, model_name: str) -> ScreenPairView:
    """Return the view with this name of its model, which differs from the names of the other models on the page."""
    return view if view.model_name == model_name else replace(view, model_name=model_name)


def _ways_of(composed: Composed) -> tuple[object, ...]:
    """Return the values that the views of all pairs depend on, in addition to their sizes and the boundary."""
    base = composed.base
    return base.profile, base.conversation.checkpoint, base.extras.redact


def watch_calls(
    view: ScreenPairView, permissions: Sequence[PermissionItemView], progress: Sequence[ToolProgressView]
) -> ScreenPairView:
    """Return a running pair (`view`) with the progress of its tool calls, and the calls that wait for permission."""
    waiting, reports = waiting_in(view.id, permissions), {one.tool_call_id: one for one in progress}
    if not waiting and not reports:
        return view
    parts = tuple(watch_card(part, waiting, reports) if isinstance(part, ToolCardView) else part for part in view.parts)
    return replace(view, parts=parts)


def is_running(view: ScreenPairView) -> bool:
    """Return True if the pair's reply is running."""
    return view.lifecycle in RUNNING


def ids_of(pairs: Sequence[Candidate]) -> frozenset[str]:
    """Return the ids of these pairs."""
    return frozenset(pair.pair_id for pair in pairs)
