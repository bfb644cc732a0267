"""Views of checkpoints, and of summaries before they become checkpoints."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.conversation.conversation import Checkpoint
from app.views.conversation.run import DerivedRunView


@dataclass(frozen=True, slots=True)
class CheckpointView:
    """A summary that is sent instead of the pairs with positions lower than `position`."""

    summary: str
    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryView(DerivedRunView):
    """A summary call that was just started.

    It summarises `pair_count` of the pairs with positions lower than `position`.
    """

    pair_count: int
    position: int


@dataclass(frozen=True, slots=True)
class SummaryPlanView:
    """The request of a summary that was not sent yet: it would contain `pair_count` pairs with `tokens` tokens.

    - `position`: the summary would be sent instead of all pairs with lower positions.
    - `unread`: the number of these pairs that the filter hides: the summary would not cover them, and later sends would
      not contain them.
    - `cost`: the price of the request without its reply, in US dollars as decimal text; "unknown" if the price of the
      model is unknown.
    """

    model: str
    pair_count: int
    position: int
    tokens: int
    cost: str
    unread: int


def describe_checkpoint(checkpoint: Checkpoint) -> CheckpointView:
    """Convert a checkpoint to the form that the HTTP API returns."""
    return CheckpointView(checkpoint.summary, checkpoint.position)
