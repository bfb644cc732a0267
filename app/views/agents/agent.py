"""Views of agents with all their settings, for the API and for files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from app.domain.agents.agents import Agent
from app.domain.tools.permissions import AllowedTool
from app.views.request.parameters import ParametersView, show_parameters

AGENTS_FORMAT = "inview-agents"
AGENTS_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenAgent:
    """An agent with its settings, in the form of an exported file, which has no times of creation and change.

    - `model`: null means the model of the conversation.
    - `server_ids`: null means the tools of all servers.
    - `allowed_tools`: null means that the agent may call all tools, but a person must allow each call.
    """

    id: str
    name: str
    icon: str
    description: str
    model: str | None
    system_prompt: str
    parameters: ParametersView
    server_ids: tuple[str, ...] | None
    allowed_tools: tuple[AllowedTool, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentView(WrittenAgent):
    """An agent with its settings, and the times when it was created and changed."""

    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class AgentsView:
    """All agents of an owner, sorted by name."""

    items: tuple[AgentView, ...]


@dataclass(frozen=True, slots=True)
class AgentsFile:
    """The content of a file that agents were exported to."""

    format: str
    version: int
    exported_at: datetime
    agents: tuple[WrittenAgent, ...]


def describe_agent(agent: Agent) -> AgentView:
    return AgentView(**_values_of(agent), created_at=agent.created_at, updated_at=agent.updated_at)


def write_agents(agents: Sequence[Agent], at: datetime) -> AgentsFile:
    return AgentsFile(AGENTS_FORMAT, AGENTS_VERSION, at, tuple(WrittenAgent(**_values_of(agent)) for agent in agents))


def _values_of(agent: Agent) -> dict[str, Any]:
    values = {field.name: getattr(agent, field.name) for field in fields(WrittenAgent)}
    return values | {"parameters": show_parameters(agent.parameters)}
