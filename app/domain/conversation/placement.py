"""The place of a conversation in the list: pinned, archived, in a folder, marked as unread; and its day's heading.

    >>> from datetime import UTC, timedelta, timezone
    >>> at, now = datetime(2026, 11, 24, 23, tzinfo=UTC), datetime(2026, 11, 25, 18, tzinfo=UTC)
    >>> find_day(at, now, UTC), find_day(at, now, timezone(timedelta(hours=2)))
    ('yesterday', 'today')

A placement is a person's order of the list, no part of the conversation: exports do not have it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Final

from app.domain.errors import InputError

MAX_FOLDER_NAME: Final = 80
MAX_FOLDERS: Final = 200
WEEK, MONTH = 7, 30
"""Days back from today that are listed together."""


@dataclass(frozen=True, slots=True)
class Placement:
    """`folder_id` None: in no folder. `unread`: it is marked as having a new reply."""

    pinned: bool = False
    archived: bool = False
    folder_id: str | None = None
    unread: bool = False


UNPLACED: Final = Placement()


@dataclass(frozen=True, slots=True)
class ImportNote:
    """That a conversation came with an export of another application: the key of its format, and when it came."""

    format: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of the list. `count`: conversations in it that are neither archived nor in the trash.

    `retention_days`: after so many without anything new its conversations go to the trash; None: as those outside, 0:
    never.
    """

    id: str
    name: str
    count: int = 0
    retention_days: int | None = None


def clean_folder_name(name: str) -> str:
    """The name on one line.

    Raises:
        InputError: it is blank or too long.
    """
    clean = " ".join(name.split())
    if not clean:
        raise InputError("name", "is blank. Give the folder a name.")
    if len(clean) > MAX_FOLDER_NAME:
        raise InputError("name", f"has {len(clean)} characters; {MAX_FOLDER_NAME} are the most.")
    return clean


def find_day(at: datetime, now: datetime, zone: tzinfo) -> str:
    """Under which heading a conversation is listed that was last changed `at`, by the calendar of a time zone.

    "today", "yesterday", "week" and "month" (the last 7 and 30 days), or else the month itself, such as "2026-09".
    """
    day, today = at.astimezone(zone).date(), now.astimezone(zone).date()
    days = (today - day).days
    if days <= 0:
        return "today"
    if days == 1:
        return "yesterday"
    if days <= WEEK:
        return "week"
    return "month" if days <= MONTH else f"{day.year:04}-{day.month:02}"
