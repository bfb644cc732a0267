"""Views of the queue of a conversation: the queued texts, and the reason why none of them is sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, Literal

from app.domain.attachments.attachments import id_of
from app.domain.run.queue import Hold, HoldReason, Queue, QueuedText
from app.domain.settings.preferences import OverBudget
from app.views.encode import raw_json
from app.views.request.parameters import ParametersView, show_parameters

_SAID: Mapping[HoldReason, str] = MappingProxyType(
    {
        HoldReason.PAUSED: "The queue is paused.",
        HoldReason.STOPPED: "You stopped the reply, so the queue is paused.",
        HoldReason.FAILED: "The reply failed, so the queue is paused.",
        HoldReason.REFUSED: "The next message could not be sent.",
    }
)

_CHOICES: Mapping[OverBudget, Literal["cancel", "fit", "force"]] = MappingProxyType(
    {OverBudget.ASK: "cancel", OverBudget.FIT: "fit", OverBudget.FORCE: "force"}
)


@dataclass(frozen=True, slots=True)
class HoldView:
    """The reason why no queued text is sent. `sentence` describes it; `message` is the error behind it, or ""."""

    reason: HoldReason
    sentence: str
    message: str


@dataclass(frozen=True, slots=True)
class QueuedView:
    """A queued text with the options of its send. `version` increases with every edit.

    `attachments` are the ids of the images and files that are sent with the text.
    """

    id: str
    text: str
    filter: str
    model: str | None
    agent_id: str | None
    topic: str | None
    zone: str
    parameters: ParametersView
    schema: dict[str, Any] | None
    over_budget: Literal["cancel", "fit", "force"] | None
    attachments: tuple[str, ...]
    version: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class QueueView:
    """The queued texts of a conversation, the next one first.

    `held`: the reason why none is sent; null: the queue is not held.
    """

    items: tuple[QueuedView, ...]
    held: HoldView | None


def describe_queue(queue: Queue) -> QueueView:
    """Convert the queue of a conversation to the form that the HTTP API returns."""
    held = None if queue.hold is None else describe_hold(queue.hold)
    return QueueView(tuple(map(describe_queued, queue.items)), held)


def describe_queued(item: QueuedText) -> QueuedView:
    """Convert a queued text to the form that the HTTP API returns."""
    parameters = item.parameters
    schema: Any = None if parameters.reply_schema is None else raw_json(parameters.reply_schema.encode())
    return QueuedView(
        id=item.id,
        text=item.text,
        filter=item.filter,
        model=item.model,
        agent_id=item.agent_id,
        topic=item.topic,
        zone=item.zone,
        parameters=show_parameters(parameters),
        schema=schema,
        over_budget=None if item.over_budget is None else _CHOICES[item.over_budget],
        attachments=tuple(map(id_of, item.attached)),
        version=item.version,
        created_at=item.created_at,
    )


def describe_hold(hold: Hold) -> HoldView:
    """Convert the reason why a queue is held to the form that the HTTP API and the page use."""
    return HoldView(hold.reason, _SAID[hold.reason], hold.message)
