"""Delegation: an agent gives a task to another agent. This module has the tool for it and finds the other agent.

    >>> find_delegate([], "Reviewer", ())
    Traceback (most recent call last):
    app.domain.errors.InputError: agent: There is no agent 'Reviewer'. There are no agents.

A task is never delegated to an agent that has delegated it already. A task is delegated `MAX_DEEP` times at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from app.domain.agents.agents import Agent
from app.domain.errors import ConflictError, InputError
from app.domain.text.pattern import fold
from app.domain.tools.tools import BUILT_IN, Tool

MAX_DEEP: Final = 3
"""Maximum number of times that a task is passed on from agent to agent."""
DELEGATE: Final = Tool(
    name="delegate",
    server_id=BUILT_IN,
    server_name="Inview",
    tool_name="delegate",
    title="Delegate to an agent",
    description=(
        "Hands a task to another agent and waits for its answer. The agent sees nothing of this conversation: say in "
        "the task all that it needs to know."
    ),
    input_schema_json=(
        '{"additionalProperties":false,"properties":{"agent":{"description":"The name of the agent.","type":"string"},'
        '"task":{"description":"What it is to do, with all it needs to know.","maxLength":100000,"minLength":1,'
        '"type":"string"}},'
        '"required":["agent","task"],"type":"object"}'
    ),
    read_only=False,
)


def describe_delegates(tool: Tool, agents: Sequence[Agent], asking: Agent | None) -> Tool | None:
    """Return the tool for delegation. Its description lists all agents except `asking`, the agent that gets the tool.

    Return None if there are no other agents. Then the agent does not get the tool.
    """
    others = [agent for agent in agents if asking is None or agent.id != asking.id]
    if not others:
        return None
    named = "; ".join(f"{one.name}: {one.description}" if one.description else one.name for one in others)
    return replace(tool, description=f"{tool.description} The agents are: {named}")


def find_delegate(agents: Sequence[Agent], name: str, above: Sequence[str | None]) -> Agent:
    """Return the agent with this name, ignoring case. `above` are the ids of the agents that delegated the task so far.

    Raises:
        InputError: no agent has this name.
        ConflictError: this agent is in `above`, or the task was already delegated `MAX_DEEP` times.
    """
    found = next((agent for agent in agents if fold(agent.name) == fold(name.strip())), None)
    if found is None:
        there = f"The agents are: {', '.join(agent.name for agent in agents)}." if agents else "There are no agents."
        raise InputError("agent", f"There is no agent {name[:80]!r}. {there}")
    if found.id in above:
        raise ConflictError(f"{found.name} delegated this task, so you cannot delegate it back. Answer it yourself.")
    if len(above) > MAX_DEEP:
        raise ConflictError(
            f"This task was already delegated {MAX_DEEP} times. Answer it yourself instead of delegating it."
        )
    return found
