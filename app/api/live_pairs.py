"""The pairs one browser at the live socket has: what it was told of each, and how news of one is told.

    pairs = LivePairs(wb, owner, send)
    await pairs.send_window(newest, older=True)      # a pair is told in full once …
    await pairs.tell_changed(("p1",))                # … after that only its head, if that is not what was told

Every method that reads pairs and tells of them does so in one step (`telling`), so that no older reading is told after
a newer one.

Not here: which pairs are in view (`live_view.py`), when to look again and the reply that streams (`live.py`).
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.api.live_frames import control, end_frame, join_sizes, read_fields, shows_as_streamed, window_frame
from app.domain.composition import Candidate
from app.domain.context import OutReason
from app.domain.conversation import Pair
from app.domain.lifecycle import RUNNING
from app.runs.bases import Base
from app.runs.composing import Composed
from app.runs.pricing import known_tariffs
from app.runs.showing import Showing, learn_prices, load_topic_paths
from app.runs.workbench import Workbench
from app.store.pairs import load_pairs_by_id
from app.views.encode import to_json
from app.views.pair import NO_FACTS, PairFacts, ScreenPairView, describe_pair_head, describe_pair_on_screen

Send = Callable[[str], Awaitable[None]]

HEADS = 200
"""Pairs read at once to tell their heads again."""


@dataclass(frozen=True, slots=True)
class _Told:
    """What a browser was told of a pair: which messages it has in full, the head as written without its size, the size.

    A pair that came over HTTP, with a page of older ones, has no `messages` here and an empty head.
    """

    position: int
    messages: tuple[str, str | None] | None
    head: bytes
    tokens: int | None


@dataclass(frozen=True, slots=True)
class Guest:
    """A pair that stays though the filter hides it: the newest, just sent. `hidden`: it does, now that it is over."""

    pair_id: str
    position: int
    hidden: bool = False


@dataclass(eq=False)
class LivePairs:
    """One browser's pairs.

    `told` are the pairs it has, from position `since` on, but for the one that streams to it, `following` (as it was
    when its reply began; `begun` is what was told of it then). `parted`: what it has is to be compared with what is in
    view, as pairs were taken away or another one is the guest now. `showing`: what a head says besides what is stored
    of its pair.
    """

    wb: Workbench
    owner: str
    send: Send
    told: dict[str, _Told] = field(default_factory=dict[str, _Told])
    since: int = 0
    guest: Guest | None = None
    parted: bool = False
    following: Pair | None = None
    begun: Mapping[str, object] = field(default_factory=dict[str, object])
    showing: Showing | None = None
    telling: asyncio.Lock = field(default_factory=asyncio.Lock)

    # --- what happens to pairs ---

    def knows(self, pair: Pair) -> bool:
        """Whether the browser has this running pair already, running or over."""
        told = self.told.get(pair.id)
        return self._follows(pair.id, pair.run_id) or (told is not None and told.messages == _messages_of(pair))

    def _follows(self, pair_id: str, run_id: str | None) -> bool:
        return self.following is not None and (self.following.id, self.following.run_id) == (pair_id, run_id)

    def _is_outdated(self, pair: Pair) -> bool:
        """Whether this was read of a pair before its reply began that streams by now."""
        following = self.following
        return following is not None and following.id == pair.id and following.run_id != pair.run_id and not _runs(pair)

    async def tell_started(self, pair: Pair) -> None:
        """A reply is on. Whatever the filter is, its pair is shown until the next one."""
        self.parted = self.guest is not None
        self.guest = Guest(pair.id, pair.position)
        self.told.pop(pair.id, None)
        self.following = pair  # before it is told: what was read of it until now is older
        await self.send(control("pairs", pairs=[self._show(pair)]))

    async def tell_changed(self, pair_ids: Collection[str]) -> Pair | None:
        """These pairs are not what they were; the one that runs and was not known, to be followed.

        Those the browser does not have come with `work_out`, if they are in view.
        """
        async with self.telling:
            known = [pair_id for pair_id in pair_ids if pair_id in self.told]
            for start in range(0, len(known), HEADS):
                pairs = await self.load(known[start : start + HEADS])
                if (started := await self.tell_pairs(pairs)) is not None:
                    return started
        return None

    async def tell_removed(self, pair_ids: Collection[str]) -> None:
        """These pairs are gone."""
        async with self.telling:
            for pair_id in pair_ids:
                self.told.pop(pair_id, None)
            if self.guest is not None and self.guest.pair_id in pair_ids:
                self.guest = None  # if it is brought back it is a pair like any other
            if self.following is not None and self.following.id in pair_ids:
                self.following = None
            self.parted = True  # they may be back before what is in view is worked out, which would then see no change
            await self.send(control("removed", ids=list(pair_ids)))

    async def tell_end(self, pair_id: str, run_id: str) -> None:
        """The reply that streamed is over, and stored."""
        async with self.telling:
            if not self._follows(pair_id, run_id):
                return  # it was taken away before its end was told: if it comes back, it comes whole
            self.following = None
            for pair in await self.load((pair_id,)):
                if pair.run_id == run_id:  # else the next run of this pair is on, and the feed tells
                    await self._learn_topics((pair,))
                    self._note(pair, _messages_of(pair))
                    facts = self._facts_of(pair)
                    hides_parts = pair.reply is not None and not shows_as_streamed(pair.reply.parts)
                    over = describe_pair_on_screen(pair, facts) if hides_parts else describe_pair_head(pair, facts)
                    await self.send(end_frame(pair.id, self.begun, read_fields(over)))

    # --- the caller tells: `telling` is held ---

    async def tell_pairs(self, pairs: Sequence[Pair]) -> Pair | None:
        """Tell these pairs, in full or their heads; the one that runs and was not known."""
        await self._learn_topics(pairs)
        started: Pair | None = None
        frames: list[object] = []
        for pair in pairs:
            told = self.told.get(pair.id)
            if self._follows(pair.id, pair.run_id) or self._is_outdated(pair):
                continue  # what is left of its text comes first, whatever was read of it before; its end tells the rest
            if _runs(pair):
                started = None if self.knows(pair) else pair  # the one reply that runs in the conversation
            elif told is None or told.messages != _messages_of(pair):
                self._note(pair, _messages_of(pair))
                frames.append(self._show(pair))
            elif (head := self._tell_head(pair)) is not None:
                frames.append(head)
        if frames:
            await self.send(control("pairs", pairs=frames))
        return started

    async def send_window(self, pairs: Sequence[Pair], *, older: bool, **fields: object) -> Pair | None:
        """Tell these as the newest pairs; the one that runs and was not known. `older`: there are others."""
        await self._learn_topics(pairs)
        pairs = self._with_streaming(pairs)
        frame, kept = window_frame([self._show(pair) for pair in pairs], older=older, **fields)
        self.told.clear()
        running: Pair | None = None
        for pair in pairs[len(pairs) - kept :]:
            if not _runs(pair):
                self._note(pair, _messages_of(pair))
            elif not self.knows(pair):
                running, self.guest = pair, Guest(pair.id, pair.position)
        self.since = pairs[-kept].position if kept < len(pairs) or older else 0
        await self.send(frame)
        return running

    def _with_streaming(self, pairs: Sequence[Pair]) -> Sequence[Pair]:
        """These pairs as they were read, but for the one that streams: it may have begun since, or be over already."""
        streaming = self.following
        if streaming is None or any(self._follows(pair.id, pair.run_id) and _runs(pair) for pair in pairs):
            return pairs
        others = [pair for pair in pairs if pair.id != streaming.id]
        return sorted((*others, streaming), key=lambda pair: pair.position)

    async def tell_heads(self, composed: Composed) -> None:
        """Tell the heads that are not what was told, as a summary stands for some, and then the sizes that are not."""
        before = self.showing
        self.show_as(composed)
        guest = self.guest
        stale = list(self.told) if before is None or _ways_of(before.base) != _ways_of(composed.base) else []
        if guest is not None and guest.hidden and guest.pair_id in self.told:
            stale.append(guest.pair_id)
        for start in range(0, len(stale), HEADS):
            pairs = await self.load(stale[start : start + HEADS])
            await self._learn_topics(pairs)
            heads = [self._tell_head(pair) for pair in pairs if not _runs(pair) and not self._is_outdated(pair)]
            if changed := [head for head in heads if head is not None]:
                await self.send(control("pairs", pairs=changed))
        await self._tell_sizes(composed.base.tokens)

    async def _tell_sizes(self, tokens: Mapping[str, int]) -> None:
        """Tell what pairs come to where that is not what was told: every report of a provider moves all of them."""
        moved: dict[int, int] = {}
        for pair_id, told in self.told.items():
            if (size := tokens.get(pair_id)) is not None and size != told.tokens:
                self.told[pair_id] = replace(told, tokens=size)
                moved[told.position] = size
        if moved:
            await self.send(control("tokens", tokens=join_sizes(moved)))

    def _tell_head(self, pair: Pair) -> object:
        """The pair's head to be sent, if it is not what was told."""
        told = self.told.get(pair.id)
        noted = self._note(pair, None if told is None else told.messages)
        return None if told is not None and told.head == noted.head else describe_pair_head(pair, self._facts_of(pair))

    # --- who has what ---

    def extend(self, position: int, base: Base, visible: Sequence[Candidate]) -> None:
        """The browser has read the pairs in view from this position on."""
        if position >= self.since:
            return
        first = bisect_left(visible, position, key=position_of)
        for pair in visible[first : bisect_left(visible, self.since, key=position_of)]:
            size = base.tokens.get(pair.pair_id)
            self.told.setdefault(pair.pair_id, _Told(pair.position, None, b"", size))
        self.since = position if first else 0

    def watch_guest(self, base: Base, visible: Sequence[Candidate]) -> None:
        """Whether the filter hides the newest pair, once that is over."""
        guest = self.guest
        if guest is None or guest.pair_id not in base.tokens:
            return  # what is in view was worked out before there was this pair
        place = bisect_left(visible, guest.position, key=position_of)
        seen = place < len(visible) and visible[place].pair_id == guest.pair_id
        self.guest = replace(guest, hidden=not seen and base.running != guest.pair_id)

    def unbound(self) -> set[str]:
        """The pairs that stay whatever is in view: the newest, just sent, and the one that streams."""
        guest = set[str]() if self.guest is None else {self.guest.pair_id}
        return guest if self.following is None else guest | {self.following.id}

    def dismiss_guest(self) -> None:
        """Another filter holds: what it hides is hidden, but for the reply that streams."""
        if self.guest is not None and (self.following is None or self.guest.pair_id != self.following.id):
            self.guest = None

    # --- how a pair looks ---

    def _show(self, pair: Pair) -> ScreenPairView:
        """A running pair without its reply: that comes from the run's log, from its beginning."""
        view = describe_pair_on_screen(pair, self._facts_of(pair))
        if not _runs(pair):
            return view
        view = replace(view, parts=())
        self.begun = read_fields(view)
        return view

    def _note(self, pair: Pair, messages: tuple[str, str | None] | None) -> _Told:
        """Remember that the browser is told of this pair as it is now."""
        facts = self._facts_of(pair)
        head = to_json(describe_pair_head(pair, replace(facts, tokens=None)))
        self.told[pair.id] = noted = _Told(pair.position, messages, head, facts.tokens)
        return noted

    def _facts_of(self, pair: Pair) -> PairFacts:
        facts = NO_FACTS if self.showing is None else self.showing.facts_of(pair)
        if self.guest is not None and self.guest.hidden and self.guest.pair_id == pair.id:
            return replace(facts, out=OutReason.FILTERED)
        return facts

    def show_as(self, composed: Composed) -> None:
        """From now on heads say what holds in this view."""
        tariffs = known_tariffs(self.wb, self.owner)
        if self.showing is None:
            self.showing = Showing(composed.base, tariffs=tariffs)
        else:
            self.showing = replace(self.showing, base=composed.base, tariffs=tariffs)

    async def _learn_topics(self, pairs: Sequence[Pair]) -> None:
        """Know the paths of these pairs' topics, as they are now, and what their models cost."""
        await learn_prices(self.wb, self.owner, pairs)
        if self.showing is not None and any(pair.topic is not None for pair in pairs):
            self.showing = replace(self.showing, paths=await load_topic_paths(self.wb, self.owner, pairs))

    async def load(self, pair_ids: Collection[str]) -> tuple[Pair, ...]:
        if not pair_ids:
            return ()
        async with self.wb.store.read() as session:
            return await load_pairs_by_id(session, self.owner, tuple(pair_ids))


def _ways_of(base: Base) -> tuple[object, ...]:
    """What all heads depend on."""
    return base.profile, base.conversation.checkpoint, base.beside.redact


def _runs(pair: Pair) -> bool:
    return pair.lifecycle in RUNNING


def _messages_of(pair: Pair) -> tuple[str, str | None]:
    return pair.request.id, None if pair.reply is None else pair.reply.id


def position_of(pair: Candidate) -> int:
    return pair.position
