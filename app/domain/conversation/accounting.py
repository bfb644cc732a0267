"""Accounting nodes: entries of the history with the usage so far, made when messages are removed or restored.

The ledger has every call permanently. A node shows, at the place of the change, the usage of the conversation until
then, and the reason of the removal.

    >>> from datetime import UTC, datetime
    >>> node = Accounting("n1", 4, RemovalReason.EDIT, 2, Usage(input_tokens=10), datetime(2026, 1, 1, tzinfo=UTC))
    >>> describe_departure(node)
    'Edited and resent: 2 messages replaced.'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType

from app.domain.conversation.damage import Damage
from app.domain.usage import Usage


class RemovalReason(StrEnum):
    """The reason of an accounting node: why messages were removed. Only `RETURN` means that messages were restored."""

    EDIT = "edit"
    REGENERATE = "regenerate"
    RETRY = "retry"
    RESTORE = "restore"
    DISCARD = "discard"
    DELETE = "delete"
    RETURN = "return"


@dataclass(frozen=True, slots=True)
class Accounting:
    """An accounting node: the usage of all calls of a conversation until messages were removed or restored.

    - `after_position`: the node is shown after the pair at this position; 0: at the beginning.
    - `reason`: why the messages were removed; None if the reason cannot be read.
    - `messages`: the number of these messages.
    - `calls`: the number of calls; None if the node was imported, because its calls are not in this ledger.
    - `damage`: its unreadable values.
    """

    id: str
    after_position: int
    reason: RemovalReason | None
    messages: int
    usage: Usage
    created_at: datetime
    calls: int | None = None
    damage: tuple[Damage, ...] = ()


_WORDS: Mapping[RemovalReason, str] = MappingProxyType(
    {
        RemovalReason.EDIT: "Edited and resent: {} replaced.",
        RemovalReason.REGENERATE: "Regenerated: {} replaced.",
        RemovalReason.RETRY: "Tried again after an error: {} replaced.",
        RemovalReason.RESTORE: "Another version restored: {} replaced.",
        RemovalReason.DISCARD: "Later pairs discarded: {} removed.",
        RemovalReason.DELETE: "Deleted: {} removed.",
        RemovalReason.RETURN: "Restored: {}.",
    }
)


def describe_departure(node: Accounting) -> str:
    """Describe the removal or the restoring of the messages, as a text for people."""
    if node.reason is None:
        return "This entry cannot be read. The totals are complete, because the ledger has its calls."
    return _WORDS[node.reason].format(f"{node.messages:,} message{'' if node.messages == 1 else 's'}")
