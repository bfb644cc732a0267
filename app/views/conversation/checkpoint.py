"""Views of checkpoints, and of the summaries that become checkpoints."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.conversation.conversation import Checkpoint
from app.views.conversation.run import DerivedRunView


@dataclass(frozen=True, slots=True)
class CheckpointView:
    """A summary that is sent instead of the pairs before `position`."""

    summary: str
    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryView(DerivedRunView):
    """A running summary call: the number of pairs that it reads, and the position before which they are."""

    pair_count: int
    position: int


@dataclass(frozen=True, slots=True)
class SummaryPlanView:
    """The request that a summary would send: its pairs, tokens and cost. The summary replaces the pairs before
    `position`.

    `cost` is the price of reading in US dollars as decimal text; "unknown" if the model has no known price. `unread`
    pairs before that position would no longer be sent, and the summary would not contain them.
    """

    model: str
    pair_count: int
    position: int
    tokens: int
    cost: str
    unread: int


def describe_checkpoint(checkpoint: Checkpoint) -> CheckpointView:
    """Return the view of the checkpoint."""
    return CheckpointView(checkpoint.summary, checkpoint.position)
