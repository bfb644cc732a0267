"""Blocks of an index: consecutive pairs, stored in columns with about fifty bytes per pair.

    block = make_block(pairs)
    block.pairs[0].position, block.tokens(estimator)

Not here: the index over all blocks (`pair_index.py`) and the list of its pairs (`pair_list.py`).
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from app.domain.context.composition import Candidate
from app.domain.context.context import OutReason
from app.domain.tokens.estimates import Estimator, PairSizes

BLOCK: Final = 256
"""Maximum number of pairs in a block."""

SENDABLE, FAILED, RUNNING, DAMAGED = range(4)

_OUT: Final = MappingProxyType({FAILED: OutReason.FAILED, DAMAGED: OutReason.DAMAGED})


@dataclass(eq=False)
class Block:
    """Consecutive pairs, stored in columns. Each column has one value per pair.

    `extras` has the sizes of the pairs that contain more than text, by their place in the block.
    """

    ids: str
    positions: array[int]
    revisions: array[int]
    text: array[int]
    messages: array[int]
    kinds: bytes
    extras: Mapping[int, PairSizes]
    _pairs: tuple[Candidate, ...] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.kinds)

    @property
    def pairs(self) -> tuple[Candidate, ...]:
        """The pairs as objects, oldest first. They are created at the first access and then cached."""
        if self._pairs is None:
            self._pairs = tuple(self._list())
        return self._pairs

    @property
    def is_looked_at(self) -> bool:
        """True if `pairs` was read before, so that its objects are in memory."""
        return self._pairs is not None

    def count(self, kind: int, since: int, until: int | None) -> int:
        """Count the pairs of a kind (such as `RUNNING`) at positions from `since` (included) to `until` (excluded)."""
        first, end = self.cut(since, until)
        return self.kinds.count(kind, first, end)

    def cut(self, since: int, until: int | None) -> tuple[int, int]:
        """Return the range of places in the block for positions from `since` (included) to `until` (excluded)."""
        end = len(self) if until is None else bisect_left(self.positions, until)
        return bisect_left(self.positions, since), end

    def tokens(self, estimator: Estimator) -> list[int]:
        """Return the tokens of each pair for a model, oldest first."""
        permille, per_message = estimator.permille, estimator.per_message
        sizes = zip(self.text, self.messages, strict=True)
        tokens = [-(-text * permille // 1_000) + messages * per_message for text, messages in sizes]
        for place, extra in self.extras.items():
            tokens[place] = estimator.of_pair(extra)
        return tokens

    def _list(self) -> Iterator[Candidate]:
        ids = self.ids.split("\n")
        columns = zip(ids, self.positions, self.text, self.messages, self.kinds, self.revisions, strict=True)
        for place, (pair_id, position, text, messages, kind, revision) in enumerate(columns):
            sizes = self.extras.get(place) or PairSizes(text, messages)
            yield Candidate(pair_id, position, sizes, _OUT.get(kind), kind == RUNNING, revision)


def make_block(pairs: Sequence[Candidate]) -> Block:
    """Make a block from these pairs, oldest first."""
    return Block(
        "\n".join(pair.pair_id for pair in pairs),
        array("q", (pair.position for pair in pairs)),
        array("q", (pair.revision for pair in pairs)),
        array("q", (pair.sizes.text for pair in pairs)),
        array("i", (pair.sizes.messages for pair in pairs)),
        bytes(map(_kind_of, pairs)),
        {at: pair.sizes for at, pair in enumerate(pairs) if pair.sizes.thinking or pair.sizes.images},
    )


def _kind_of(pair: Candidate) -> int:
    if pair.running:
        return RUNNING
    if pair.out is OutReason.DAMAGED:
        return DAMAGED
    return FAILED if pair.out else SENDABLE
