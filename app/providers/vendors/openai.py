"""The adapter for OpenAI's Responses API.

Source: https://developers.openai.com/api/reference/resources/responses and …/docs/guides/streaming-responses. A stream
is `response.created`, then per output item `response.output_item.added`, deltas and `response.output_item.done`, then
one of `response.completed`, `response.incomplete`, `response.failed`; `error` may come anywhere.

    event: response.output_text.delta
    data: {"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"Hello"}

Nothing is stored at OpenAI (`store: false`), so encrypted reasoning is received and sent back. The signature of a
thinking part is the item's id and the encrypted content, joined by a colon.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import orjson

from app.domain.cache.prefix import name_beginning
from app.domain.cache.rules import find_rules
from app.domain.conversation.parts import File, Image, SentPart, Text, Thinking, ToolCall, ToolResult
from app.domain.errors import ErrorClass, InputError, ProviderError, failure
from app.domain.models.model_profile import ThinkingStyle
from app.domain.request.request import RequestMessage, ToolDefinition
from app.domain.stream.stream_events import (
    PartEnded,
    Stopped,
    StopReason,
    StreamEvent,
    TextReceived,
    ThinkingReceived,
    ThinkingSigned,
    UsageReported,
)
from app.domain.structured.structured_replies import NAME, is_strict
from app.providers.base import (
    JSON_STREAM,
    Adapter,
    CallInput,
    CallTarget,
    Counting,
    ListedModel,
    ListedModels,
    Provider,
    ProviderClient,
)
from app.providers.models.list_entries import read_list
from app.providers.stream.tool_calls import ToolCalls
from app.providers.vendors.usage_reports import UsageReport
from app.providers.wire.errors import describe_error
from app.providers.wire.json_values import FieldError, fields_of, index_of, json_text_of, label_of, load_json, text_of
from app.providers.wire.sse import SseEvent

INCOMPLETE_REASONS: Mapping[str, StopReason] = MappingProxyType(
    {"max_output_tokens": StopReason.MAX_TOKENS, "content_filter": StopReason.CONTENT_FILTER}
)


# --- encoding ---


def encode_body(call: CallInput) -> bytes:
    """Encode the body of a request. Parts that stay the same from send to send come first, the input last."""
    request, parameters = call.request, call.request.parameters
    if parameters.seed is not None:
        raise InputError("parameters.seed", f"{call.row.label} does not support a seed.")
    body: dict[str, object] = {"model": call.model, "stream": True, "store": False}
    if find_rules(request.model) is not None:
        body["prompt_cache_key"] = name_beginning(request)
    if call.profile.thinking is not ThinkingStyle.NONE:
        body["include"] = ["reasoning.encrypted_content"]
    if reasoning := _encode_reasoning(call):
        body["reasoning"] = reasoning
    if parameters.max_output_tokens is not None:
        body["max_output_tokens"] = parameters.max_output_tokens
    if parameters.temperature is not None:
        body["temperature"] = parameters.temperature
    if parameters.top_p is not None:
        body["top_p"] = parameters.top_p
    if parameters.reply_schema is not None:
        body["text"] = {"format": {"type": "json_schema"} | schema_format(parameters.reply_schema)}
    if request.tools:
        body["tools"] = [_encode_tool(tool) for tool in request.tools]
    if request.system:
        body["instructions"] = request.system
    body["input"] = [item for message in request.messages for item in _encode_message(message, call)]
    return orjson.dumps(body)


def schema_format(schema_json: str) -> dict[str, object]:
    """Return the request field for a JSON schema of the reply, the same in both of OpenAI's protocols.

    Its `strict` is true if OpenAI's strict mode supports the whole schema.
    """
    return {"name": NAME, "schema": orjson.Fragment(schema_json), "strict": is_strict(schema_json)}


def _encode_reasoning(call: CallInput) -> dict[str, object]:
    parameters = call.request.parameters
    reasoning: dict[str, object] = {}
    if parameters.effort is not None:
        reasoning["effort"] = parameters.effort
    elif parameters.thinking is False:
        reasoning["effort"] = "none"
    if parameters.thinking:
        reasoning["summary"] = "auto"
    return reasoning


def _encode_tool(tool: ToolDefinition) -> dict[str, object]:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": orjson.Fragment(tool.input_schema_json),
        "strict": False,  # strict mode accepts only schemas written for it
    }


def _encode_message(message: RequestMessage, call: CallInput) -> Iterator[dict[str, object]]:
    """Encode a message: one item for a user message, or one item for each part of any other message."""
    if message.role == "user":
        parts = message.parts
        if len(parts) == 1 and isinstance(parts[0], Text):
            yield {"role": "user", "content": parts[0].text}
        else:
            yield {"role": "user", "content": [_encode_content(part, call) for part in parts]}
        return
    for part in message.parts:
        match part:
            case Text():
                yield {"role": "assistant", "content": part.text}
            case Thinking():
                yield _encode_thinking(part)
            case ToolCall():
                arguments = part.input_json or "{}"
                yield {
                    "type": "function_call",
                    "call_id": part.tool_call_id,
                    "name": part.name,
                    "arguments": arguments,
                }
            case ToolResult():
                output = _encode_output(part, call)
                yield {"type": "function_call_output", "call_id": part.tool_call_id, "output": output}
            case Image() | File():
                raise InputError("messages", f"{call.row.label} does not support files in a reply.")


def _encode_output(part: ToolResult, call: CallInput) -> object:
    match part.content:
        case (Text(text),):
            return text
        case content:
            return [_encode_content(piece, call) for piece in content]


def _encode_content(part: SentPart, call: CallInput) -> dict[str, object]:
    match part:
        case Text():
            return {"type": "input_text", "text": part.text}
        case Image():
            return {"type": "input_image", "detail": "auto", "image_url": data_url(part, call)}
        case File():
            return {"type": "input_file", "filename": part.name, "file_data": data_url(part, call)}
        case _:
            raise InputError("messages", f"{call.row.label} does not support a {type(part).__name__} in a request.")


def _encode_thinking(part: Thinking) -> dict[str, object]:
    item_id, _, encrypted = (part.signature or "").partition(":")
    summary = [{"type": "summary_text", "text": part.text}] if part.text else []
    return {"type": "reasoning", "id": item_id, "summary": summary, "encrypted_content": encrypted}


def data_url(part: Image | File, call: CallInput) -> str:
    """Return the bytes of an attachment as a `data:` URL."""
    return f"data:{part.media_type};base64,{b64encode(call.attachment(part.attachment_id)).decode('ascii')}"


# --- decoding ---


class ResponsesDecoder:
    """The decoder of the Responses API. It keeps the state of the tool calls, and notes whether the model refused."""

    def __init__(self, target: CallTarget) -> None:
        self._target = target
        self._calls = ToolCalls()
        self._call_ids: dict[int, str] = {}
        self._refused = False

    def feed(self, event: SseEvent) -> list[StreamEvent]:
        if event.data == b"[DONE]":  # OpenAI does not send this, but compatible servers may
            return []
        data = fields_of(load_json(event.data), "the event")
        kind = label_of(data.get("type") or event.name.decode() or None, "type")
        match kind:
            case "response.output_text.delta":
                return [TextReceived(text_of(data.get("delta"), "delta"))]
            case "response.refusal.delta":
                self._refused = True
                return [TextReceived(text_of(data.get("delta"), "delta"))]
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                return [ThinkingReceived(text_of(data.get("delta"), "delta"))]
            case "response.reasoning_summary_part.added" if data.get("summary_index"):
                return [ThinkingReceived("\n\n")]
            case "response.function_call_arguments.delta":
                if not self._calls.goes_on(number := _number(data)):
                    raise FieldError(f"output_index {number} does not belong to a running tool call")
                return self._calls.add(number, text_of(data.get("delta"), "delta"))
            case "response.output_item.added":
                return self._start_item(data)
            case "response.output_item.done":
                return self._end_item(data)
            case "response.completed" | "response.incomplete" | "response.failed" | "error":
                return self._conclude(kind, data)
            case _:
                return []  # progress events, whole texts after their deltas, and unknown event types

    def end(self) -> list[StreamEvent]:
        return []

    def _start_item(self, data: dict[str, Any]) -> list[StreamEvent]:
        item = fields_of(data.get("item"), "item")
        if label_of(item.get("type"), "item.type") == "function_call":
            number, call_id = _number(data), label_of(item.get("call_id"), "item.call_id")
            if known := self._call_ids.get(number):
                if known != call_id:
                    raise FieldError(f"item.call_id does not match output_index {number}")
                return []  # an event that was received before
            self._call_ids[number] = call_id
            events = self._calls.start(number, call_id, text_of(item.get("name"), "item.name"))
            if self._calls.too_many:
                return [*self._calls.end_all(), Stopped(StopReason.TOOL_LIMIT)]
            return events
        return []

    def _end_item(self, data: dict[str, Any]) -> list[StreamEvent]:
        item = fields_of(data.get("item"), "item")
        match label_of(item.get("type"), "item.type"):
            case "function_call":
                started, number = self._start_item(data), _number(data)
                if self._calls.too_many or not self._calls.goes_on(number):
                    return started
                whole = "" if self._calls.has_input(number) else json_text_of(item.get("arguments"), "item.arguments")
                return [*started, *self._calls.add(number, whole), *self._calls.end(number)]
            case "reasoning" if encrypted := item.get("encrypted_content"):
                signature = f"{text_of(item.get('id'), 'item.id')}:{text_of(encrypted, 'item.encrypted_content')}"
                return [ThinkingSigned(signature, self._target.row.name), PartEnded()]
            case _:
                return [PartEnded()]

    def _conclude(self, kind: str, data: dict[str, Any]) -> list[StreamEvent]:
        response = fields_of(data.get("response"), "response")
        if kind in {"response.failed", "error"}:
            error = response.get("error") or data.get("error") or data
            raise ProviderError(describe_error(self._target, error))
        usage = response.get("usage")
        events = [*self._calls.end_all(), *([parse_usage(usage)] if usage else [])]
        return [*events, Stopped(self._stop_reason(kind, response))]

    def _stop_reason(self, kind: str, response: dict[str, Any]) -> StopReason:
        if kind == "response.incomplete":
            details = fields_of(response.get("incomplete_details"), "response.incomplete_details")
            reason = text_of(details.get("reason"), "response.incomplete_details.reason")
            if reason not in INCOMPLETE_REASONS:
                message = f"{self._target} stopped for an unknown reason: {reason[:60]!r}."
                raise ProviderError(failure(ErrorClass.STREAM, message))
            return INCOMPLETE_REASONS[reason]
        if self._refused:
            return StopReason.REFUSAL
        return StopReason.TOOL_CALLS if self._calls.any else StopReason.END


def _number(data: dict[str, Any]) -> int:
    return index_of(data.get("output_index"), "output_index")


def parse_usage(usage: object) -> UsageReported:
    """Read a usage report. OpenAI's input count includes tokens that the cache read or wrote; they are subtracted."""
    report = UsageReport(usage)
    whole, output = report.require("input_tokens"), report.require("output_tokens")
    read = report.find("cached_tokens", inside="input_tokens_details")
    written = report.find("cache_write_tokens", inside="input_tokens_details")
    thought = report.find("reasoning_tokens", inside="output_tokens_details")
    return report.as_disjoint(whole, output, read, written, thought)


# --- models and the link ---


def parse_models(body: bytes) -> ListedModels:
    """Read the list of models, which has only names.

    Source: https://developers.openai.com/api/reference/resources/models.
    """
    return read_list(load_json(body)["data"], lambda entry: ListedModel(entry.name("id")))


def open_link(provider: Provider) -> ProviderClient:
    """Create a client for this provider with OpenAI's official SDK."""
    # Imported here because it takes half a second and 25 MB.
    import openai  # noqa: PLC0415 - see above

    from app.providers.wire.heads import bound_heads  # noqa: PLC0415 - loads httpx2
    from app.providers.wire.sdk import Sdk, SdkLink, refuse  # noqa: PLC0415 - loads httpx2

    client = openai.AsyncOpenAI(
        api_key=provider.key or "none",  # the SDK requires a key; local servers ignore it
        base_url=provider.base_url,
        max_retries=0,
        http_client=bound_heads(openai.DefaultAioHttpClient(event_hooks={"response": [refuse]})),
    )
    sdk = Sdk(openai.APIConnectionError, openai.AsyncStream[object], openai.omit)
    return SdkLink(provider, client, sdk)


COUNTED_FIELDS = frozenset({"input", "instructions", "model", "reasoning", "tools"})
"""The fields of a request that the endpoint for token counts accepts.

Source: https://developers.openai.com/api/reference/resources/responses, 'Get input token counts'.
"""

ADAPTER = Adapter(
    path="responses",
    models_path="models",
    key_header=("Authorization", "Bearer "),
    versioned=False,
    build_headers=lambda _: JSON_STREAM,
    encode_body=encode_body,
    new_decoder=ResponsesDecoder,
    open_link=open_link,
    parse_models=parse_models,
    counting=Counting("responses/input_tokens", COUNTED_FIELDS),
)
