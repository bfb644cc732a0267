"""Damage: a stored piece that cannot be read, as the layers above the store know it.

A value with damage holds what could be read. What could not be read is at its neutral value (no parts, no stars) and is
named here, so that the two are not confused.

    >>> str(Damage("message", "m1", "parts[1]", "it is of a kind that this version does not know", 40))
    'parts[1] of message m1 (40 bytes): it is of a kind that this version does not know'
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.domain.errors import ConflictError

SETTINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "agent_id": "agent",
        "model": "model",
        "system_prompt": "system prompt",
        "parameters": "parameters",
        "retry_policy": "retries",
        "filter": "filter",
        "tool_mode": "tools",
        "ticked_tools": "ticked tools",
        "summary": "checkpoint",
        "summary_position": "checkpoint",
    }
)
"""The columns of a conversation that a send depends on, as the page names them."""


@dataclass(frozen=True, slots=True)
class Damage:
    """A column of a row that cannot be read, with the reason. `size` is in bytes; None: there is no such row."""

    table: str
    row_id: str
    column: str
    reason: str
    size: int | None

    def __str__(self) -> str:
        if self.size is None:
            return f"{self.table} {self.row_id}: {self.reason}"
        return f"{self.column} of {self.table} {self.row_id} ({self.size:,} bytes): {self.reason}"


class DamagedSettingError(ConflictError):
    """A setting of the conversation cannot be read, so it is unknown what a send would carry."""

    def __init__(self, conversation_id: str, damage: Damage) -> None:
        name = SETTINGS[damage.column]
        super().__init__(
            f"The {name} of conversation {conversation_id!r} cannot be read ({damage.reason}), so nothing is sent from "
            f"it. Set the {name} again, or press Reset at the top of the conversation."
        )
        self.damage = damage


def list_damaged_settings(damage: Iterable[Damage]) -> tuple[Damage, ...]:
    """The damage of a conversation that a send depends on, in the order of `SETTINGS`."""
    order = list(SETTINGS)
    return tuple(sorted((one for one in damage if one.column in SETTINGS), key=lambda one: order.index(one.column)))


def require_settings(conversation_id: str, damage: Iterable[Damage]) -> None:
    """Refuse to send from a conversation with a setting that cannot be read.

    Raises:
        DamagedSettingError: it has one.
    """
    for one in list_damaged_settings(damage):
        raise DamagedSettingError(conversation_id, one)
