"""What the form of an agent shows: its fields as typed, the choices beside them, and what is wrong with each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AgentForm:
    """The fields as text. `id` is "" for a new agent. `effort` and `thinking` are "" for the model's own."""

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
    """Why each field was refused, "" if it was not. `form`: what is no field's fault, or that others are."""

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
class ServerItem:
    """A server of tools, and whether the agent has its tools. `known`: it is set up here."""

    id: str
    name: str
    chosen: bool
    known: bool = True


@dataclass(frozen=True)
class AllowedItem:
    """A line of allowed tools. `key` tells lines apart; `arguments` are the patterns of its arguments as JSON."""

    key: str
    server_id: str
    tool: str
    ask: bool
    arguments: str


@dataclass(frozen=True)
class ModelItem:
    """A model that is suggested."""

    model: str
    name: str
