"""Sizes of conversations' pairs, kept in memory between looks: what deciding about a pair takes, without its texts.

As `history.py` does with whole pairs: what is kept is right for as long as the conversation's revision is, and
otherwise only the pairs that changed since are read. A filter then costs the database no more than a list of ids.

Not here: counting (`indexing.py`) and deciding (`domain/composition.py`).
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from weakref import WeakValueDictionary

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.composition import Candidate, Measured, measure_as
from app.domain.estimates import Estimator
from app.store.sizes import load_changed_sizes

BATCH = 1_000
"""Pairs read at once: decoding them holds the event loop for some milliseconds."""
MOST_PAIRS = 300_000
"""Kept in all; the conversations looked at longest ago give way first."""


@dataclass(eq=False)
class Sheet:
    """The pairs of a conversation at a revision, in one vocabulary, by id and oldest first."""

    revision: int
    candidates: dict[str, Candidate]
    _tokens: dict[Estimator, dict[str, int]] = field(default_factory=dict[Estimator, dict[str, int]])

    @cached_property
    def running(self) -> str | None:
        """The pair whose reply is on."""
        return next((pair.pair_id for pair in reversed(self.candidates.values()) if pair.running), None)

    def measure(self, ids: frozenset[str] | None, estimator: Estimator) -> Measured:
        """What these of the pairs come to for a model; None: all of them."""
        tokens = self.tokens_for(estimator)
        if ids is None:
            return measure_as(tuple(self.candidates.values()), tuple(tokens.values()), estimator)
        pairs = tuple(pair for pair_id, pair in self.candidates.items() if pair_id in ids)
        return measure_as(pairs, tuple(tokens[pair.pair_id] for pair in pairs), estimator)

    def tokens_for(self, estimator: Estimator) -> Mapping[str, int]:
        """What every pair comes to for a model."""
        if (known := self._tokens.get(estimator)) is None:
            self._tokens.clear()  # of another model, or of this one before it said more about itself
            known = self._tokens[estimator] = _count(estimator, self.candidates.values())
        return known

    def follow(self, revision: int, changed: Mapping[str, Candidate], deleted: Iterable[str]) -> Sheet:
        """The sheet of a later revision."""
        candidates = {**self.candidates, **changed}
        for pair_id in deleted:
            candidates.pop(pair_id, None)
        if any(one.position > other.position for one, other in pairwise(candidates.values())):
            candidates = dict(sorted(candidates.items(), key=lambda item: item[1].position))
        later = Sheet(revision, candidates)
        for estimator, tokens in self._tokens.items():
            known = tokens | _count(estimator, changed.values())
            later._tokens[estimator] = {pair_id: known[pair_id] for pair_id in candidates}
        return later


@dataclass(eq=False)
class Sizes:
    """The sheets kept, by conversation and vocabulary."""

    _kept: OrderedDict[tuple[str, str], Sheet] = field(default_factory=OrderedDict[tuple[str, str], Sheet], repr=False)
    _loading: WeakValueDictionary[tuple[str, str], asyncio.Lock] = field(
        default_factory=WeakValueDictionary[tuple[str, str], asyncio.Lock], repr=False
    )

    async def load(
        self, session: AsyncSession, owner: str, conversation_id: str, revision: int, vocabulary: str
    ) -> Sheet:
        """The sheet of a conversation that is at this revision in the session, and whose indexes are up to it."""
        place = (conversation_id, vocabulary)
        async with self._loading.setdefault(place, asyncio.Lock()):
            sheet = self._kept.get(place) or Sheet(-1, {})
            if sheet.revision < revision:
                sheet = await _bring_up_to(session, owner, conversation_id, revision, vocabulary, sheet)
                self._keep(place, sheet)
            elif sheet.revision > revision:  # an older moment than others have seen already
                sheet = await _bring_up_to(session, owner, conversation_id, revision, vocabulary, Sheet(-1, {}))
            return sheet

    def forget(self, conversation_id: str) -> None:
        """Let go of a conversation that is gone."""
        for place in [place for place in self._kept if place[0] == conversation_id]:
            del self._kept[place]

    def _keep(self, place: tuple[str, str], sheet: Sheet) -> None:
        self._kept[place] = sheet
        self._kept.move_to_end(place)
        total = sum(len(kept.candidates) for kept in self._kept.values())
        while total > MOST_PAIRS and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            total -= len(dropped.candidates)


async def _bring_up_to(  # noqa: PLR0913, PLR0917 - where from, and which one
    session: AsyncSession, owner: str, conversation_id: str, revision: int, vocabulary: str, sheet: Sheet
) -> Sheet:
    changed: dict[str, Candidate] = {}
    deleted: list[str] = []
    position = 0
    while True:
        found = await load_changed_sizes(
            session,
            owner,
            conversation_id,
            vocabulary,
            after_revision=sheet.revision,
            after_position=position,
            limit=BATCH,
        )
        changed |= {pair.pair_id: pair for pair in found.candidates}
        deleted += found.deleted
        if found.complete:
            return sheet.follow(revision, changed, deleted)
        position = found.last_position
        await asyncio.sleep(0)


def _count(estimator: Estimator, pairs: Iterable[Candidate]) -> dict[str, int]:
    return {pair.pair_id: estimator.of_pair(pair.sizes) for pair in pairs}
