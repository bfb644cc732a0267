"""Views of a comparison: the models that answer one request, their conversations, and the replies so far."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.domain.compare.comparisons import ComparedRun, Comparison
from app.views.conversation.marks import ChangeView
from app.views.conversation.pair import PairView


@dataclass(frozen=True, slots=True)
class ComparedView:
    """The run of one model in a comparison.

    `sent_pairs` is the number of pairs in its request, `events` the address of its event stream.
    """

    model: str
    conversation_id: str
    pair_id: str
    run_id: str
    sent_pairs: int
    events: str


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """A comparison: one request, and a run for each model.

    `pair_id` is the pair that is answered again; null: the reply that the user keeps becomes a new pair.
    """

    id: str
    conversation_id: str
    pair_id: str | None
    text: str
    runs: tuple[ComparedView, ...]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ComparisonNowView(ComparisonView):
    """A comparison with its current replies: `pairs` are in the order of `runs`."""

    pairs: tuple[PairView, ...]


@dataclass(frozen=True, slots=True)
class KeptView:
    """The pair with the reply that the user kept. The other replies are versions of the pair.

    If the comparison answered a pair again:

    - `replaced`: the version that the kept reply replaced, otherwise null.
    - `undo`: the changes that restore the later pairs that were discarded (`POST …/marks`).
    """

    pair_id: str
    replaced: int | None
    undo: tuple[ChangeView, ...]


def describe_comparison(comparison: Comparison) -> ComparisonView:
    """Convert a comparison to the form that the HTTP API returns."""
    runs = tuple(map(_describe_run, comparison.runs))
    return ComparisonView(
        comparison.id, comparison.conversation_id, comparison.pair_id, comparison.text, runs, comparison.created_at
    )


def describe_comparison_now(comparison: Comparison, pairs: tuple[PairView, ...]) -> ComparisonNowView:
    """Convert a comparison with its current replies for the HTTP API. `pairs` are in the order of its runs."""
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
