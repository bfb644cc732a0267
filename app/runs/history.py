"""Histories of conversations as a send needs them, whole, kept in memory between sends.

A pair that is over changes only together with its conversation's revision, so what is kept is right for as long as the
revision is, and otherwise only the pairs that changed since are read. Several processes may do so at the same time.

Not for the screen: a window of pairs is read as it is (`store/pairs.py`).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.conversation import Pair
from app.domain.lifecycle import RUNNING
from app.domain.parts import Text, Thinking
from app.store.pairs import load_changed_pairs

BATCH = 250
"""Pairs read at once: decoding them holds the event loop for some milliseconds."""
MOST_CHARACTERS = 32_000_000
"""Kept in all; the conversations sent in longest ago give way first."""


@dataclass(frozen=True, slots=True)
class _Kept:
    revision: int
    pairs: dict[str, Pair]
    characters: int


@dataclass(eq=False)
class Histories:
    """What is kept, by conversation."""

    _kept: OrderedDict[str, _Kept] = field(default_factory=OrderedDict[str, _Kept])

    async def load(self, session: AsyncSession, owner: str, conversation_id: str, revision: int) -> tuple[Pair, ...]:
        """All pairs of a conversation that is at this revision, oldest first."""
        kept = self._kept.pop(conversation_id, None)
        if kept is None or kept.revision != revision:
            kept = await _bring_up_to(session, owner, conversation_id, revision, kept)
        if not any(pair.lifecycle in RUNNING for pair in kept.pairs.values()):  # a running reply changes on its own
            self._keep(conversation_id, kept)
        return tuple(kept.pairs.values())

    def forget(self, conversation_id: str) -> None:
        """Let go of a conversation that is gone."""
        self._kept.pop(conversation_id, None)

    def _keep(self, conversation_id: str, kept: _Kept) -> None:
        self._kept[conversation_id] = kept
        total = sum(one.characters for one in self._kept.values())
        while total > MOST_CHARACTERS:
            _, dropped = self._kept.popitem(last=False)
            total -= dropped.characters


async def _bring_up_to(
    session: AsyncSession, owner: str, conversation_id: str, revision: int, kept: _Kept | None
) -> _Kept:
    pairs = dict(kept.pairs) if kept else {}
    characters = kept.characters if kept else 0
    position = 0
    in_order = True
    newest = max((pair.position for pair in pairs.values()), default=0)
    while True:
        changed = await load_changed_pairs(
            session,
            owner,
            conversation_id,
            after_revision=kept.revision if kept else -1,
            after_position=position,
            limit=BATCH,
        )
        for pair in changed:
            in_order = in_order and (pair.id in pairs or pair.position > newest)
            pairs[pair.id] = pair
        characters += _count_characters(changed)
        if len(changed) < BATCH:
            break
        position = changed[-1].position
    if not in_order:
        pairs = {pair.id: pair for pair in sorted(pairs.values(), key=lambda pair: pair.position)}
    return _Kept(revision, pairs, characters)


def _count_characters(pairs: Iterable[Pair]) -> int:
    messages = (message for pair in pairs for message in (pair.request, pair.reply) if message is not None)
    return sum(len(part.text) for message in messages for part in message.parts if isinstance(part, Text | Thinking))
