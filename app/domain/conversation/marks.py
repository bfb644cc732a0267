"""Marks: the values that a person sets on a pair: stars, flag, tag, topic, and whether it is deleted.

A change contains only the marks that it changes. The undo of a change is a change too, so both have the type `Marks`.

    >>> plan_change(Marks(stars=0, flagged=True, mark=None, topic_id=None, deleted=False), Marks(stars=2, flagged=True))
    ({'stars': 2}, {'stars': 0})
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict, cast

from app.domain.conversation.conversation import Mark

MAX_STARS = 3


class Marks(TypedDict, total=False):
    """Some of the marks of a pair.

    With a `topic_id` of None the pair has no topic, with a `mark` of None it has no tag.
    """

    stars: int
    flagged: bool
    mark: Mark | None
    topic_id: str | None
    deleted: bool


@dataclass(frozen=True, slots=True)
class PairMarks:
    """A change of the marks of one pair, or the undo of such a change."""

    pair_id: str
    marks: Marks


def plan_change(before: Marks, requested: Marks) -> tuple[Marks, Marks]:
    """Return the requested marks that differ from `before`, and the change that restores the old marks.

    `before` has all marks.
    """
    old: Mapping[str, object] = before
    changes = {name: value for name, value in requested.items() if old[name] != value}
    return cast("Marks", changes), cast("Marks", {name: old[name] for name in changes})
