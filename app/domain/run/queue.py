"""The queue of a conversation: texts that a person sent during a reply. A queue can be held: then it sends nothing.

    >>> move(("a", "b", "c"), "c", 0)
    ('c', 'a', 'b')

A queued text keeps the filter, model and topic that were set when it was queued. The pairs in view are selected when
the text is sent, because they include the pair whose reply the text waits for.

Not here: storing the queue (`store/run/queues.py`) and sending its texts (`runs/send/queue.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import assert_never

from app.domain.conversation.conversation import Parameters
from app.domain.conversation.damage import Damage, DamagedRowError
from app.domain.conversation.parts import Part
from app.domain.run.run import Canceled, Failed, Outcome, Succeeded
from app.domain.settings.preferences import OverBudget

MAX_QUEUED = 50
"""Maximum number of queued texts per conversation. A client that needs more probably ignores the replies."""


class HoldReason(StrEnum):
    """The reason why a queue sends nothing until a person resumes it."""

    PAUSED = "paused"
    STOPPED = "stopped"
    FAILED = "failed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Hold:
    """The state of a queue that is held. `message` is the error that caused the hold; "": there was no error."""

    reason: HoldReason
    message: str = ""


@dataclass(frozen=True, slots=True)
class QueuedText:
    """One queued text with the options of its send. Every edit increases `version`.

    - `agent_id`: "": no agent; None: the conversation's agent.
    - `attached`: the files that are sent with the text.
    - `damage`: unreadable values. A text with damage is never sent and can only be removed.
    """

    id: str
    conversation_id: str
    text: str
    filter: str
    model: str | None
    agent_id: str | None
    topic: str | None
    zone: str
    parameters: Parameters
    over_budget: OverBudget | None
    created_at: datetime
    version: int = 1
    attached: tuple[Part, ...] = ()
    damage: tuple[Damage, ...] = ()


def require_readable(item: QueuedText) -> None:
    """Refuse a queued text with unreadable values.

    Raises:
        DamagedRowError: a stored value of the text cannot be read, so the content of its send is not fully known.
    """
    if item.damage:
        raise DamagedRowError(item.damage[0])


@dataclass(frozen=True, slots=True)
class Queue:
    """The queued texts of a conversation, the next one first. `hold` is None if the queue is not held."""

    items: tuple[QueuedText, ...] = ()
    hold: Hold | None = None


def decide_hold(outcome: Outcome) -> Hold | None:
    """Return the hold of the queue after a reply with this outcome.

    Return None if the reply succeeded, so that the next text is sent.
    """
    match outcome:
        case Succeeded():
            return None
        case Canceled():
            return Hold(HoldReason.STOPPED)
        case Failed(reason):
            return Hold(HoldReason.FAILED, str(reason))
        case _:
            assert_never(outcome)


def move(ids: tuple[str, ...], moved: str, place: int) -> tuple[str, ...]:
    """Return the ids with the id `moved` at another place, counted from 0. A place beyond the end means the end."""
    others = [one for one in ids if one != moved]
    others.insert(place, moved)
    return tuple(others)
