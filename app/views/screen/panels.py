"""The panels besides the pairs, as views: the queue, calls that need a permission, compared replies, a retry."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from app.domain.conversation.comparisons import Comparison
from app.domain.conversation.parameters import describe_parameters
from app.domain.run.queue import Queue, QueuedText
from app.domain.tools.permission_requests import PermissionRequest
from app.views.conversation.queue import HoldView, describe_hold
from app.views.screen.failure import plain_message
from app.views.usage.figures import plural


@dataclass(frozen=True, slots=True)
class CountingView:
    """How far the counting of tokens is: so many pairs of so many."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class QueuedItemView:
    """A text that waits for the running reply. `model` "": the conversation's own. `version` grows with every edit.

    `files` says how many go with it, `asked` which parameters are set for it alone; "" for none.
    """

    id: str
    text: str
    model: str
    version: int
    files: str = ""
    asked: str = ""


@dataclass(frozen=True, slots=True)
class ScreenQueueView:
    """What waits in a conversation, the next one first, and why nothing is sent (None: nothing is held)."""

    items: tuple[QueuedItemView, ...] = ()
    held: HoldView | None = None


@dataclass(frozen=True, slots=True)
class PermissionItemView:
    """A call that waits for a person. `input_json` are its arguments as the model asked.

    `title` is the tool's own, "" if it has none. `conversation_id` is where the call is made, `shown_in` the
    conversation a person looks at. `seconds_left` until it is refused, counted when this value was made.
    """

    id: str
    conversation_id: str
    shown_in: str
    run_id: str
    pair_id: str
    tool_call_id: str
    server: str
    tool_name: str
    title: str
    description: str
    input_json: str
    seconds_left: float


@dataclass(frozen=True, slots=True)
class ComparedReplyView:
    """One model's part of a comparison. `sent_pairs`: how many pairs went with its request."""

    model: str
    conversation_id: str
    pair_id: str
    run_id: str
    sent_pairs: int


@dataclass(frozen=True, slots=True)
class ScreenComparisonView:
    """One request and the models that answer it. `pair_id` "": a new pair is to be made of the reply that is kept."""

    id: str
    conversation_id: str
    pair_id: str
    text: str
    runs: tuple[ComparedReplyView, ...]


@dataclass(frozen=True, slots=True)
class RetryView:
    """A failed attempt, counted from 1; the next is made at `until`, and this was at `now`. Both are ISO 8601."""

    pair_id: str
    attempt: int
    error_class: str
    message: str
    until: str
    now: str


@dataclass(frozen=True, slots=True)
class ToolProgressView:
    """How far a called tool is: `progress` of `total` (None: it does not say), and in words.

    `conversation_id` "": the tool works here; else where an agent does the work.
    """

    tool_call_id: str
    progress: float
    total: float | None
    message: str
    conversation_id: str


def show_queue(queue: Queue) -> ScreenQueueView:
    """The queue as the page shows it."""
    held = None if queue.hold is None else describe_hold(queue.hold)
    held = None if held is None else replace(held, message=plain_message(held.message))
    return ScreenQueueView(tuple(map(_show_queued, queue.items)), held)


def show_permission(request: PermissionRequest, now: datetime) -> PermissionItemView:
    """A call that waits, as of `now`."""
    left = (request.expires_at - now).total_seconds()
    return PermissionItemView(
        id=request.id,
        conversation_id=request.conversation_id,
        shown_in=request.shown_in,
        run_id=request.run_id,
        pair_id=request.pair_id,
        tool_call_id=request.tool_call_id,
        server=request.server_name,
        tool_name=request.tool_name,
        title=request.title,
        description=request.description,
        input_json=request.input_json,
        seconds_left=max(0.0, round(left, 1)),
    )


def show_comparison(comparison: Comparison) -> ScreenComparisonView:
    """The comparison as the page shows it."""
    runs = tuple(
        ComparedReplyView(
            model=run.model,
            conversation_id=run.conversation_id,
            pair_id=run.pair_id,
            run_id=run.run_id,
            sent_pairs=sum(last - first + 1 for first, last in run.sent),
        )
        for run in comparison.runs
    )
    return ScreenComparisonView(
        comparison.id, comparison.conversation_id, comparison.pair_id or "", comparison.text, runs
    )


def _show_queued(item: QueuedText) -> QueuedItemView:
    asked = describe_parameters(item.parameters)
    return QueuedItemView(item.id, item.text, item.model or "", item.version, _count_files(item), asked)


def _count_files(item: QueuedText) -> str:
    return plural(len(item.attached), "file") if item.attached else ""
