"""The queue of a conversation: texts that were sent while a reply ran, and why they are held if they are.

    >>> move(("a", "b", "c"), "c", 0)
    ('c', 'a', 'b')

A queued text is frozen as a send is: its filter, model and topic are those of the moment in which it was queued. Which
pairs are in view is read when its turn comes, as the reply it waits for is one of them.

Not here: storing it (`store/run/queues.py`) and sending it (`runs/send/queue.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import assert_never

from app.domain.conversation.conversation import Parameters
from app.domain.conversation.damage import Damage, DamagedRowError
from app.domain.conversation.parts import Part
from app.domain.preferences import OverBudget
from app.domain.run.run import Canceled, Failed, Outcome, Succeeded

MAX_QUEUED = 50
"""Texts that may wait in one conversation: more is a program that does not look at what comes back."""


class HoldReason(StrEnum):
    """Why nothing is sent out of a queue until a person says so."""

    PAUSED = "paused"
    STOPPED = "stopped"
    FAILED = "failed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Hold:
    """A queue that waits for a person. `message` is what went wrong, "" if nothing did."""

    reason: HoldReason
    message: str = ""


@dataclass(frozen=True, slots=True)
class QueuedText:
    """One text that waits, and how it is to be sent. `version` grows with every edit of it.

    `agent_id` "": under no agent; None: under the conversation's. `attached` goes with the text. With `damage` it is
    never sent: it can be dropped.
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
    """Refuse a queued text with damage.

    Raises:
        DamagedRowError: something of it cannot be read, so it is unknown how to send it.
    """
    if item.damage:
        raise DamagedRowError(item.damage[0])


@dataclass(frozen=True, slots=True)
class Queue:
    """What waits in a conversation, the next one first."""

    items: tuple[QueuedText, ...] = ()
    hold: Hold | None = None


def decide_hold(outcome: Outcome) -> Hold | None:
    """What the end of a reply means for what waits for it: only a success lets the next text go."""
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
    """The ids with one of them at another place, counted from 0; beyond the end is the end."""
    others = [one for one in ids if one != moved]
    others.insert(place, moved)
    return tuple(others)
