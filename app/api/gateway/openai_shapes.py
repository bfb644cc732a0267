"""The body of OpenAI's Chat Completions API, as far as Inview takes it.

Source: https://developers.openai.com/api/reference/resources/chat. A parameter that would change the reply and is not
here is refused. Messages may carry fields that no model is sent, such as `refusal`: clients hand back whole replies.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Shape(BaseModel):
    """A part of the body, of which other fields are not read."""

    model_config = ConfigDict(extra="ignore", defer_build=True)


class TextShape(Shape):
    type: Literal["text"]
    text: str


class ImageUrl(Shape):
    url: str


class ImageShape(Shape):
    type: Literal["image_url"]
    image_url: ImageUrl


class FunctionCall(Shape):
    name: str
    arguments: str


class CallShape(Shape):
    id: str
    type: Literal["function"] = "function"
    function: FunctionCall


class SystemMessage(Shape):
    role: Literal["system", "developer"]
    content: str | list[TextShape]


class UserMessage(Shape):
    role: Literal["user"]
    content: str | list[Annotated[TextShape | ImageShape, Field(discriminator="type")]]


class AssistantMessage(Shape):
    role: Literal["assistant"]
    content: str | list[TextShape] | None = None
    tool_calls: list[CallShape] | None = None


class ToolMessage(Shape):
    role: Literal["tool"]
    content: str | list[TextShape]
    tool_call_id: str


class Function(Shape):
    name: str = Field(pattern=r"^[a-zA-Z0-9_-]{1,64}$")
    description: str | None = None
    parameters: dict[str, Any] | None = None


class ToolShape(Shape):
    type: Literal["function"]
    function: Function


class NamedFunction(Shape):
    name: str


class ToolChoice(Shape):
    type: Literal["function"]
    function: NamedFunction


class StreamOptions(Shape):
    include_usage: bool = False


class JsonSchema(Shape):
    schema_: dict[str, Any] = Field(alias="schema")


class ResponseFormat(Shape):
    type: Literal["text", "json_schema"]
    json_schema: JsonSchema | None = None


AnyMessage = Annotated[SystemMessage | UserMessage | AssistantMessage | ToolMessage, Field(discriminator="role")]


class ChatBody(BaseModel):
    """The body. The last fields are taken and not used: they change nothing of the reply."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    model: str
    messages: list[AnyMessage]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    seed: int | None = None
    reasoning_effort: Literal["low", "medium", "high"] | None = None
    tools: list[ToolShape] | None = None
    tool_choice: Literal["auto", "none", "required"] | ToolChoice | None = None
    response_format: ResponseFormat | None = None
    n: Literal[1] | None = None
    stop: str | list[str] | None = None
    frequency_penalty: Literal[0] | None = None
    presence_penalty: Literal[0] | None = None
    logprobs: Literal[False] | None = None
    parallel_tool_calls: Literal[True] | None = None
    user: str | None = None
    metadata: dict[str, Any] | None = None
    store: bool | None = None
    service_tier: Literal["auto", "default"] | None = None
    prompt_cache_key: str | None = None
    safety_identifier: str | None = None
