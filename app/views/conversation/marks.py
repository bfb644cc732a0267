"""Views of changes of marks: the number of changed pairs, and the changes that undo them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal, NotRequired, cast

from typing_extensions import TypedDict

from app.domain.conversation.marks import PairMarks
from app.views.conversation.pair import PairView


class ChangeView(TypedDict):
    """A change to one pair: missing marks stay unchanged. `topic_id` null is no topic, `mark` null neither mark."""

    pair_id: str
    stars: NotRequired[int]
    flagged: NotRequired[bool]
    mark: NotRequired[Literal["in", "out"] | None]
    topic_id: NotRequired[str | None]
    deleted: NotRequired[bool]


@dataclass(frozen=True, slots=True)
class ChangedView:
    """The number of changed pairs. Send `undo` as `changes` to `POST /conversations/{id}/marks` to restore them."""

    count: int
    undo: tuple[ChangeView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedPairView(PairView):
    """A pair after a change, with the changes that undo it."""

    count: int
    undo: tuple[ChangeView, ...]


def describe_marked(pair: PairView, undo: Sequence[PairMarks]) -> MarkedPairView:
    """Return the view of a pair that was marked."""
    shown = {field.name: getattr(pair, field.name) for field in fields(pair)}
    return MarkedPairView(**shown, count=len(undo), undo=describe_changes(undo))


def describe_changed(undo: Sequence[PairMarks]) -> ChangedView:
    """Return the view of a change, given the changes that undo it."""
    return ChangedView(len(undo), describe_changes(undo))


def describe_changes(changes: Sequence[PairMarks]) -> tuple[ChangeView, ...]:
    """Return the views of these changes."""
    return tuple(cast("ChangeView", {"pair_id": change.pair_id, **change.marks}) for change in changes)
