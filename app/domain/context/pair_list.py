"""The pairs of an index, as a sequence that is read on demand.

    pairs = PairList(index.blocks, len(index))
    pairs[-30:]                  # the newest: creates the pairs of one or two blocks, not of the whole conversation
    bisect_left(pairs, 4_711, key=attrgetter("position"))

Not here: the index (`pair_index.py`) and its blocks (`pair_blocks.py`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, chain
from typing import overload

from app.domain.context.composition import Candidate
from app.domain.context.context import OutReason
from app.domain.context.pair_blocks import Block


@dataclass(frozen=True)
class PairList(Sequence[Candidate]):
    """The first `length` pairs of these blocks, oldest first.

    Pairs with a position lower than `checkpoint` are OUT (not sent).
    """

    blocks: Sequence[Block]
    length: int
    checkpoint: int = 0

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, at: int) -> Candidate: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Candidate, ...]: ...

    def __getitem__(self, at: int | slice) -> Candidate | tuple[Candidate, ...]:
        if isinstance(at, slice):
            first, end, step = at.indices(self.length)
            if step != 1:
                return tuple(self._find(place) for place in range(first, end, step))
            return tuple(self._list(first, end))
        place = at + self.length if at < 0 else at
        if not 0 <= place < self.length:
            raise IndexError(f"There is no pair at position {at}: there are {self.length} pairs.")
        return self._find(place)

    def __iter__(self) -> Iterator[Candidate]:
        return self._list(0, self.length)

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        """The index in the list of the first pair of each block, and then the number of pairs in all blocks."""
        return tuple(accumulate(map(len, self.blocks), initial=0))

    def _block_of(self, place: int) -> int:
        return bisect_right(self._starts, place) - 1

    def _find(self, place: int) -> Candidate:
        number = self._block_of(place)
        return self._mark(self.blocks[number].pairs[place - self._starts[number]])

    def _list(self, first: int, end: int) -> Iterator[Candidate]:
        if first >= end:
            return iter(())
        numbers = range(self._block_of(first), self._block_of(end - 1) + 1)
        cuts = (
            self.blocks[number].pairs[max(0, first - self._starts[number]) : end - self._starts[number]]
            for number in numbers
        )
        return map(self._mark, chain.from_iterable(cuts))

    def _mark(self, pair: Candidate) -> Candidate:
        if self.checkpoint and pair.position < self.checkpoint:
            return replace(pair, out=OutReason.BEFORE_CHECKPOINT)
        return pair
