"""Views of a run: its status, without its text."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.run.run import Failed, RunState, Succeeded, lifecycle_of
from app.domain.stream.stream_events import StopReason
from app.views.conversation.pair import FailureView, UsageView, describe_failure, describe_usage


@dataclass(frozen=True, slots=True)
class RunView:
    """A run, the work of getting one reply. `lifecycle` is the status of the reply."""

    run_id: str
    pair_id: str
    model: str
    content_hash: str
    lifecycle: Lifecycle
    error: FailureView | None
    stop_reason: StopReason | None
    usage: UsageView | None


@dataclass(frozen=True, slots=True)
class StartedRunView:
    """A run that was just started. `events` is the address of its event stream."""

    run_id: str
    pair_id: str
    content_hash: str
    events: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedRunView(StartedRunView):
    """A child call, such as a title or a summary, that was just started.

    `conversation_id` is the conversation of kind `tool` that contains the call.
    """

    conversation_id: str


def describe_run(state: RunState) -> RunView:
    """Convert the status of a run to the form that the HTTP API returns."""
    outcome = state.outcome
    return RunView(
        run_id=state.start.run_id,
        pair_id=state.start.pair_id,
        model=state.start.model,
        content_hash=state.start.request_hash,
        lifecycle=lifecycle_of(state),
        error=describe_failure(outcome.reason) if isinstance(outcome, Failed) else None,
        stop_reason=outcome.stop_reason if isinstance(outcome, Succeeded) else None,
        usage=None if state.usage is None else describe_usage(state.usage),
    )
