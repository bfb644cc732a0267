"""Builders of domain values for tests: a case names only what matters to it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from app.domain.conversation.conversation import Message, Pair, Parameters, Role
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Part, Text
from app.domain.errors import Failure
from app.domain.run.rounds import ToolLimits
from app.domain.run.run import RunStart, RunState, start_run

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


def a_message(*parts: Part, role: Role = Role.USER, message_id: str = "m1") -> Message:
    return Message(message_id, role, parts, EPOCH)


def a_pair(
    request: str | tuple[Part, ...] = "What is 2 + 2?",
    reply: str | tuple[Part, ...] | None = "4",
    *,
    position: int = 1,
    lifecycle: Lifecycle = Lifecycle.SUCCEEDED,
    failure: Failure | None = None,
    parameters: Parameters | None = None,
) -> Pair:
    asked = (Text(request),) if isinstance(request, str) else request
    answered = (Text(reply),) if isinstance(reply, str) else reply
    at = EPOCH + timedelta(minutes=position)
    return Pair(
        id=f"p{position}",
        conversation_id="c1",
        position=position,
        request=a_message(*asked, message_id=f"u{position}"),
        reply=None if answered is None else a_message(*answered, role=Role.ASSISTANT, message_id=f"a{position}"),
        model="offline:demo",
        lifecycle=lifecycle,
        created_at=at,
        updated_at=at,
        failure=failure,
        parameters=parameters or Parameters(),
    )


def a_run(tools: ToolLimits | None = None) -> RunState:
    return start_run(RunStart("r1", "p1", "c1", "offline:demo", "hash", tools))[0]
