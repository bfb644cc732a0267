"""Retention: which conversations go to the trash by themselves after a time without use.

    >>> [(rule.kind.value, rule.days) for rule in list_rules(chat_days=90, child_days=None, imported_days=7)]
    [('chat', 90), ('imported', 7)]

Without a rule nothing goes. The most particular one counts: that of a folder goes before that of imported
conversations, and that before the one of chats. A rule of 0 days keeps its conversations for good. A conversation with
a star or a flag is kept, whatever the rules say. Not here: temporary conversations, which are deleted after minutes
(`runs/library/retention.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from app.domain.errors import InputError

MAX_DAYS = 3_650


class RetentionKind(StrEnum):
    """Conversations that have a rule of their own."""

    CHAT = "chat"
    CHILD = "child"
    IMPORTED = "imported"
    FOLDER = "folder"


@dataclass(frozen=True, slots=True)
class RetentionRule:
    """Conversations of this kind go to the trash `days` after the last thing that happened in them.

    `folder_id` is the folder that a rule of the kind `folder` is about, "" for other kinds. `imported_apart`: imported
    conversations have a rule of their own, so this one is not about them.
    """

    kind: RetentionKind
    days: int
    folder_id: str = ""
    imported_apart: bool = False

    def before(self, at: datetime) -> datetime:
        """Since when nothing happened in those that go at this time."""
        return at - timedelta(days=self.days)


def require_days(name: str, days: int | None) -> None:
    """Refuse what is no time of a rule that may differ from the usual one.

    Raises:
        InputError: it is no number of days from 0 to the most.
    """
    if days is not None and not 0 <= days <= MAX_DAYS:
        raise InputError(name, f"is a number of days up to {MAX_DAYS:,}, 0 for never, or null for as usual.")


def list_rules(
    chat_days: int | None,
    child_days: int | None,
    imported_days: int | None = None,
    folder_days: Mapping[str, int] | None = None,
) -> tuple[RetentionRule, ...]:
    """The rules by which something goes. `folder_days` by folder; 0 of a folder or of what was imported: never."""
    apart = imported_days is not None
    rules: list[RetentionRule] = []
    if chat_days is not None:
        rules.append(RetentionRule(RetentionKind.CHAT, chat_days, imported_apart=apart))
    if child_days is not None:
        rules.append(RetentionRule(RetentionKind.CHILD, child_days))
    if imported_days:
        rules.append(RetentionRule(RetentionKind.IMPORTED, imported_days))
    of_folders = (folder_days or {}).items()
    rules += [RetentionRule(RetentionKind.FOLDER, days, folder_id) for folder_id, days in of_folders if days]
    return tuple(rules)
