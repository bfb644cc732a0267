"""A comparison as shown: which models answer one request, where, and (for programs) what they have said so far."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.domain.conversation.comparisons import ComparedRun, Comparison
from app.views.conversation.marks import ChangeView
from app.views.conversation.pair import PairView


@dataclass(frozen=True, slots=True)
class ComparedView:
    """One model's part. `sent_pairs`: how many pairs went with its request. `events` is where it can be followed."""

    model: str
    conversation_id: str
    pair_id: str
    run_id: str
    sent_pairs: int
    events: str


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """One request and who answers it. `pair_id`: the pair that is answered again; null: a new one is to be."""

    id: str
    conversation_id: str
    pair_id: str | None
    text: str
    runs: tuple[ComparedView, ...]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ComparisonNowView(ComparisonView):
    """The same with the replies as they are stored now, in the order of `runs`."""

    pairs: tuple[PairView, ...]


@dataclass(frozen=True, slots=True)
class KeptView:
    """The pair in which the reply that was kept stands, the others as its versions.

    Of a pair that was answered again `replaced` is the version that stood there, and `undo` brings back, by
    `POST …/marks`, the pairs after it that were discarded.
    """

    pair_id: str
    replaced: int | None
    undo: tuple[ChangeView, ...]


def describe_comparison(comparison: Comparison) -> ComparisonView:
    """The comparison as shown."""
    runs = tuple(map(_describe_run, comparison.runs))
    return ComparisonView(
        comparison.id, comparison.conversation_id, comparison.pair_id, comparison.text, runs, comparison.created_at
    )


def describe_comparison_now(comparison: Comparison, pairs: tuple[PairView, ...]) -> ComparisonNowView:
    """The comparison with what was said."""
    shown = describe_comparison(comparison)
    return ComparisonNowView(
        shown.id, shown.conversation_id, shown.pair_id, shown.text, shown.runs, shown.created_at, pairs
    )


def _describe_run(run: ComparedRun) -> ComparedView:
    return ComparedView(
        model=run.model,
        conversation_id=run.conversation_id,
        pair_id=run.pair_id,
        run_id=run.run_id,
        sent_pairs=sum(last - first + 1 for first, last in run.sent),
        events=f"/api/v1/runs/{run.run_id}/events",
    )
