"""A request: what one provider call will carry, in the common form that adapters encode for their wire.

It is built by `context.build_request` alone. Two equal requests encode to the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from app.domain.conversation import Parameters
from app.domain.parts import Part

WireRole = Literal["user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class RequestMessage:
    """One message as a provider gets it. A `tool` message holds tool results only. `pair_id` None is the draft."""

    role: WireRole
    parts: tuple[Part, ...]
    pair_id: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as it is told to a model. `input_schema_json` is a JSON schema as canonical JSON text."""

    name: str
    description: str
    input_schema_json: str


@dataclass(frozen=True, slots=True)
class Request:
    """One provider call. `model` is "provider:model"; `system` is empty when there is no system text."""

    model: str
    system: str
    messages: tuple[RequestMessage, ...]
    parameters: Parameters = field(default_factory=Parameters)
    tools: tuple[ToolDefinition, ...] = ()
