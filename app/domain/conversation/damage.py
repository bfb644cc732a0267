"""Damage: descriptions of stored values that cannot be read, for the layers above the store.

An object with damage has everything that could be read. Its unreadable fields have a neutral value (no parts, no
stars). The damage names these fields, so that the neutral values are not mistaken for real ones.

    >>> str(Damage("message", "m1", "parts[1]", "it is of a kind that this version does not know", 40))
    'parts[1] of message m1 (40 bytes): it is of a kind that this version does not know'
"""

from __future__ import annotations

import re
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
        "retry_limits": "limits of retries",
        "middleware": "text about you and redaction",
        "filter": "filter",
        "tool_mode": "tools",
        "ticked_tools": "ticked tools",
        "summary": "checkpoint",
        "summary_position": "checkpoint",
    }
)
"""The columns of a conversation that a send depends on, with their names on the page."""
TITLE: Final = "title"
"""The column of the title. A person can replace an unreadable title like a setting, but it never stops a send."""


_TABLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "attachment": "An attached file",
        "message": "A message",
        "pair": "The pair",
        "run": "The record of the reply",
        "version": "A version",
    }
)
"""The name of a damaged row on the page, by table."""
_GUARDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "agent": "An agent",
        "budget": "A budget",
        "conversation": "The row of the conversation",
        "pair": "The place of a pair",
        "permission_request": "A request for permission",
        "preference": "A preference",
        "price": "A price of your own",
        "provider_setting": "The key or the address of a provider",
        "queued": "The first queued text",
        "pair_size": "The size of a pair",
        "toolset": "The list of the tools that were sent",
        "usage_account": "The sum of the costs",
    }
)
"""The name of a damaged row in the message of `DamagedRowError`, by table."""
_TO_MEND: Final = (
    "Stop Inview and run `inview doctor --mend`: it repairs what it can, and saves each row that it changes to a file."
)
_NEXT_STEPS: Final[Mapping[str, str]] = MappingProxyType({"queued": "Remove it from the queue, and write it again."})
"""The next step for a row that `inview doctor --mend` does not repair, by table."""
_SENTENCES: Final = (
    (r"it is not UTF-8|it is bytes, not str", "This text is not stored as text ({size} of binary data)."),
    (r"it is not valid JSON.*", "The stored data is garbled or incomplete ({size})."),
    (r"it is missing, not \w+", "Nothing is stored here."),
    (r"it is not a time|it is \w+, not datetime", "The stored data is not a time ({size})."),
    (r"it is not a filter", "The stored data is not a filter ({size})."),
    (r"it is \w+, not (int|float)", "The stored data is not a number ({size})."),
    (r"it is not a number of stars", "The stored data is not a number of stars ({size})."),
    (r"it is not a flag|it is \w+, not bool", "The stored data is neither yes nor no ({size})."),
    (r"its \w+ refers to it, but it is missing", "It is missing from the database."),
    (r"it has ([\d,]+) of ([\d,]+) bytes", "Only {0} of {1} bytes are stored."),
)
"""Technical reasons (as patterns), each with the sentence that people see instead."""


@dataclass(frozen=True, slots=True)
class Damage:
    """A column of a row that cannot be read, with the reason. `size` is in bytes; None if the row itself is missing."""

    table: str
    row_id: str
    column: str
    reason: str
    size: int | None

    def __str__(self) -> str:
        if self.size is None:
            return f"{self.table} {self.row_id}: {self.reason}"
        return f"{self.column} of {self.table} {self.row_id} ({self.size:,} bytes): {self.reason}"

    @property
    def sentence(self) -> str:
        """The reason in plain words, without ids.

        >>> Damage("message", "m1", "parts", "it is not UTF-8", 17).sentence
        'This text is not stored as text (17 bytes of binary data).'
        """
        size = "1 byte" if self.size == 1 else f"{self.size or 0:,} bytes"
        for reason, sentence in _SENTENCES:
            if found := re.fullmatch(reason, self.reason):
                return sentence.format(*found.groups(), size=size)
        return f"This version of Inview cannot read the stored data ({size})."

    @property
    def line(self) -> str:
        """The name of the damaged row or setting, and the reason, in plain words.

        >>> Damage("message", "m1", "parts", "its pair refers to it, but it is missing", None).line
        'A message: It is missing from the database.'
        """
        if self.table == "conversation":
            return f"{SETTINGS.get(self.column, self.column.replace('_', ' ')).capitalize()}: {self.sentence}"
        return self.describe(_TABLES.get(self.table, self.table))

    def describe(self, row: str) -> str:
        """Describe the damage in plain words. `row` is the name of the damaged row, such as "The request"."""
        column = "" if self.size is None else f" ({self.column})"
        return f"{row}{column}: {self.sentence}"


class DamagedSettingError(ConflictError):
    """Error: a setting of the conversation cannot be read, so it is unknown what a send would contain."""

    def __init__(self, damage: Damage) -> None:
        name = SETTINGS[damage.column]
        super().__init__(
            f"The {name} of this conversation cannot be read, so you cannot send in it. {damage.sentence} Set the "
            f"{name} again, or press Reset at the top of the conversation."
        )
        self.damage = damage


class DamagedRowError(ConflictError):
    """Error: a stored row that protects privacy or money, or decides what is sent, cannot be read.

    The operation is refused, because a default value could send or spend more than the user allowed.
    """

    def __init__(self, damage: Damage) -> None:
        what = _GUARDS.get(damage.table, f"A row of {damage.table}")
        super().__init__(
            f"{what} cannot be read, so Inview does nothing that depends on it. {damage.sentence} "
            f"{_NEXT_STEPS.get(damage.table, _TO_MEND)}"
        )
        self.damage = damage


def list_damaged_settings(damage: Iterable[Damage]) -> tuple[Damage, ...]:
    """Return the damage of a conversation's settings that a send depends on, in the order of `SETTINGS`."""
    order = list(SETTINGS)
    return tuple(sorted((one for one in damage if one.column in SETTINGS), key=lambda one: order.index(one.column)))


def find_damaged_title(damage: Iterable[Damage]) -> Damage | None:
    """Return the damage of a conversation's title, or None if the title can be read."""
    return next((one for one in damage if one.column == TITLE), None)


def require_settings(damage: Iterable[Damage]) -> None:
    """Refuse to send in a conversation with a setting that cannot be read.

    Raises:
        DamagedSettingError: a setting cannot be read.
    """
    for one in list_damaged_settings(damage):
        raise DamagedSettingError(one)
