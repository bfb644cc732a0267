"""Views of changed marks: the number of changed pairs, and the changes that restore the previous marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal, NotRequired, cast

from typing_extensions import TypedDict

from app.domain.conversation.marks import PairMarks
from app.views.conversation.pair import PairView


class ChangeView(TypedDict):
    """A change of the marks of one pair. A mark whose key is missing is not changed.

    - `topic_id`: null means no topic.
    - `mark`: null means neither "in" nor "out".
    - `deleted`: the pair is in the trash.
    """

    pair_id: str
    stars: NotRequired[int]
    flagged: NotRequired[bool]
    mark: NotRequired[Literal["in", "out"] | None]
    topic_id: NotRequired[str | None]
    deleted: NotRequired[bool]


@dataclass(frozen=True, slots=True)
class ChangedView:
    """The number of changed pairs, and the changes `undo`, which restore the previous marks.

    To undo, send `undo` as `changes` to `POST /conversations/{id}/marks`.
    """

    count: int
    undo: tuple[ChangeView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedPairView(PairView):
    """A pair after a change, with the changes that restore its previous marks."""

    count: int
    undo: tuple[ChangeView, ...]


def describe_marked(pair: PairView, undo: Sequence[PairMarks]) -> MarkedPairView:
    """Convert a pair after a change for the HTTP API. `undo` are the changes that restore its previous marks."""
    shown = {field.name: getattr(pair, field.name) for field in fields(pair)}
    return MarkedPairView(**shown, count=len(undo), undo=describe_changes(undo))


def describe_changed(undo: Sequence[PairMarks]) -> ChangedView:
    """Describe a change of several pairs for the HTTP API. `undo` are the changes that restore the previous marks."""
    return ChangedView(len(undo), describe_changes(undo))


def describe_changes(changes: Sequence[PairMarks]) -> tuple[ChangeView, ...]:
    """Convert changes of marks to the form that the HTTP API returns."""
    return tuple(cast("ChangeView", {"pair_id": change.pair_id, **change.marks}) for change in changes)
