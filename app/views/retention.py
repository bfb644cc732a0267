"""Retention as programs see it: the rules, what they would move now, and the log of what they moved."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.domain.retention import RetentionKind


@dataclass(frozen=True, slots=True)
class RetentionRuleView:
    """A rule that is set. `due`: how many conversations it would move into the trash now.

    `folder_id` is the folder of a rule of the kind `folder`, null for other kinds.
    """

    kind: RetentionKind
    days: int
    due: int
    folder_id: str | None


@dataclass(frozen=True, slots=True)
class SweepView:
    """What a rule moved into the trash at one time. `left`: how many of those can still be brought back."""

    number: int
    at: datetime
    kind: RetentionKind
    days: int
    count: int
    left: int
    folder_id: str | None


@dataclass(frozen=True, slots=True)
class RetentionView:
    """The rules that are set and the newest sweeps, the last first."""

    rules: tuple[RetentionRuleView, ...]
    sweeps: tuple[SweepView, ...]


@dataclass(frozen=True, slots=True)
class BroughtBackView:
    """How many conversations were brought back."""

    count: int
