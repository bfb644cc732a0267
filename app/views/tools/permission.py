"""Views of permissions: pending and decided requests, and the rules that a person made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.domain.tools.arguments import read_arguments
from app.domain.tools.permission_requests import PermissionRequest, PermissionStatus, describe_standing
from app.domain.tools.permissions import PermissionScope, Rule


@dataclass(frozen=True, slots=True)
class PermissionView:
    """A tool call that needs a person's permission. `tool` is its name for models, `tool_name` its name on the server.

    - `conversation_id`: the conversation of the call.
    - `shown_in`: the conversation whose page shows it: for delegated work, the conversation that started the work.
    - `input`: the arguments as the model wrote them.
    - `run_input`: the allowed arguments; null: not allowed.
    - `seconds_left`: the time until the request expires.
    - `sentence` describes the status.
    - `agent_id`, `agent_name`: the agent that makes the call; null: no agent.
    """

    id: str
    conversation_id: str
    shown_in: str
    run_id: str
    pair_id: str
    tool_call_id: str
    server_id: str
    server: str
    tool: str
    tool_name: str
    title: str
    description: str
    input: Mapping[str, Any]
    run_input: Mapping[str, Any] | None
    standing: PermissionStatus
    scope: PermissionScope | None
    sentence: str
    asked_at: datetime
    expires_at: datetime
    seconds_left: float
    settled_at: datetime | None
    agent_id: str | None
    agent_name: str | None


@dataclass(frozen=True, slots=True)
class PermissionsView:
    """The pending permission requests, oldest first."""

    items: tuple[PermissionView, ...]


@dataclass(frozen=True, slots=True)
class RuleView:
    """A permission rule that allows the calls of a tool: no person is asked about them.

    `arguments` are patterns for the arguments by name; empty: any arguments. The rule applies in the conversation
    `conversation_id`; null: in all conversations. It applies to calls of the agent `agent_id`; null: to all calls.
    """

    id: str
    server_id: str
    server: str
    tool_name: str
    title: str
    scope: PermissionScope
    conversation_id: str | None
    agent_id: str | None
    arguments: Mapping[str, str]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class RulesView:
    """All current permission rules, newest first."""

    items: tuple[RuleView, ...]


def describe_permission(request: PermissionRequest, now: datetime) -> PermissionView:
    """Convert a permission request to the form that the HTTP API returns, at the time `now`."""
    left = (request.expires_at - now).total_seconds() if request.standing is PermissionStatus.PENDING else 0.0
    return PermissionView(
        id=request.id,
        conversation_id=request.conversation_id,
        shown_in=request.shown_in,
        run_id=request.run_id,
        pair_id=request.pair_id,
        tool_call_id=request.tool_call_id,
        server_id=request.server_id,
        server=request.server_name,
        tool=request.name,
        tool_name=request.tool_name,
        title=request.title,
        description=request.description,
        input=read_arguments(request.input_json),
        run_input=None if request.run_json is None else read_arguments(request.run_json),
        standing=request.standing,
        scope=request.scope,
        sentence=describe_standing(request),
        asked_at=request.asked_at,
        expires_at=request.expires_at,
        seconds_left=max(0.0, round(left, 1)),
        settled_at=request.settled_at,
        agent_id=request.agent_id,
        agent_name=request.agent_name,
    )


def describe_rule(rule: Rule, server: str, title: str, created_at: datetime) -> RuleView:
    """Convert a permission rule for the HTTP API. `server` is the name of the tool's server, `title` its own title."""
    return RuleView(
        id=rule.id,
        server_id=rule.server_id,
        server=server,
        tool_name=rule.tool_name,
        title=title,
        scope=rule.scope,
        conversation_id=rule.conversation_id,
        agent_id=rule.agent_id,
        arguments={each.name: each.pattern for each in rule.arguments},
        created_at=created_at,
    )
