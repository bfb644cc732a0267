"""Damaged pairs: which are known in this process, so that none is counted as sent.

    wb.damages.note(owner, pairs)                           # whoever reads pairs tells
    index = wb.damages.mark(conversation_id, sheet.index)   # then they are OUT

The index of a conversation does not tell: a pair can be damaged after it was indexed, and mended without a change.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from app.domain.context.context import OutReason
from app.domain.context.pair_index import PairIndex
from app.domain.conversation.conversation import Pair
from app.runs.process.event_bus import EventBus, PairsChanged

MAX_NAMED: Final = 20


@dataclass(eq=False)
class Damages:
    """The damaged pairs that were read, by conversation: the position of each by its id."""

    event_bus: EventBus = field(default_factory=EventBus)
    _known: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])

    def note(self, owner: str, pairs: Iterable[Pair]) -> bool:
        """These pairs were read just now. Returns whether more or others are known to be damaged than before.

        Publishes it to pages of their conversations.
        """
        changed = defaultdict[str, list[str]](list)
        for pair in pairs:
            known = self._known.get(pair.conversation_id)
            if pair.damage and (known is None or pair.id not in known):
                self._known.setdefault(pair.conversation_id, {})[pair.id] = pair.position
            elif not pair.damage and known is not None and pair.id in known:
                del known[pair.id]
            else:
                continue
            changed[pair.conversation_id].append(pair.id)
        for conversation_id, ids in changed.items():
            self.event_bus.publish(owner, conversation_id, PairsChanged(tuple(ids)))
        return bool(changed)

    def known(self, conversation_id: str) -> frozenset[str]:
        """The damaged pairs of a conversation, as far as they are known."""
        return frozenset(self._known.get(conversation_id, ()))

    def describe(self, conversation_id: str) -> tuple[str, ...]:
        """A sentence that says which pairs are not sent; none where no damage is known."""
        positions = sorted(self._known.get(conversation_id, {}).values())
        if not positions:
            return ()
        named = ", ".join(map(str, positions[:MAX_NAMED])) + (", …" if len(positions) > MAX_NAMED else "")
        return (f"Not sent, because something of it cannot be read: pair {named}.",)

    def mark(self, conversation_id: str, index: PairIndex) -> PairIndex:
        """The index with its damaged pairs OUT."""
        known = self._known.get(conversation_id)
        if not known:
            return index
        found = (pair for pair in index.pick(known.values()) if pair.pair_id in known)
        return index.follow(replace(pair, out=OutReason.DAMAGED) for pair in found)

    def forget(self, conversation_id: str) -> None:
        """Evict a deleted conversation."""
        self._known.pop(conversation_id, None)
