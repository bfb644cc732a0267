"""The adapter for Anthropic's Messages API, which llama.cpp and others also serve.

Source: https://platform.claude.com/docs/en/api/messages and …/build-with-claude/streaming. A stream is
`message_start`, then per content block `content_block_start`, deltas and `content_block_stop`, then `message_delta`
with the stop reason, then `message_stop`; `ping` and `error` may come anywhere, and event types may be added.

    event: content_block_delta
    data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, cast

import orjson

from app.domain.cache.prefix import SYSTEM, TOOLS
from app.domain.cache.rules import FIVE_MINUTES
from app.domain.cache.warmth import Breakpoint
from app.domain.conversation.conversation import Parameters
from app.domain.conversation.parts import File, Image, SentPart, Text, Thinking, ToolCall, ToolResult
from app.domain.errors import ErrorClass, InputError, ProviderError, failure
from app.domain.models.model_profile import ModelProfile, ThinkingStyle
from app.domain.request.request import RequestMessage, ToolDefinition
from app.domain.run.rounds import MAX_CALLS
from app.domain.stream.stream_events import (
    PartEnded,
    RedactedThinkingReceived,
    Stopped,
    StopReason,
    StreamEvent,
    TextReceived,
    ThinkingReceived,
    ThinkingSigned,
    ToolCallStarted,
    ToolInputReceived,
)
from app.domain.usage import Usage
from app.providers.base import (
    JSON_STREAM,
    Adapter,
    CallInput,
    CallTarget,
    Counting,
    Headers,
    ListedModel,
    ListedModels,
    Provider,
    ProviderClient,
)
from app.providers.models.list_entries import ModelEntry, read_list
from app.providers.vendors.thinking_budgets import BUDGETS
from app.providers.vendors.usage_reports import UsageReport
from app.providers.wire.errors import describe_error
from app.providers.wire.json_values import FieldError, as_object, fields_of, label_of, load_json, text_of
from app.providers.wire.sse import SseEvent

API_VERSION = "2026-10-21"
"""The API version that the SDK uses. A test checks that both are equal."""
SAMPLING_API_VERSION = "2023-06-01"
"""The last API version that accepts `temperature` and `top_p`. It is used only if one of them is set."""
MAX_TEMPERATURE = 1

STANDARD_MAX_TOKENS = 4_096
"""The value of the required `max_tokens` if the limit of the model is unknown."""
SMALLEST_BUDGET = 1_024

STOP_REASONS: Mapping[str, StopReason] = MappingProxyType(
    {
        "end_turn": StopReason.END,
        "max_tokens": StopReason.MAX_TOKENS,
        "model_context_window_exceeded": StopReason.MAX_TOKENS,
        "stop_sequence": StopReason.STOP_SEQUENCE,
        "tool_use": StopReason.TOOL_CALLS,
        "pause_turn": StopReason.PAUSE,
        "refusal": StopReason.REFUSAL,
    }
)


# --- encoding ---


def build_headers(call: CallInput) -> Headers:
    parameters = call.request.parameters
    samples = parameters.temperature is not None or parameters.top_p is not None
    return (*JSON_STREAM, ("anthropic-version", SAMPLING_API_VERSION if samples else API_VERSION))


def encode_body(call: CallInput) -> bytes:
    """Encode the body of a request. Parts that stay the same from send to send come first, the messages last."""
    request, parameters = call.request, call.request.parameters
    if parameters.seed is not None:
        raise InputError("parameters.seed", f"{call.row.label} does not support a seed.")
    if not call.profile.sampling and (parameters.temperature is not None or parameters.top_p is not None):
        raise InputError("parameters", f"{call.profile.name} supports neither temperature nor top_p.")
    if parameters.temperature is not None and parameters.temperature > MAX_TEMPERATURE:
        raise InputError("parameters.temperature", f"{call.row.label} supports a temperature from 0 to 1.")
    limit = parameters.max_output_tokens or call.profile.max_output_tokens or STANDARD_MAX_TOKENS
    body: dict[str, object] = {"model": call.model, "max_tokens": limit, "stream": True}
    body.update(_encode_thinking(parameters, call.profile, limit))
    if parameters.temperature is not None:
        body["temperature"] = parameters.temperature
    if parameters.top_p is not None:
        body["top_p"] = parameters.top_p
    marks = {mark.place: _encode_mark(mark) for mark in call.marks}
    if request.tools:
        tools = [_encode_tool(tool) for tool in request.tools]
        tools[-1] |= marks.get(TOOLS, {})
        body["tools"] = tools
    if request.system:
        marked = marks.get(SYSTEM)
        body["system"] = [{"type": "text", "text": request.system} | marked] if marked else request.system
    body["messages"] = [
        _encode_message(message, call, marks.get(place)) for place, message in enumerate(request.messages)
    ]
    return orjson.dumps(body)


def _encode_mark(mark: Breakpoint) -> dict[str, object]:
    """Return the field that marks a block as a cache breakpoint.

    The caller adds it to the last tool, to the system text or to the last block of a message: see `Breakpoint.place`.

    Source: https://platform.claude.com/docs/en/build-with-claude/prompt-caching.
    """
    control = {"type": "ephemeral"} if mark.lifetime == FIVE_MINUTES else {"type": "ephemeral", "ttl": "1h"}
    return {"cache_control": control}


def _encode_thinking(parameters: Parameters, profile: ModelProfile, limit: int) -> dict[str, object]:
    encoded: dict[str, object] = {}
    budget = profile.thinking is ThinkingStyle.BUDGET
    if parameters.thinking is False:
        encoded["thinking"] = {"type": "disabled"}
    elif parameters.thinking and budget:
        tokens = max(SMALLEST_BUDGET, min(BUDGETS[parameters.effort], limit // 2))
        encoded["thinking"] = {"type": "enabled", "budget_tokens": tokens}
    elif parameters.thinking:
        encoded["thinking"] = {"type": "adaptive", "display": "summarized"}
    output: dict[str, object] = {}
    if parameters.effort is not None and not budget:
        output["effort"] = parameters.effort
    if parameters.reply_schema is not None:
        # https://platform.claude.com/docs/en/build-with-claude/structured-outputs
        output["format"] = {"type": "json_schema", "schema": orjson.Fragment(parameters.reply_schema)}
    return encoded | {"output_config": output} if output else encoded


def _encode_tool(tool: ToolDefinition) -> dict[str, object]:
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": orjson.Fragment(tool.input_schema_json),
    }


def _encode_message(
    message: RequestMessage, call: CallInput, mark: dict[str, object] | None = None
) -> dict[str, object]:
    role = "assistant" if message.role == "assistant" else "user"
    parts = message.parts
    # the most frequent case, which is also easy to read
    if mark is None and len(parts) == 1 and isinstance(parts[0], Text):
        return {"role": role, "content": parts[0].text}
    content = [_encode_part(part, call) for part in parts]
    content[-1] |= mark or {}
    return {"role": role, "content": content}


def _encode_part(part: SentPart, call: CallInput) -> dict[str, object]:
    match part:
        case Text():
            return {"type": "text", "text": part.text}
        case Thinking() if part.redacted:
            return {"type": "redacted_thinking", "data": part.signature or ""}
        case Thinking():
            return {"type": "thinking", "thinking": part.text, "signature": part.signature or ""}
        case Image():
            return {"type": "image", "source": _base64_source(part, call)}
        case File() if part.media_type.startswith("text/"):
            text = call.attachment(part.attachment_id).decode(errors="replace")
            source = {"type": "text", "media_type": "text/plain", "data": text}
            return {"type": "document", "source": source, "title": part.name}
        case File():
            return {"type": "document", "source": _base64_source(part, call), "title": part.name}
        case ToolCall():
            return {
                "type": "tool_use",
                "id": part.tool_call_id,
                "name": part.name,
                "input": orjson.Fragment(as_object(part.input_json)),
            }
        case ToolResult():
            content = [_encode_part(piece, call) for piece in part.content]
            encoded: dict[str, object] = {"type": "tool_result", "tool_use_id": part.tool_call_id, "content": content}
            return encoded | {"is_error": True} if part.is_error else encoded


def _base64_source(part: Image | File, call: CallInput) -> dict[str, object]:
    data = b64encode(call.attachment(part.attachment_id)).decode("ascii")
    return {"type": "base64", "media_type": part.media_type, "data": data}


# --- decoding ---


class MessagesDecoder:
    """The decoder of the Messages API. It keeps the state of the message and of one block: blocks never overlap."""

    def __init__(self, target: CallTarget) -> None:
        self._target = target
        self._usage: dict[str, Any] = {}
        self._stop_reason: StopReason | None = None
        self._skipping = False
        self._tool_open = False
        self._input_missing = False
        self._calls = 0

    def feed(self, event: SseEvent) -> list[StreamEvent]:
        data = fields_of(load_json(event.data), "the event")
        match label_of(data.get("type") or event.name.decode() or None, "type"):
            case "content_block_delta":
                return self._receive(fields_of(data.get("delta"), "delta"))
            case "content_block_start":
                return self._start_block(fields_of(data.get("content_block"), "content_block"))
            case "content_block_stop":
                return self._end_block()
            case "message_start":
                return self._count(fields_of(data.get("message"), "message").get("usage"))
            case "message_delta":
                self._stop(fields_of(data.get("delta"), "delta"))
                return self._count(data.get("usage"))
            case "message_stop":
                return self.end()
            case "error":
                raise ProviderError(describe_error(self._target, data.get("error")))
            case _:
                return []  # "ping" and unknown event types, which clients of the API must ignore

    def end(self) -> list[StreamEvent]:
        return [] if self._stop_reason is None else [Stopped(self._stop_reason)]

    def _receive(self, delta: dict[str, Any]) -> list[StreamEvent]:
        if self._skipping:
            return []
        match label_of(delta.get("type"), "delta.type"):
            case "text_delta":
                return [TextReceived(text_of(delta.get("text"), "delta.text"))]
            case "thinking_delta":
                return [ThinkingReceived(text_of(delta.get("thinking"), "delta.thinking"))]
            case "input_json_delta":
                return self._receive_input(text_of(delta.get("partial_json"), "delta.partial_json"))
            case "signature_delta":
                return [ThinkingSigned(text_of(delta.get("signature"), "delta.signature"), self._target.row.name)]
            case _:
                return []  # "citations_delta", only for documents with citations, which Inview never requests

    def _start_block(self, block: dict[str, Any]) -> list[StreamEvent]:
        vendor = self._target.row.name
        self._tool_open = False
        self._input_missing = False
        self._skipping = False
        match label_of(block.get("type"), "content_block.type"):
            case "text":
                text = block.get("text")
                return [TextReceived(text_of(text, "content_block.text"))] if text else []
            case "thinking":
                thinking = block.get("thinking")
                return [ThinkingReceived(text_of(thinking, "content_block.thinking"))] if thinking else []
            case "redacted_thinking":
                return [RedactedThinkingReceived(text_of(block.get("data"), "content_block.data"), vendor)]
            case "tool_use":
                self._calls += 1
                if self._calls > MAX_CALLS:
                    return [Stopped(StopReason.TOOL_LIMIT)]
                self._tool_open = True
                self._input_missing = not block.get("input")
                started = ToolCallStarted(
                    label_of(block.get("id"), "the id of a tool call"),
                    label_of(block.get("name"), "the name of a tool call"),
                )
                if self._input_missing:
                    return [started]
                # `json` writes NaN, so a server refuses such an input. orjson would write null.
                written = json.dumps(
                    fields_of(block["input"], "content_block.input"), ensure_ascii=False, separators=(",", ":")
                )
                return [started, ToolInputReceived(written)]
            case _:
                self._skipping = True  # a block of a server-side tool, which Inview never requests
                return []

    def _receive_input(self, json_text: str) -> list[StreamEvent]:
        if not self._tool_open:
            raise FieldError("delta.partial_json does not belong to a tool call")
        if not json_text:
            return []
        self._input_missing = False
        return [ToolInputReceived(json_text)]

    def _end_block(self) -> list[StreamEvent]:
        self._tool_open = False
        if self._skipping:
            self._skipping = False
            return []
        if self._input_missing:  # a tool call without arguments has no delta
            self._input_missing = False
            return [ToolInputReceived("{}"), PartEnded()]
        return [PartEnded()]

    def _stop(self, delta: dict[str, Any]) -> None:
        reason = delta.get("stop_reason")
        if reason is None or reason == "":
            return
        if text_of(reason, "delta.stop_reason") not in STOP_REASONS:
            message = f"{self._target} stopped for an unknown reason: {reason[:60]!r}."
            raise ProviderError(failure(ErrorClass.STREAM, message))
        self._stop_reason = STOP_REASONS[reason]

    def _count(self, usage: object) -> list[StreamEvent]:
        """Read a usage report. Reports are cumulative, and later ones may leave out unchanged fields."""
        if not usage:
            return []
        if not isinstance(usage, dict):
            return [UsageReport(usage).as_event(None)]
        fields = cast("dict[str, Any]", usage)
        self._usage.update((name, value) for name, value in fields.items() if value is not None)
        report = UsageReport(self._usage)
        fresh, output = report.require("input_tokens"), report.require("output_tokens")
        hour = report.find("ephemeral_1h_input_tokens", inside="cache_creation")
        tells_all = "cache_creation_input_tokens" in self._usage
        written = report.find("cache_creation_input_tokens") if tells_all else hour
        short, hour = report.split(written, ("ephemeral_1h_input_tokens", hour))
        thought = report.find("thinking_tokens", inside="output_tokens_details")
        if fresh is None:
            return [report.as_event(None)]
        output = output or 0
        _, thought = report.split(output, ("thinking_tokens", thought))
        read = report.find("cache_read_input_tokens")
        return [report.as_event(Usage(fresh, output, read, short, hour, thought))]


# --- models and the link ---


def parse_models(body: bytes) -> ListedModels:
    """Read the list of models. Source: https://platform.claude.com/docs/en/api/models-list."""
    return read_list(load_json(body)["data"], _read_model)


def _read_model(entry: ModelEntry) -> ListedModel:
    can = entry.inside("capabilities")
    return ListedModel(
        name=entry.name("id"),
        label=entry.label("display_name"),
        context_window=entry.tokens("max_input_tokens"),
        max_output_tokens=entry.tokens("max_tokens"),
        images=can.inside("image_input").flag("supported"),
        files=can.inside("pdf_input").flag("supported"),
        structured=can.inside("structured_outputs").flag("supported"),
        thinking=_thinking_style(can.inside("thinking")) if can.fields.get("thinking") else None,
    )


def _thinking_style(thinking: ModelEntry) -> ThinkingStyle:
    if not thinking.flag("supported"):
        return ThinkingStyle.NONE
    adaptive = thinking.inside("types").inside("adaptive").flag("supported")
    return ThinkingStyle.ADAPTIVE if adaptive else ThinkingStyle.BUDGET


def open_link(provider: Provider) -> ProviderClient:
    """Create a client for this provider with Anthropic's official SDK."""
    # Imported here because it takes more than a second and 39 MB.
    import anthropic  # noqa: PLC0415 - see above

    from app.providers.wire.heads import bound_heads  # noqa: PLC0415 - loads httpx2
    from app.providers.wire.sdk import Sdk, SdkLink, refuse  # noqa: PLC0415 - loads httpx2

    client = anthropic.AsyncAnthropic(
        api_key=provider.key or "none",
        auth_token=None,
        base_url=provider.base_url,
        max_retries=0,
        http_client=bound_heads(anthropic.DefaultAioHttpClient(event_hooks={"response": [refuse]})),
    )
    sdk = Sdk(anthropic.APIConnectionError, anthropic.AsyncStream[object], anthropic.omit)
    return SdkLink(provider, client, sdk)


COUNTED_FIELDS = frozenset({"messages", "model", "output_config", "system", "thinking", "tools"})
"""The fields of a request that the endpoint for token counts accepts.

Source: https://platform.claude.com/docs/en/api/messages-count-tokens.
"""

ADAPTER = Adapter(
    path="messages",
    models_path="models?limit=1000",
    key_header=("Authorization", "Bearer "),
    versioned=True,
    build_headers=build_headers,
    encode_body=encode_body,
    new_decoder=MessagesDecoder,
    open_link=open_link,
    parse_models=parse_models,
    counting=Counting("messages/count_tokens", COUNTED_FIELDS),
)
