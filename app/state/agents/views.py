"""The data that the form of an agent shows: its fields as typed, the available choices, and the error of each field."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AgentForm:
    """The fields of an agent as text.

    `id` is "" for a new agent. `effort` and `thinking` are "" for the model's default.
    """

    id: str = ""
    name: str = ""
    icon: str = ""
    description: str = ""
    system_prompt: str = ""
    model: str = ""
    temperature: str = ""
    top_p: str = ""
    max_output_tokens: str = ""
    seed: str = ""
    effort: str = ""
    thinking: str = ""


@dataclass(frozen=True)
class AgentErrors:
    """The error of each field, "" for none.

    `form` is an error that belongs to no single field, or a note that fields have errors.
    """

    name: str = ""
    icon: str = ""
    description: str = ""
    system_prompt: str = ""
    model: str = ""
    temperature: str = ""
    top_p: str = ""
    max_output_tokens: str = ""
    seed: str = ""
    effort: str = ""
    thinking: str = ""
    tools: str = ""
    form: str = ""


@dataclass(frozen=True)
class AgentServerItem:
    """An MCP server in the form of an agent. `chosen`: the agent has its tools.

    `known`: the server is set up on this installation.
    """

    id: str
    name: str
    chosen: bool
    known: bool = True


@dataclass(frozen=True)
class AllowedItem:
    """A line of the list of allowed tools.

    - `key`: identifies the line.
    - `ask`: a person decides about each call that no permission rule allows.
    - `arguments`: the patterns that the arguments of a call must match, as JSON.
    """

    key: str
    server_id: str
    tool: str
    ask: bool
    arguments: str


@dataclass(frozen=True)
class ModelItem:
    """A model that the form of an agent suggests."""

    model: str
    name: str
