"""Accounting nodes: written before messages leave or come back, so that what was spent on them stays in sight.

The ledger remembers every call for ever; a node says, where it happened, how much had been spent by then and why words
that were paid for are not there any more.

    >>> from datetime import UTC, datetime
    >>> node = Accounting("n1", 4, Departure.EDIT, 2, Usage(input_tokens=10), datetime(2026, 1, 1, tzinfo=UTC))
    >>> describe_departure(node)
    'Edited and sent again: 2 messages replaced.'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType

from app.domain.conversation.damage import Damage
from app.domain.usage import Usage


class Departure(StrEnum):
    """Why messages left the history. `RETURN`: they came back."""

    EDIT = "edit"
    REGENERATE = "regenerate"
    RETRY = "retry"
    RESTORE = "restore"
    DISCARD = "discard"
    DELETE = "delete"
    RETURN = "return"


@dataclass(frozen=True, slots=True)
class Accounting:
    """What had been spent in a conversation when `messages` of it left or came back: all calls, by kind of token.

    It stands after the pair at `after_position`, 0 being the beginning. `calls` is how many calls that were; None: it
    was written elsewhere, and its calls are not in this ledger. `damage` is what of it cannot be read; `reason` None:
    not even why it was written.
    """

    id: str
    after_position: int
    reason: Departure | None
    messages: int
    usage: Usage
    created_at: datetime
    calls: int | None = None
    damage: tuple[Damage, ...] = ()


_WORDS: Mapping[Departure, str] = MappingProxyType(
    {
        Departure.EDIT: "Edited and sent again: {} replaced.",
        Departure.REGENERATE: "Answered again: {} replaced.",
        Departure.RETRY: "Sent again after an error: {} replaced.",
        Departure.RESTORE: "Another version restored: {} replaced.",
        Departure.DISCARD: "Later pairs discarded: {} gone.",
        Departure.DELETE: "Deleted: {} gone.",
        Departure.RETURN: "Brought back: {}.",
    }
)


def describe_departure(node: Accounting) -> str:
    """The event, in plain words."""
    if node.reason is None:
        return "This entry cannot be read. The ledger has its calls: no total lacks them."
    return _WORDS[node.reason].format(f"{node.messages:,} message{'' if node.messages == 1 else 's'}")
