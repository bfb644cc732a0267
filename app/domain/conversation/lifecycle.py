"""The lifecycle of a pair, defined by one transition table. No other module defines transitions.

>>> apply_step(Lifecycle.IDLE, Step.SEND)
<Lifecycle.SENDING: 'sending'>
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from app.domain.errors import IllegalTransitionError


class Lifecycle(StrEnum):
    """The status of a pair. It is `awaiting` while the reply is streaming."""

    IDLE = "idle"
    SENDING = "sending"
    AWAITING = "awaiting"
    SUCCEEDED = "succeeded"
    ERROR = "error"
    CANCELED = "canceled"


class Step(StrEnum):
    """An event that changes the status of a pair."""

    SEND = "send"
    ACCEPT = "accept"
    SUCCEED = "succeed"
    FAIL = "fail"
    CANCEL = "cancel"


TRANSITIONS: Mapping[tuple[Lifecycle, Step], Lifecycle] = MappingProxyType(
    {
        (Lifecycle.IDLE, Step.SEND): Lifecycle.SENDING,
        (Lifecycle.SENDING, Step.ACCEPT): Lifecycle.AWAITING,
        (Lifecycle.SENDING, Step.FAIL): Lifecycle.ERROR,
        (Lifecycle.SENDING, Step.CANCEL): Lifecycle.CANCELED,
        (Lifecycle.AWAITING, Step.SUCCEED): Lifecycle.SUCCEEDED,
        (Lifecycle.AWAITING, Step.FAIL): Lifecycle.ERROR,
        (Lifecycle.AWAITING, Step.CANCEL): Lifecycle.CANCELED,
        (Lifecycle.SUCCEEDED, Step.SEND): Lifecycle.SENDING,
        (Lifecycle.ERROR, Step.SEND): Lifecycle.SENDING,
        (Lifecycle.CANCELED, Step.SEND): Lifecycle.SENDING,
    }
)
"""Every allowed step. A `send` from a final status is “edit and resend”, or a new reply to the same request."""

RUNNING = frozenset({Lifecycle.SENDING, Lifecycle.AWAITING})
FINAL = frozenset({Lifecycle.SUCCEEDED, Lifecycle.ERROR, Lifecycle.CANCELED})


def apply_step(lifecycle: Lifecycle, step: Step) -> Lifecycle:
    """Return the status of a pair after a step.

    Raises:
        IllegalTransitionError: the table does not allow this step.
    """
    try:
        return TRANSITIONS[lifecycle, step]
    except KeyError:
        legal = ", ".join(allowed for (origin, allowed) in TRANSITIONS if origin is lifecycle)
        raise IllegalTransitionError(f"A pair that is {lifecycle} cannot {step}; it can: {legal}.") from None


def describe_diagram() -> str:
    """Return the transition table of a pair's lifecycle as a Mermaid state diagram, for the documentation."""
    lines = ["stateDiagram-v2", f"    [*] --> {Lifecycle.IDLE}"]
    lines += [f"    {origin} --> {target}: {step}" for (origin, step), target in TRANSITIONS.items()]
    return "\n".join(lines)
