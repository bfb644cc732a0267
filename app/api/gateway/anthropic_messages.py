"""Anthropic's Messages: a body as a call, a reply and its stream as Anthropic's clients read them.

AnthropicMessages().read(b'{"model":"offline:demo","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from http import HTTPStatus
from types import MappingProxyType
from typing import Any

import orjson
from starlette.responses import Response

from app.api.gateway.anthropic_shapes import (
    AssistantMessage,
    CountBody,
    ImageBlock,
    MessagesBody,
    NamedTool,
    RedactedBlock,
    TextBlock,
    ThinkingBlock,
    ToolChoice,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
)
from app.api.gateway.content import read_choice, read_picture, write_schema
from app.api.gateway.dialect import Encoder, ReadCall, Reply, answer_json
from app.api.gateway.faults import OVERLOADED, Fault
from app.domain.conversation.attachments import Attachment
from app.domain.conversation.conversation import Effort, Parameters
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.conversation.parts import Image, Part, SentPart, Text, Thinking, ToolCall, ToolResult
from app.domain.errors import InputError
from app.domain.request.request import RequestMessage
from app.domain.run.reply_deltas import Delta
from app.domain.run.state import RunState, Succeeded, sum_usage
from app.domain.stream_events import StopReason
from app.domain.tools.tools import Tool
from app.domain.usage import Usage
from app.runs.gateway.calls import GatewayCall
from app.runs.send.client_tools import client_tool
from app.views.encode import to_json

STOP: Mapping[StopReason, str] = MappingProxyType(
    {
        StopReason.MAX_TOKENS: "max_tokens",
        StopReason.STOP_SEQUENCE: "stop_sequence",
        StopReason.TOOL_CALLS: "tool_use",
        StopReason.PAUSE: "pause_turn",
    }
)
"""Anthropic's words for why a model stopped; for all others it is `end_turn`."""
ERROR_TYPES: Mapping[int, str] = MappingProxyType(
    {
        HTTPStatus.UNAUTHORIZED: "authentication_error",
        HTTPStatus.PAYMENT_REQUIRED: "billing_error",
        HTTPStatus.FORBIDDEN: "permission_error",
        HTTPStatus.NOT_FOUND: "not_found_error",
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "request_too_large",
        HTTPStatus.TOO_MANY_REQUESTS: "rate_limit_error",
        OVERLOADED: "overloaded_error",
    }
)


class AnthropicMessages:
    """The dialect of Messages."""

    def read(self, body: bytes) -> ReadCall:
        return _read(MessagesBody.model_validate_json(body))

    def read_count(self, body: bytes) -> GatewayCall:
        """The call whose tokens a body asks for: it says nothing of how long the reply may become.

        Raises:
            ValidationError: it does not have the form of the API.
            InputError: it asks for what Inview cannot do.
        """
        return replace(_read(CountBody.model_validate_json(body)).call, parameters=NO_PARAMETERS)

    def write(self, reply: Reply, state: RunState) -> dict[str, Any]:
        content = [block for part in reply.parts(state) if (block := _write_block(part)) is not None]
        return {
            **_name(reply),
            "content": content,
            "stop_reason": _stop(state),
            "stop_sequence": _stop_sequence(reply, state),
            "usage": _write_usage(sum_usage(state)),
        }

    def new_encoder(self, reply: Reply) -> Encoder:
        return _Events(reply)

    def refuse(self, fault: Fault) -> Response:
        return answer_json(_write_fault(fault), fault.status, fault.headers)


class _Events:
    """A reply as events from `message_start` to `message_stop`."""

    def __init__(self, reply: Reply) -> None:
        self._reply = reply
        self._open: int | None = None

    def begin(self) -> Iterator[bytes]:
        usage = _write_usage(None)
        message: dict[str, Any] = {
            **_name(self._reply),
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage,
        }
        yield _event("message_start", {"message": message})

    def grow(self, delta: Delta) -> Iterator[bytes]:
        if delta.opened:
            yield from self._close()
        if (empty := _empty_block(delta.part)) is None:
            return
        if delta.opened:
            self._open = delta.index
            yield _event("content_block_start", {"index": delta.index, "content_block": empty})
        for grown in _write_delta(delta):
            yield _event("content_block_delta", {"index": delta.index, "delta": grown})

    def end(self, state: RunState) -> Iterator[bytes]:
        yield from self._close()
        delta = {"stop_reason": _stop(state), "stop_sequence": _stop_sequence(self._reply, state)}
        yield _event("message_delta", {"delta": delta, "usage": _write_usage(sum_usage(state))})
        yield _event("message_stop", {})

    def fail(self, fault: Fault) -> Iterator[bytes]:
        yield _event("error", _write_fault(fault))

    def _close(self) -> Iterator[bytes]:
        if self._open is not None:
            yield _event("content_block_stop", {"index": self._open})
            self._open = None


def _read(asked: MessagesBody) -> ReadCall:
    vendor = asked.model.partition(":")[0]
    files: list[Attachment] = []
    messages: list[RequestMessage] = []
    for index, message in enumerate(asked.messages):
        messages += _read_message(message, f"messages.{index}", vendor, files)
    told = () if asked.tool_choice is not None and asked.tool_choice.type == "none" else asked.tools or ()
    tools = tuple(client_tool(one.name, one.description or "", write_schema(one.input_schema)) for one in told)
    system = asked.system or ""
    texts = [system] if isinstance(system, str) else [block.text for block in system]
    parameters = replace(_parameters(asked), tool_choice=_choice(asked, tools))
    call = GatewayCall(asked.model, "\n\n".join(texts), tuple(messages), parameters, tools, tuple(files))
    return ReadCall(call, asked.model, bool(asked.stream))


def _read_message(
    message: UserMessage | AssistantMessage, field: str, vendor: str, files: list[Attachment]
) -> Iterator[RequestMessage]:
    """The messages that one is: results of tools are a message of their own."""
    content = message.content
    blocks = [TextBlock(type="text", text=content)] if isinstance(content, str) else content
    parts = tuple(_read_block(block, f"{field}.content.{index}", vendor, files) for index, block in enumerate(blocks))
    if isinstance(message, AssistantMessage):
        yield RequestMessage("assistant", parts)
        return
    results = tuple(part for part in parts if isinstance(part, ToolResult))
    if any(isinstance(part, ToolResult) for part in parts[len(results) :]):
        raise InputError(field, "has tool results after other content. Put the results first.")
    if results:
        yield RequestMessage("tool", results)
    if rest := parts[len(results) :]:
        yield RequestMessage("user", rest)


def _read_block(
    block: TextBlock | ImageBlock | ToolUseBlock | ToolResultBlock | ThinkingBlock | RedactedBlock,
    field: str,
    vendor: str,
    files: list[Attachment],
) -> SentPart:
    match block:
        case TextBlock() | ImageBlock():
            return _read_piece(block, field, files)
        case ToolUseBlock():
            return ToolCall(block.id, block.name, orjson.dumps(block.input).decode(), complete=True)
        case ToolResultBlock(content=content):
            pieces = [TextBlock(type="text", text=content)] if isinstance(content, str) else content or []
            read = tuple(_read_piece(piece, f"{field}.content.{n}", files) for n, piece in enumerate(pieces))
            return ToolResult(block.tool_use_id, read, bool(block.is_error))
        case ThinkingBlock():
            return Thinking(block.thinking, block.signature or None, vendor if block.signature else None)
        case RedactedBlock():
            return Thinking("", block.data, vendor, redacted=True)


def _read_piece(piece: TextBlock | ImageBlock, field: str, files: list[Attachment]) -> Text | Image:
    if isinstance(piece, TextBlock):
        return Text(piece.text)
    picture = read_picture(piece.source.data, f"{field}.source.data")
    files.append(picture)
    part = picture.part()
    if not isinstance(part, Image):
        raise TypeError("a picture that is none")
    return part


def _parameters(asked: MessagesBody) -> Parameters:
    effort = None if asked.output_config is None else asked.output_config.effort
    return Parameters(
        temperature=asked.temperature,
        top_p=asked.top_p,
        max_output_tokens=asked.max_tokens,
        effort=None if effort is None else Effort(effort),
        thinking=None if asked.thinking is None else asked.thinking.type != "disabled",
        stop=tuple(asked.stop_sequences) if asked.stop_sequences else None,
    )


def _choice(asked: MessagesBody, tools: tuple[Tool, ...]) -> str | None:
    match asked.tool_choice:
        case NamedTool(name=name):
            return read_choice(tools, name)
        case ToolChoice(type="any"):
            return read_choice(tools)
        case _:
            return None


def _name(reply: Reply) -> dict[str, Any]:
    run_id = reply.begun.started.run_id
    return {"id": f"msg_{run_id}", "type": "message", "role": "assistant", "model": reply.read.model}


def _stop(state: RunState) -> str:
    return STOP.get(state.outcome.stop_reason, "end_turn") if isinstance(state.outcome, Succeeded) else "end_turn"


def _stop_sequence(reply: Reply, state: RunState) -> str | None:
    """The stop sequence that came. Of several nobody says which: None."""
    asked = reply.read.call.parameters.stop or ()
    return asked[0] if _stop(state) == "stop_sequence" and len(asked) == 1 else None


def _write_block(part: Part) -> dict[str, Any] | None:
    match part:
        case Text():
            return {"type": "text", "text": part.text}
        case Thinking(redacted=True):
            return {"type": "redacted_thinking", "data": part.signature or ""}
        case Thinking():
            return {"type": "thinking", "thinking": part.text, "signature": part.signature or ""}
        case ToolCall():
            return {
                "type": "tool_use",
                "id": part.tool_call_id,
                "name": part.name,
                "input": orjson.loads(part.input_json or "{}"),
            }
        case _:
            return None


def _empty_block(part: Part) -> dict[str, Any] | None:
    """The block as it starts in a stream, before its deltas."""
    match part:
        case Text():
            return {"type": "text", "text": ""}
        case Thinking(redacted=True):
            return {"type": "redacted_thinking", "data": part.signature or ""}
        case Thinking():
            return {"type": "thinking", "thinking": "", "signature": ""}
        case ToolCall():
            return {"type": "tool_use", "id": part.tool_call_id, "name": part.name, "input": {}}
        case _:
            return None


def _write_delta(delta: Delta) -> Iterator[dict[str, Any]]:
    match delta.part:
        case Text() if delta.text:
            yield {"type": "text_delta", "text": delta.text}
        case Thinking(redacted=False):
            if delta.text:
                yield {"type": "thinking_delta", "thinking": delta.text}
            if delta.signature:
                yield {"type": "signature_delta", "signature": delta.signature}
        case ToolCall() if delta.text:
            yield {"type": "input_json_delta", "partial_json": delta.text}
        case _:
            return


def _write_usage(usage: Usage | None) -> dict[str, Any]:
    """The counters in Anthropic's form, which has no way to say that the provider told nothing: zeros then."""
    told = usage or Usage()
    return {
        "input_tokens": told.input_tokens,
        "cache_creation_input_tokens": told.cache_write_tokens + told.cache_write_1h_tokens,
        "cache_read_input_tokens": told.cache_read_tokens,
        "output_tokens": told.output_tokens,
    }


def _write_fault(fault: Fault) -> dict[str, Any]:
    other = "api_error" if fault.status >= HTTPStatus.INTERNAL_SERVER_ERROR else "invalid_request_error"
    kind = ERROR_TYPES.get(fault.status, other)
    return {"type": "error", "error": {"type": kind, "message": fault.message}}


def _event(kind: str, content: dict[str, Any]) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (kind.encode(), to_json({"type": kind, **content}))
