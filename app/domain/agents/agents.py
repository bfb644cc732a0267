"""Agents: each has a name, a system prompt, a model, parameters and tools.

The prompt of an agent is always visible: it is the first card of the history, above the conversation's system prompt. A
send can name the agent that answers. Otherwise the conversation's agent answers. If the conversation has none, the
agent that was used last answers. The limit for an agent's cost is a budget like any other (`domain/costs/budgets.py`).

    >>> at = datetime(2026, 1, 31)
    >>> reviewer = Agent("a1", "local", "Reviewer", at, at, parameters=Parameters(temperature=0.2, seed=7))
    >>> require_usable(reviewer)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from app.domain.conversation.conversation import Parameters
from app.domain.conversation.damage import Damage, DamagedRowError
from app.domain.conversation.parameters import require_parameters
from app.domain.errors import ConflictError, InputError
from app.domain.models.model_profile import split_model_name
from app.domain.text.pattern import fold
from app.domain.tools.permissions import AllowedTool, covers_name
from app.domain.tools.tools import BUILT_IN, Tool

MAX_NAME = 60
"""Maximum number of characters of an agent's name."""
MAX_ICON = 8
"""Maximum number of code points of an icon, enough for the longest emoji."""
MAX_DESCRIPTION = 500
MAX_PROMPT = 200_000
MAX_AGENTS = 200
"""Maximum number of agents of an owner: menus show all of them."""
MAX_SERVERS = 100
MAX_ALLOWED = 500
"""Maximum number of entries in an agent's list of allowed tools."""
MAX_PATTERNS = 20
MAX_PATTERN = 1000


@dataclass(frozen=True, slots=True)
class Agent:
    """A named set of system prompt, model, parameters and tools that answers in a conversation.

    - `description`: the purpose of the agent; other agents read it.
    - `model`: None means the conversation's model.
    - `server_ids`: the servers whose tools the agent has; None: all servers.
    - `allowed_tools`: the tools that it may call; None: all tools, but each call needs a person's permission.
    - `deleted_at`: the time of its deletion. A deleted agent cannot answer, but its earlier replies still show its
      name.
    - `damage`: its unreadable values. An agent with damage cannot send.
    """

    id: str
    owner: str
    name: str
    created_at: datetime
    updated_at: datetime
    icon: str = ""
    description: str = ""
    model: str | None = None
    system_prompt: str = ""
    parameters: Parameters = field(default_factory=Parameters)
    server_ids: tuple[str, ...] | None = None
    allowed_tools: tuple[AllowedTool, ...] | None = None
    deleted_at: datetime | None = None
    damage: tuple[Damage, ...] = ()


def require_readable(agent: Agent) -> None:
    """Refuse an agent with unreadable values.

    Raises:
        DamagedRowError: a stored value of the agent cannot be read, so the content of a send is unknown.
    """
    if agent.damage:
        raise DamagedRowError(agent.damage[0])


def has_tool(agent: Agent, tool: Tool) -> bool:
    """Return true if an agent can call a tool.

    A built-in tool belongs to no server, so `server_ids` does not exclude it.
    """
    if agent.server_ids is not None and tool.server_id not in {BUILT_IN, *agent.server_ids}:
        return False
    if agent.allowed_tools is None:
        return True
    return any(
        entry.server_id == tool.server_id and covers_name(entry.tool, tool.tool_name) for entry in agent.allowed_tools
    )


def ask_always(entries: tuple[AllowedTool, ...] | None) -> tuple[AllowedTool, ...] | None:
    """Return an agent's list of allowed tools with `ask` set in each entry, so that a person decides about each call.

    An agent without a list keeps None. Imports use this function, because an imported agent must not bring permissions.
    """
    return None if entries is None else tuple(replace(entry, ask=True) for entry in entries)


def require_usable(agent: Agent) -> None:
    """Refuse an agent with an invalid value.

    Raises:
        InputError: a value is invalid. The error names the first such field.
    """
    _require_line("name", agent.name, MAX_NAME, "Give the agent a name.")
    if agent.icon:
        _require_line("icon", agent.icon, MAX_ICON, "Leave it empty for the first letter of the name.")
    if agent.description:
        _require_line("description", agent.description, MAX_DESCRIPTION, "Leave it empty, or write a sentence.")
    _require_text("system_prompt", agent.system_prompt, MAX_PROMPT)
    if agent.model is not None:
        split_model_name(agent.model)
    require_parameters(agent.parameters)
    if agent.server_ids is not None and len(set(agent.server_ids)) != len(agent.server_ids):
        raise InputError("server_ids", "names a server twice. Name each once.")
    for place, entry in enumerate(agent.allowed_tools or ()):
        _require_allowed(f"allowed_tools.{place}", entry)


def require_free(agents: Iterable[Agent], agent: Agent) -> None:
    """Refuse an agent with the name of another one, ignoring case: filters and other agents refer to agents by name.

    Raises:
        ConflictError: another agent has the name.
    """
    for other in agents:
        if other.id != agent.id and other.deleted_at is None and fold(other.name) == fold(agent.name):
            raise ConflictError(f"An agent named {other.name!r} already exists. Choose another name.")


def free_name(name: str, taken: Iterable[str]) -> str:
    """Return the name if no agent has it, otherwise the name with the first number that makes it free.

    >>> free_name("Reviewer", ["reviewer", "Reviewer 2"])
    'Reviewer 3'
    """
    names = set(map(fold, taken))
    if fold(name) not in names:
        return name
    number = 2
    while fold(numbered := f"{name[: MAX_NAME - len(f' {number}')]} {number}") in names:
        number += 1
    return numbered


def _require_line(field_name: str, text: str, most: int, advice: str) -> None:
    if not text.strip():
        raise InputError(field_name, f"is blank. {advice}")
    if text != text.strip():
        raise InputError(field_name, "begins or ends with a space. Remove it.")
    if "\n" in text or "\r" in text:
        raise InputError(field_name, "has a line break. Write it on one line.")
    _require_text(field_name, text, most)


def _require_text(field_name: str, text: str, most: int) -> None:
    if len(text) > most:
        raise InputError(field_name, f"has {len(text):,} characters. The maximum is {most:,}.")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise InputError(field_name, "has an incomplete character (a lone surrogate). Correct it.")
    if "\0" in text:
        raise InputError(field_name, "has a NUL character. Remove it.")


def _require_allowed(field_name: str, entry: AllowedTool) -> None:
    for part, text in (("server_id", entry.server_id), ("tool", entry.tool)):
        if not text:
            raise InputError(f"{field_name}.{part}", "is empty. Name a server, and a tool or a pattern of tools.")
        _require_text(f"{field_name}.{part}", text, MAX_PATTERN)
    for place, argument in enumerate(entry.arguments):
        _require_text(f"{field_name}.arguments.{place}.name", argument.name, MAX_PATTERN)
        _require_text(f"{field_name}.arguments.{place}.pattern", argument.pattern, MAX_PATTERN)
