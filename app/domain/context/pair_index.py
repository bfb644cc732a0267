"""The index of a conversation: for each pair, the data that decides whether it is sent, in about fifty bytes.

    index = PairIndex().follow(changed)          # the current pairs of a conversation
    index = index.follow(changed, deleted)       # later: makes only the changed blocks again
    everything = FullIndex(index, estimator)         # all pairs, measured for a model on demand

An index is immutable. A later index shares the unchanged blocks, so an update after a send costs the same for a
thousand pairs as for a million. `FullIndex` adds up tokens from the newest pair on, only as far as a caller needs them,
so it does not read the older pairs that are not sent.

Not here: loading the index (`runs/request/sizes.py`) and the decisions (`composition.py`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

from app.domain.context.composition import Candidate, MeasuredPairs, measure
from app.domain.context.context import OutReason
from app.domain.context.pair_blocks import BLOCK, RUNNING, SENDABLE, Block, make_block
from app.domain.context.pair_list import PairList
from app.domain.tokens.estimates import Estimator


@dataclass(frozen=True, slots=True)
class PairIndex:
    """The pairs of a conversation, oldest first, in blocks.

    `firsts` has the position of the first pair of each block. `count` is the number of pairs.
    """

    blocks: tuple[Block, ...] = ()
    firsts: tuple[int, ...] = ()
    count: int = 0

    def __len__(self) -> int:
        return self.count

    def follow(self, changed: Iterable[Candidate], deleted: Collection[int] = ()) -> PairIndex:
        """Return an index with the `changed` pairs added or replaced, and those at the `deleted` positions removed."""
        news: dict[int, dict[int, Candidate | None]] = {}
        for position in deleted:
            news.setdefault(self._block_of(position), {})[position] = None
        for pair in changed:
            news.setdefault(self._block_of(pair.position), {})[pair.position] = pair
        if not news:
            return self
        blocks: list[Block] = []
        start = 0
        for at in sorted(news):
            blocks += self.blocks[start:at]
            blocks += _remake(self.blocks[at : at + 1], news[at])
            start = at + 1
        blocks += self.blocks[start:]
        return PairIndex(tuple(blocks), tuple(block.positions[0] for block in blocks), sum(map(len, blocks)))

    def find(self, position: int) -> Candidate | None:
        """Return the pair at this position, or None if there is none."""
        return next(iter(self.pick((position,))), None)

    def pick(self, positions: Iterable[int]) -> list[Candidate]:
        """Return the pairs at these positions, oldest first. Positions without a pair are skipped."""
        found: list[Candidate] = []
        for position in sorted(positions):
            if self.blocks:
                block = self.blocks[self._block_of(position)]
                place = bisect_left(block.positions, position)
                if place < len(block) and block.positions[place] == position:
                    found.append(block.pairs[place])
        return found

    def newest(self, count: int = 1) -> int | None:
        """Return the position of the `count`-th newest pair; None if there are fewer pairs."""
        for block in reversed(self.blocks):
            if count <= len(block):
                return block.positions[-count]
            count -= len(block)
        return None

    def count_sendable(self, since: int = 0, until: int | None = None) -> int:
        """Count the sendable pairs at positions from `since` (included) to `until` (excluded)."""
        return self._count(SENDABLE, since, until)

    def count_running(self, until: int | None = None) -> int:
        """Count the pairs with a running reply at positions lower than `until`; None: in the whole conversation."""
        return self._count(RUNNING, 0, until)

    @property
    def newest_sendable(self) -> int | None:
        """The position of the newest sendable pair, or None if no pair is sendable."""
        for block in reversed(self.blocks):
            if (place := block.kinds.rfind(SENDABLE)) >= 0:
                return block.positions[place]
        return None

    @property
    def running(self) -> str | None:
        """The id of the newest pair whose reply is running, or None if no reply is running."""
        for block in reversed(self.blocks):
            if (place := block.kinds.rfind(RUNNING)) >= 0:
                return block.pairs[place].pair_id
        return None

    def _count(self, kind: int, since: int, until: int | None) -> int:
        first = self._block_of(since)
        end = len(self.blocks) if until is None else bisect_left(self.firsts, until)
        if end <= first:
            return 0
        whole = sum(block.kinds.count(kind) for block in self.blocks[first + 1 : max(first + 1, end - 1)])
        return whole + sum(self.blocks[at].count(kind, since, until) for at in {first, end - 1})

    def _block_of(self, position: int) -> int:
        """Return the number of the block that this position belongs to, even if no pair has this position."""
        return max(0, bisect_right(self.firsts, position) - 1)


def _remake(blocks: tuple[Block, ...], news: Mapping[int, Candidate | None]) -> Iterator[Block]:
    there: dict[int, Candidate | None] = {pair.position: pair for block in blocks for pair in block.pairs}
    there |= news
    pairs = [pair for _, pair in sorted(there.items()) if pair is not None]
    for start in range(0, len(pairs), BLOCK):
        yield make_block(pairs[start : start + BLOCK])


def measure_at(index: PairIndex, positions: Iterable[int], estimator: Estimator, checkpoint: int = 0) -> MeasuredPairs:
    """Return the pairs at these positions with their tokens for a model.

    Pairs with a position lower than `checkpoint` are OUT (not sent).
    """
    return measure([_before_checkpoint(pair, checkpoint) for pair in index.pick(positions)], estimator)


@dataclass(eq=False)
class FullIndex:
    """The pairs of an index with their tokens for a model. `before`: only pairs with a lower position; None: all pairs.

    Pairs with a position lower than `checkpoint` are OUT (not sent). Tokens are added up from the newest pair
    backwards, only as far as needed.
    """

    index: PairIndex
    estimator: Estimator
    checkpoint: int = 0
    before: int | None = None
    _at: list[int] = field(default_factory=list[int], repr=False)  # positions of sendable pairs, newest first
    _totals: list[int] = field(default_factory=list[int], repr=False)
    _images: list[int] = field(default_factory=list[int], repr=False)
    _added: int = field(default=0, repr=False)  # number of blocks that were added up, from the newest on

    @property
    def pairs(self) -> Sequence[Candidate]:
        """The pairs, as a sequence that is read on demand."""
        return self._pairs

    @cached_property
    def _pairs(self) -> Sequence[Candidate]:
        return PairList(self.index.blocks, len(self), self.checkpoint)

    @property
    def tokens(self) -> Sequence[int]:
        return self._all_tokens

    @cached_property
    def _all_tokens(self) -> Sequence[int]:
        counted = chain.from_iterable(block.tokens(self.estimator) for block in self.index.blocks)
        return tuple(counted)[: len(self)]

    def __len__(self) -> int:
        if self.before is None:
            return len(self.index)
        return sum(end for block in self.index.blocks for _, end in (block.cut(0, self.before),))

    @property
    def running(self) -> int:
        return self.index.count_running(self.before)

    @property
    def sendable(self) -> int:
        return self.index.count_sendable(self.checkpoint, self.before)

    @property
    def newest(self) -> int | None:
        self._add_up(lambda: bool(self._at))
        return self._at[0] if self._at else None

    def fit(self, available: int) -> int | None:
        self._add_up(lambda: bool(self._totals) and self._totals[-1] > available)
        kept = bisect_right(self._totals, available)
        if kept == len(self._totals):
            return None
        return self._at[kept - 1] if kept else self._at[0] + 1

    def count_from(self, boundary: int | None) -> int:
        return self.index.count_sendable(max(self.checkpoint, boundary or 0), self.before)

    def sum_newest(self, count: int) -> tuple[int, int]:
        self._add_up(lambda: len(self._totals) >= count)
        return (self._totals[count - 1], self._images[count - 1]) if count else (0, 0)

    def list_from(self, boundary: int | None) -> Iterator[Candidate]:
        since = max(self.checkpoint, boundary or 0)
        first = max(0, bisect_right(self.index.firsts, since) - 1)
        for block in self.index.blocks[first:]:
            start, end = block.cut(since, self.before)
            for pair in block.pairs[start:end]:
                if pair.sendable:
                    yield pair

    def cut(self, before: int) -> FullIndex:
        before = before if self.before is None else min(before, self.before)
        return FullIndex(self.index, self.estimator, self.checkpoint, before)

    def _add_up(self, suffices: Callable[[], bool]) -> None:
        """Add up the tokens of one block after the other until `suffices()` is true or no block remains."""
        while self._added < len(self.index.blocks) and not suffices():
            self._added += 1
            block = self.index.blocks[-self._added]
            first, end = block.cut(self.checkpoint, self.before)
            tokens = block.tokens(self.estimator)
            total, images = (self._totals[-1], self._images[-1]) if self._totals else (0, 0)
            for place in range(end - 1, first - 1, -1):
                if block.kinds[place] == SENDABLE:
                    total += tokens[place]
                    if (extra := block.extras.get(place)) is not None:
                        images += self.estimator.of_images(extra)
                    self._at.append(block.positions[place])
                    self._totals.append(total)
                    self._images.append(images)


def _before_checkpoint(pair: Candidate, checkpoint: int) -> Candidate:
    return replace(pair, out=OutReason.BEFORE_CHECKPOINT) if pair.position < checkpoint else pair
