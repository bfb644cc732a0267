"""Views of checkpoints, and of summaries before they become checkpoints."""

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
    """A summary call that was just started. It summarises `pair_count` of the pairs before `position`."""

    pair_count: int
    position: int


@dataclass(frozen=True, slots=True)
class SummaryPlanView:
    """The request of a summary that was not sent yet: it would contain `pair_count` pairs with `tokens` tokens.

    The summary would be sent instead of all pairs before `position`. `unread` of these are not part of the request, so
    later sends would contain neither them nor their content. `cost` is the price of the request without its reply, in
    US dollars as decimal text; "unknown" if the price of the model is unknown.
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
