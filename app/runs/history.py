"""Histories of conversations as a send needs them, whole, kept in memory between sends.

A pair that is over changes only together with its conversation's revision, so what is kept is right for as long as the
revision is, and otherwise only the pairs that changed since are read. Several processes may do so at the same time.

Not for the screen: a window of pairs is read as it is (`store/pairs.py`).
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from weakref import WeakValueDictionary

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation import Pair
from app.domain.hashing import Hashed
from app.domain.lifecycle import RUNNING
from app.domain.parts import Text, Thinking
from app.store.pairs import load_changed_pairs

BATCH = 250
"""Pairs read at once: decoding them holds the event loop for some milliseconds."""
MOST_CHARACTERS = 20_000_000
"""Kept in all; the conversations sent in longest ago give way first."""


@dataclass(frozen=True, slots=True)
class History:
    """The pairs of a conversation at a revision, oldest first, without the deleted.

    `hashed`: the hashes of a request made of it, if known.
    """

    pairs: tuple[Pair, ...]
    revision: int
    characters: int
    hashed: Hashed | None = None


NOTHING = History((), revision=-1, characters=0)


@dataclass(eq=False)
class Histories:
    """What is kept, by conversation."""

    _kept: OrderedDict[str, History] = field(default_factory=OrderedDict[str, History], repr=False)
    _loading: WeakValueDictionary[str, asyncio.Lock] = field(
        default_factory=WeakValueDictionary[str, asyncio.Lock], repr=False
    )

    async def load(
        self, session: AsyncSession, owner: str, conversation_id: str, revision: int, *, pause: float = 0
    ) -> History:
        """The history of a conversation that is at this revision. `pause`: seconds to let others work in between."""
        async with self._loading.setdefault(conversation_id, asyncio.Lock()):
            kept = self._kept.get(conversation_id, NOTHING)
            if kept.revision == revision:
                return kept
            history = await _bring_up_to(session, owner, conversation_id, revision, kept, pause)
            if not any(pair.lifecycle in RUNNING for pair in history.pairs):  # a running reply changes on its own
                self._keep(conversation_id, history)
            return history

    def begin(self, conversation_id: str, revision: int) -> History:
        """The history of a conversation that has no pairs at this revision."""
        history = History((), revision, characters=0)
        self._keep(conversation_id, history)
        return history

    def find(self, conversation_id: str, revision: int) -> History | None:
        """The history at this revision if it is kept."""
        kept = self._kept.get(conversation_id)
        return kept if kept is not None and kept.revision == revision else None

    def remember(self, conversation_id: str, hashed: Hashed) -> None:
        """Keep the hashes of a request made of a conversation's history, if that is kept."""
        if kept := self._kept.get(conversation_id):
            self._keep(conversation_id, replace(kept, hashed=hashed))

    def forget(self, conversation_id: str) -> None:
        """Let go of a conversation that is gone."""
        self._kept.pop(conversation_id, None)

    def _keep(self, conversation_id: str, history: History) -> None:
        self._kept[conversation_id] = history
        self._kept.move_to_end(conversation_id)
        total = sum(one.characters for one in self._kept.values())
        while total > MOST_CHARACTERS:
            _, dropped = self._kept.popitem(last=False)
            total -= dropped.characters


async def _bring_up_to(  # noqa: PLR0913, PLR0917 - where from, which one, and how gently
    session: AsyncSession, owner: str, conversation_id: str, revision: int, kept: History, pause: float
) -> History:
    by_id = {pair.id: pair for pair in kept.pairs}
    characters = kept.characters
    position = 0
    while True:
        changed = await load_changed_pairs(
            session, owner, conversation_id, after_revision=kept.revision, after_position=position, limit=BATCH
        )
        new = {pair.id: pair for pair in changed.pairs}
        characters += _count_characters(new.values())
        characters -= _count_characters(by_id[pair_id] for pair_id in (*new, *changed.deleted) if pair_id in by_id)
        by_id |= new
        for pair_id in changed.deleted:
            by_id.pop(pair_id, None)
        if changed.complete:
            break
        position = changed.last_position
        await asyncio.sleep(pause)
    pairs = tuple(by_id.values())
    if any(one.position > next_one.position for one, next_one in pairwise(pairs)):
        pairs = tuple(sorted(pairs, key=lambda pair: pair.position))
    return History(pairs, revision, characters, kept.hashed)


def _count_characters(pairs: Iterable[Pair]) -> int:
    messages = (message for pair in pairs for message in (pair.request, pair.reply) if message is not None)
    return sum(len(part.text) for message in messages for part in message.parts if isinstance(part, Text | Thinking))
