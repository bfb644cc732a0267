"""Changes of marks as shown: how many pairs are not what they were, and what takes that back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal, NotRequired, cast

from typing_extensions import TypedDict

from app.domain.conversation.marks import PairMarks
from app.views.conversation.pair import PairView


class ChangeView(TypedDict):
    """A change to one pair: what is not named stays. `topic_id` null is no topic, `mark` null neither mark."""

    pair_id: str
    stars: NotRequired[int]
    flagged: NotRequired[bool]
    mark: NotRequired[Literal["in", "out"] | None]
    topic_id: NotRequired[str | None]
    deleted: NotRequired[bool]


@dataclass(frozen=True, slots=True)
class ChangedView:
    """How many pairs are different now. `undo` is what `POST /conversations/{id}/marks` takes as `changes`."""

    count: int
    undo: tuple[ChangeView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedPairView(PairView):
    """A pair as it is now, with what takes its last change back."""

    count: int
    undo: tuple[ChangeView, ...]


def describe_marked(pair: PairView, undo: Sequence[PairMarks]) -> MarkedPairView:
    """A pair that was marked."""
    shown = {field.name: getattr(pair, field.name) for field in fields(pair)}
    return MarkedPairView(**shown, count=len(undo), undo=describe_changes(undo))


def describe_changed(undo: Sequence[PairMarks]) -> ChangedView:
    """What was changed, told by what undoes it."""
    return ChangedView(len(undo), describe_changes(undo))


def describe_changes(changes: Sequence[PairMarks]) -> tuple[ChangeView, ...]:
    """The changes as shown."""
    return tuple(cast("ChangeView", {"pair_id": change.pair_id, **change.marks}) for change in changes)
