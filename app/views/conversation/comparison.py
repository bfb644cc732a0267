"""Views of a comparison: the models that answer one request, their conversations, and the replies so far."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.domain.conversation.comparisons import ComparedRun, Comparison
from app.views.conversation.marks import ChangeView
from app.views.conversation.pair import PairView


@dataclass(frozen=True, slots=True)
class ComparedView:
    """The run of one model. `sent_pairs` is the number of pairs in its request, `events` the address of its events."""

    model: str
    conversation_id: str
    pair_id: str
    run_id: str
    sent_pairs: int
    events: str


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """One request and its runs. `pair_id`: the pair that is answered again; null: the kept reply makes a new pair."""

    id: str
    conversation_id: str
    pair_id: str | None
    text: str
    runs: tuple[ComparedView, ...]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ComparisonNowView(ComparisonView):
    """A comparison with the replies as they are stored now, in the order of `runs`."""

    pairs: tuple[PairView, ...]


@dataclass(frozen=True, slots=True)
class KeptView:
    """The pair with the kept reply. The other replies are its versions.

    If the pair was answered again, `replaced` is its previous version, and `undo` restores, by `POST …/marks`, the
    later pairs that were discarded.
    """

    pair_id: str
    replaced: int | None
    undo: tuple[ChangeView, ...]


def describe_comparison(comparison: Comparison) -> ComparisonView:
    """Return the view of the comparison."""
    runs = tuple(map(_describe_run, comparison.runs))
    return ComparisonView(
        comparison.id, comparison.conversation_id, comparison.pair_id, comparison.text, runs, comparison.created_at
    )


def describe_comparison_now(comparison: Comparison, pairs: tuple[PairView, ...]) -> ComparisonNowView:
    """Return the view of the comparison with its replies."""
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
