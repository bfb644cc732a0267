"""A permission request: a tool call that waits for a person, and the decision about it. A decision is final.

    pending ── allowed (once, for the conversation, for the agent, always; with the final arguments)
            ├─ denied
            └─ expired (no answer in time, the reply was stopped, its server was changed, or Inview ended)

    settled = settle(request, PersonAllowed(PermissionScope.ONCE), now)
    if isinstance(permission_of(settled), Allowed): ...     # the only path to a call that needs a person's permission

An answer at `expires_at` or later, from a person or a rule, does not count: the request expires instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, assert_never

from app.domain.errors import ConflictError
from app.domain.tools.arguments import read_arguments
from app.domain.tools.permissions import PermissionScope

ANSWER_TIME: Final = timedelta(minutes=5)
"""The time after which a permission request without an answer expires."""


class PermissionStatus(StrEnum):
    """The status of a permission request."""

    PENDING = "pending"
    ALLOWED = "allowed"
    DENIED = "denied"
    EXPIRED = "expired"


class ExpiryReason(StrEnum):
    """The reason why a permission request expired."""

    TIME = "time"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"
    CHANGED = "changed"
    """The settings of the tool's server were changed, or the server was deleted."""


@dataclass(frozen=True, slots=True)
class PermissionRequest:
    """A tool call that needs a person's permission.

    - `shown_in`: the conversation that shows the request to the person. For a call of a delegated task, it is the
      conversation where the delegation started.
    - `input_json`: the arguments as the model wrote them.
    - `run_json`: the arguments for the call; None if the call may not be made.
    - `scope`: set if a person allowed the call.
    - `rule_id`: set if a later rule allowed it.
    - `ending`: set if the request expired.
    - `agent_id`, `agent_name`: the agent that makes the call; None: no agent.
    """

    id: str
    conversation_id: str
    shown_in: str
    run_id: str
    pair_id: str
    tool_call_id: str
    server_id: str
    server_name: str
    tool_name: str
    name: str
    title: str
    description: str
    input_schema_json: str
    fingerprint: str
    input_json: str
    asked_at: datetime
    expires_at: datetime
    standing: PermissionStatus = PermissionStatus.PENDING
    run_json: str | None = None
    scope: PermissionScope | None = None
    rule_id: str | None = None
    ending: ExpiryReason | None = None
    settled_at: datetime | None = None
    agent_id: str | None = None
    agent_name: str | None = None


@dataclass(frozen=True, slots=True)
class PersonAllowed:
    """The event that a person allowed the tool call of a permission request.

    `edited_json` are the arguments that the person changed, or None.
    """

    scope: PermissionScope
    edited_json: str | None = None


@dataclass(frozen=True, slots=True)
class PersonDenied:
    """The event that a person denied the tool call of a permission request."""


@dataclass(frozen=True, slots=True)
class RuleCovered:
    """The event that a permission rule, which was made after the request, allows the requested tool call."""

    rule_id: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The event that the tool call of a permission request no longer waits for an answer."""

    ending: ExpiryReason


Event = PersonAllowed | PersonDenied | RuleCovered | Ended


class SettledError(ConflictError):
    """Error: the permission request was already decided."""

    def __init__(self, request: PermissionRequest) -> None:
        super().__init__(f"{describe_standing(request)} Nothing was changed. The reply shows the result of the call.")
        self.request = request


@dataclass(frozen=True, slots=True)
class Allowed:
    """The decision that a tool call may be made, with exactly these arguments."""

    input_json: str


@dataclass(frozen=True, slots=True)
class Denied:
    """The decision that a tool call must not be made. `reason` is a sentence for the model.

    `by_person`: a person denied the call.
    """

    reason: str
    by_person: bool = False


def settle(request: PermissionRequest, event: Event, now: datetime) -> PermissionRequest:
    """Return the permission request after an event.

    An answer that comes at `expires_at` or later does not count: the request expires instead.

    Raises:
        SettledError: the request was already decided.
    """
    if request.standing is not PermissionStatus.PENDING:
        raise SettledError(request)
    if now >= request.expires_at and not isinstance(event, Ended):
        event = Ended(ExpiryReason.TIME)
    match event:
        case PersonAllowed(scope, edited_json):
            run_json = request.input_json if edited_json is None else edited_json
            settled = replace(request, standing=PermissionStatus.ALLOWED, scope=scope, run_json=run_json)
        case RuleCovered(rule_id):
            settled = replace(request, standing=PermissionStatus.ALLOWED, rule_id=rule_id, run_json=request.input_json)
        case PersonDenied():
            settled = replace(request, standing=PermissionStatus.DENIED)
        case Ended(ending):
            settled = replace(request, standing=PermissionStatus.EXPIRED, ending=ending)
        case _:
            assert_never(event)
    return replace(settled, settled_at=now)


def permission_of(request: PermissionRequest) -> Allowed | Denied | None:
    """Return the decision about the tool call of a permission request, or None if the request is still pending."""
    match request.standing:
        case PermissionStatus.PENDING:
            return None
        case PermissionStatus.ALLOWED:
            if request.run_json is None:
                raise ValueError(f"Request {request.id} is allowed but has no arguments. This is a defect in Inview.")
            return Allowed(request.run_json)
        case PermissionStatus.DENIED:
            return Denied(
                "The person you work for did not allow this call. Do not try it again unless they ask for it.",
                by_person=True,
            )
        case PermissionStatus.EXPIRED:
            return Denied(_TOLD[request.ending or ExpiryReason.TIME])
        case _:
            assert_never(request.standing)


def describe_request(request: PermissionRequest) -> dict[str, Any]:
    """Return the data of a pending request for the event stream of the API."""
    return {
        "id": request.id,
        "tool_call_id": request.tool_call_id,
        "tool": request.name,
        "server": request.server_name,
        "title": request.title,
        "input": read_arguments(request.input_json),
        "expires_at": request.expires_at.isoformat().replace("+00:00", "Z"),
    }


def describe_standing(request: PermissionRequest) -> str:
    """Describe the status of a request in a sentence, for a person."""
    match request.standing:
        case PermissionStatus.PENDING:
            return "This call waits for an answer."
        case PermissionStatus.ALLOWED:
            return "This call was allowed." if request.rule_id is None else "This call was allowed by a rule."
        case PermissionStatus.DENIED:
            return "This call was denied."
        case PermissionStatus.EXPIRED:
            return _SAID[request.ending or ExpiryReason.TIME]
        case _:
            assert_never(request.standing)


_TOLD: Mapping[ExpiryReason, str] = MappingProxyType(
    {
        ExpiryReason.TIME: "No person answered in time, so this call was not made.",
        ExpiryReason.STOPPED: "The reply was stopped before a person allowed this call, so it was not made.",
        ExpiryReason.INTERRUPTED: "Inview ended before a person allowed this call, so it was not made.",
        ExpiryReason.CHANGED: (
            "The server of this tool was changed before a person allowed this call, so it was not made."
        ),
    }
)
_SAID: Mapping[ExpiryReason, str] = MappingProxyType(
    {
        ExpiryReason.TIME: "No person answered in time, so this call was not made.",
        ExpiryReason.STOPPED: "The reply was stopped before an answer, so this call was not made.",
        ExpiryReason.INTERRUPTED: "Inview ended before an answer, so this call was not made.",
        ExpiryReason.CHANGED: "The server of this tool was changed before an answer, so this call was not made.",
    }
)
