"""Checkpoints and the summaries they are made of, as shown."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.conversation.conversation import Checkpoint
from app.views.conversation.run import DerivedRunView


@dataclass(frozen=True, slots=True)
class CheckpointView:
    """A summary that is sent in the place of the pairs before `position`."""

    summary: str
    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryView(DerivedRunView):
    """A summary that is being written: of how many pairs, before which position."""

    pair_count: int
    position: int


@dataclass(frozen=True, slots=True)
class SummaryPlanView:
    """What a summary would read: so many pairs and tokens, for so much. It would stand before the pair at `position`.

    `cost` is US dollars as decimal text for reading it, "unknown" where nobody knows the price. `unread` pairs before
    that position would not be sent any more without being in the summary.
    """

    model: str
    pair_count: int
    position: int
    tokens: int
    cost: str
    unread: int


def describe_checkpoint(checkpoint: Checkpoint) -> CheckpointView:
    """The checkpoint as shown."""
    return CheckpointView(checkpoint.summary, checkpoint.position)
