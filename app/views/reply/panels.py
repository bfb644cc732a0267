"""Views of the elements around the pairs on the page: the queue, pending permission requests, a comparison, a retry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from app.domain.compare.comparisons import Comparison
from app.domain.conversation.parameters import describe_parameters
from app.domain.run.queue import Queue, QueuedText
from app.domain.tools.permission_requests import PermissionRequest
from app.domain.tools.tools import BUILT_IN
from app.views.conversation.queue import HoldView, describe_hold
from app.views.reply.failure import plain_message
from app.views.usage.figures import plural


@dataclass(frozen=True, slots=True)
class CountingView:
    """The progress of counting tokens: `done` of `total` pairs are counted."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class QueuedItemView:
    """A queued text, which waits for the running reply. `version` increases with every edit.

    - `model_name`: the display name of its model, "" for the model of the conversation.
    - `files`: describes the number of its files, "" for none.
    - `asked`: describes the parameters that are set only for this text, "" for none.
    """

    id: str
    text: str
    model_name: str
    version: int
    files: str = ""
    asked: str = ""


@dataclass(frozen=True, slots=True)
class ScreenQueueView:
    """The queued texts of a conversation, the next one first.

    `held`: the reason why none is sent; None: the queue is not held.
    """

    items: tuple[QueuedItemView, ...] = ()
    held: HoldView | None = None


@dataclass(frozen=True, slots=True)
class PermissionItemView:
    """A tool call that waits for a person's permission. `input_json` are its arguments as the model wrote them.

    - `title`: the title of the tool, "" if it has none.
    - `conversation_id`: the conversation of the call.
    - `shown_in`: the conversation whose page shows it: for delegated work, the conversation that started the work.
    - `seconds_left`: the time until the call is denied, counted from the creation of this object.
    - `agent`: the name of the agent that makes the call, "" if no agent does.
    - `built_in`: the tool is one of Inview.
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
    agent: str = ""
    built_in: bool = False


@dataclass(frozen=True, slots=True)
class ComparedReplyView:
    """The reply of one model in a comparison. `sent_pairs` is the number of pairs in its request.

    `model_name` is the display name of `model`, "" if it is not known.
    """

    model: str
    conversation_id: str
    pair_id: str
    run_id: str
    sent_pairs: int
    model_name: str = ""


@dataclass(frozen=True, slots=True)
class ScreenComparisonView:
    """A comparison: one request, and a run for each model that answers it.

    `pair_id` is the pair that is answered again; "": the reply that the user keeps becomes a new pair.
    """

    id: str
    conversation_id: str
    pair_id: str
    text: str
    runs: tuple[ComparedReplyView, ...]


@dataclass(frozen=True, slots=True)
class RetryView:
    """A failed attempt of a run that waits for its next attempt. `attempt` is the number of the failed attempt, from 1.

    The attempt failed at `now`, and the next attempt starts at `until`. Both are ISO 8601.
    """

    pair_id: str
    attempt: int
    error_class: str
    message: str
    until: str
    now: str


@dataclass(frozen=True, slots=True)
class ToolProgressView:
    """The progress of a tool call: `progress` of `total` (None: unknown), and a message.

    `conversation_id` is the conversation of the agent that does delegated work; "": another kind of tool.
    """

    tool_call_id: str
    progress: float
    total: float | None
    message: str
    conversation_id: str


def show_queue(queue: Queue, names: Mapping[str, str]) -> ScreenQueueView:
    """Describe the queue for the page. `names` has the display names of the models."""
    held = None if queue.hold is None else describe_hold(queue.hold)
    held = None if held is None else replace(held, message=plain_message(held.message))
    return ScreenQueueView(tuple(_show_queued(item, names) for item in queue.items), held)


def show_permission(request: PermissionRequest, now: datetime) -> PermissionItemView:
    """Describe a pending permission request for the page, at the time `now`."""
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
        agent=request.agent_name or "",
        built_in=request.server_id == BUILT_IN,
    )


def show_comparison(comparison: Comparison, names: Mapping[str, str]) -> ScreenComparisonView:
    """Describe a comparison for the page. `names` has the display names of its models."""
    runs = tuple(
        ComparedReplyView(
            model=run.model,
            conversation_id=run.conversation_id,
            pair_id=run.pair_id,
            run_id=run.run_id,
            sent_pairs=sum(last - first + 1 for first, last in run.sent),
            model_name=names.get(run.model, ""),
        )
        for run in comparison.runs
    )
    return ScreenComparisonView(
        comparison.id, comparison.conversation_id, comparison.pair_id or "", comparison.text, runs
    )


def _show_queued(item: QueuedText, names: Mapping[str, str]) -> QueuedItemView:
    name = "" if item.model is None else names.get(item.model, item.model)
    parameters = describe_parameters(item.parameters)
    return QueuedItemView(item.id, item.text, name, item.version, _count_files(item), parameters)


def _count_files(item: QueuedText) -> str:
    return plural(len(item.attached), "file") if item.attached else ""
