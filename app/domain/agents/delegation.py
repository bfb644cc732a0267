"""Delegation: to which agents an agent may give a task, and how the model is told of them.

    >>> find_delegate([], "Reviewer", ())
    Traceback (most recent call last):
    app.domain.errors.InputError: agent: 'Reviewer' is no agent here. There are none.

Nobody gets back what came from them, however many hands it went through, and it goes through `MAX_DEEP` at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from app.domain.agents.agents import Agent
from app.domain.errors import ConflictError, InputError
from app.domain.pattern import fold
from app.domain.tools.tools import BUILT_IN, Tool

MAX_DEEP: Final = 3
"""Hands that a piece of work goes through at most, the first one's not counted."""
MAX_TASK: Final = 100_000
"""Characters of a task at most."""

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
        '"task":{"description":"What it is to do, with all it needs to know.","minLength":1,"type":"string"}},'
        '"required":["agent","task"],"type":"object"}'
    ),
    read_only=False,
)


def describe_delegates(tool: Tool, agents: Sequence[Agent], asking: Agent | None) -> Tool | None:
    """The tool with the agents that there are besides the one `asking`; None: nobody is there to hand anything to."""
    others = [agent for agent in agents if asking is None or agent.id != asking.id]
    if not others:
        return None
    named = "; ".join(f"{one.name}: {one.description}" if one.description else one.name for one in others)
    return replace(tool, description=f"{tool.description} The agents are: {named}")


def find_delegate(agents: Sequence[Agent], name: str, above: Sequence[str | None]) -> Agent:
    """The agent of that name, case aside. `above` are the ids of the agents that the work came through.

    Raises:
        InputError: there is none of that name.
        ConflictError: the work came from it, or through too many hands.
    """
    found = next((agent for agent in agents if fold(agent.name) == fold(name.strip())), None)
    if found is None:
        there = f"There are: {', '.join(agent.name for agent in agents)}." if agents else "There are none."
        raise InputError("agent", f"{name[:80]!r} is no agent here. {there}")
    if found.id in above:
        raise ConflictError(f"This work came from {found.name}: it is not handed back. Answer it instead.")
    if len(above) > MAX_DEEP:
        raise ConflictError(f"This work came through {MAX_DEEP} hands already. Answer it instead of handing it on.")
    return found
