"""A request: the content of one provider call in a common form, which adapters encode for their wire format.

Only `context.build_request` builds it. Two equal requests encode to the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from app.domain.conversation.conversation import Parameters
from app.domain.conversation.parts import SentPart, Text, ToolCall, ToolResult

WireRole = Literal["user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class RequestMessage:
    """One message in the form that a provider receives. A `tool` message contains only tool results.

    `pair_id` is the id of the message's pair; None if the message is the draft.
    """

    role: WireRole
    parts: tuple[SentPart, ...]
    pair_id: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool in the form that a model receives. `input_schema_json` is a JSON schema as canonical JSON text."""

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

    @property
    def characters(self) -> int:
        """The number of characters of all texts that a model reads."""
        tool_characters = sum(
            len(tool.name) + len(tool.description) + len(tool.input_schema_json) for tool in self.tools
        )
        return len(self.system) + tool_characters + sum(count_characters(message.parts) for message in self.messages)


def count_characters(parts: Iterable[SentPart]) -> int:
    """Count the characters of the texts in these parts. Thinking is not counted: vendors omit some of it."""
    count = 0
    for part in parts:
        match part:
            case Text():
                count += len(part.text)
            case ToolCall():
                count += len(part.name) + len(part.input_json)
            case ToolResult():
                count += count_characters(part.content)
            case _:
                pass
    return count
