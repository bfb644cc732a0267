"""The body of Anthropic's Messages API, as far as Inview takes it.

Source: https://docs.claude.com/en/api/messages. A parameter that would change the reply and is not here is refused.
`cache_control` is not used: Inview places the breakpoints of the cache itself.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Shape(BaseModel):
    """A part of the body, of which other fields are not read."""

    model_config = ConfigDict(extra="ignore", defer_build=True)


class TextBlock(Shape):
    type: Literal["text"]
    text: str


class Base64Source(Shape):
    type: Literal["base64"]
    data: str


class ImageBlock(Shape):
    type: Literal["image"]
    source: Base64Source


class ToolUseBlock(Shape):
    type: Literal["tool_use"]
    id: str
    name: str
    input: dict[str, Any]


class ToolResultBlock(Shape):
    type: Literal["tool_result"]
    tool_use_id: str
    content: str | list[Annotated[TextBlock | ImageBlock, Field(discriminator="type")]] | None = None
    is_error: bool | None = None


class ThinkingBlock(Shape):
    type: Literal["thinking"]
    thinking: str
    signature: str


class RedactedBlock(Shape):
    type: Literal["redacted_thinking"]
    data: str


class UserMessage(Shape):
    role: Literal["user"]
    content: str | list[Annotated[TextBlock | ImageBlock | ToolResultBlock, Field(discriminator="type")]]


class AssistantMessage(Shape):
    role: Literal["assistant"]
    content: (
        str | list[Annotated[TextBlock | ToolUseBlock | ThinkingBlock | RedactedBlock, Field(discriminator="type")]]
    )


class ToolShape(Shape):
    name: str = Field(pattern=r"^[a-zA-Z0-9_-]{1,64}$")
    description: str | None = None
    input_schema: dict[str, Any]
    type: Literal["custom"] | None = None


class ToolChoice(Shape):
    type: Literal["auto", "none", "any"]


class NamedTool(Shape):
    type: Literal["tool"]
    name: str


class ThinkingShape(Shape):
    """How to think. `budget_tokens` is not used: Inview knows on and off, and efforts."""

    type: Literal["enabled", "adaptive", "disabled"]


class OutputConfig(Shape):
    effort: Literal["low", "medium", "high"] | None = None


class MessagesBody(BaseModel):
    """The body. The last fields are taken and not used: they change nothing of the reply."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    model: str
    max_tokens: int = Field(ge=1)
    messages: list[Annotated[UserMessage | AssistantMessage, Field(discriminator="role")]]
    system: str | list[TextBlock] | None = None
    stream: bool | None = None
    temperature: float | None = None
    top_p: float | None = None
    thinking: ThinkingShape | None = None
    output_config: OutputConfig | None = None
    tools: list[ToolShape] | None = None
    tool_choice: Annotated[ToolChoice | NamedTool, Field(discriminator="type")] | None = None
    stop_sequences: list[str] | None = None
    metadata: dict[str, Any] | None = None
    service_tier: Literal["auto", "standard_only"] | None = None
    cache_control: dict[str, Any] | None = None


class CountBody(MessagesBody):
    """The body of a count, which does not say how long the reply may become."""

    max_tokens: int = Field(1, ge=1)
