"""OpenAI's Chat Completions: a body as a call, a reply and its stream as OpenAI's clients read them.

OpenAiChat().read(b'{"model":"offline:demo","messages":[{"role":"user","content":"Hi"}]}').call.messages
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, assert_never

from starlette.responses import Response

from app.api.gateway.content import read_choice, read_data_url, write_schema
from app.api.gateway.dialect import Encoder, ReadCall, Reply, answer_json
from app.api.gateway.faults import OVERLOADED, Fault
from app.api.gateway.openai_shapes import (
    AssistantMessage,
    ChatBody,
    ImageShape,
    SystemMessage,
    TextShape,
    ToolChoice,
    ToolMessage,
    UserMessage,
)
from app.domain.conversation.attachments import Attachment
from app.domain.conversation.conversation import Effort, Parameters
from app.domain.conversation.parts import SentPart, Text, Thinking, ToolCall, ToolResult
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

FINISH: Mapping[StopReason, str] = MappingProxyType(
    {StopReason.MAX_TOKENS: "length", StopReason.TOOL_CALLS: "tool_calls", StopReason.TOOL_LIMIT: "length"}
)
"""OpenAI's words for why a model stopped; for all others it is `stop`."""
BETWEEN_ROUNDS = "\n\n"
"""Between the texts of an agent's rounds: in this form a reply is one text."""
NO_SCHEMA: Mapping[str, Any] = MappingProxyType({"type": "object", "properties": {}})


class OpenAiChat:
    """The dialect of Chat Completions."""

    def read(self, body: bytes) -> ReadCall:
        asked = ChatBody.model_validate_json(body)
        files: list[Attachment] = []
        messages: list[RequestMessage] = []
        system: list[str] = []
        for index, message in enumerate(asked.messages):
            if not isinstance(message, SystemMessage):
                messages.append(_read_message(message, f"messages.{index}", files))
            elif messages:
                raise InputError(f"messages.{index}", "is a system message after others. Put it at the beginning.")
            else:
                system += _texts(message.content)
        told = () if asked.tool_choice == "none" else asked.tools or ()
        tools = tuple(
            client_tool(
                one.function.name,
                one.function.description or "",
                write_schema(one.function.parameters or NO_SCHEMA),
            )
            for one in told
        )
        parameters = replace(_parameters(asked), tool_choice=_choice(asked, tools))
        call = GatewayCall(asked.model, "\n\n".join(system), tuple(messages), parameters, tools, tuple(files))
        with_usage = asked.stream_options is not None and asked.stream_options.include_usage
        return ReadCall(call, asked.model, bool(asked.stream), with_usage)

    def write(self, reply: Reply, state: RunState) -> dict[str, Any]:
        parts = reply.parts(state)
        message: dict[str, Any] = {"role": "assistant", "content": None, "refusal": None}
        texts = [part.text for part in parts if isinstance(part, Text)]
        if texts:
            message["content"] = _between(reply).join(texts)
        if thinking := "".join(part.text for part in parts if isinstance(part, Thinking)):
            message["reasoning_content"] = thinking
        if calls := [_write_call(part) for part in parts if isinstance(part, ToolCall)]:
            message["tool_calls"] = calls
        choice = {"index": 0, "message": message, "finish_reason": _finish(state), "logprobs": None}
        named = _name(reply, "chat.completion")
        return {**named, "choices": [choice], "usage": _write_usage(sum_usage(state))}

    def new_encoder(self, reply: Reply) -> Encoder:
        return _Chunks(reply)

    def refuse(self, fault: Fault) -> Response:
        status = {OVERLOADED: HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.PAYMENT_REQUIRED: HTTPStatus.TOO_MANY_REQUESTS}
        return answer_json(_write_fault(fault), status.get(fault.status, fault.status), fault.headers)


class _Chunks:
    """A reply as `chat.completion.chunk` events."""

    def __init__(self, reply: Reply) -> None:
        self._reply = reply
        self._calls = 0
        self._said = False

    def begin(self) -> Iterator[bytes]:
        yield self._chunk({"role": "assistant", "content": ""})

    def grow(self, delta: Delta) -> Iterator[bytes]:
        match delta.part:
            case Text():
                between = _between(self._reply) if delta.opened and self._said else ""
                self._said = True
                if text := between + delta.text:
                    yield self._chunk({"content": text})
            case Thinking():
                if delta.text:
                    yield self._chunk({"reasoning_content": delta.text})
            case ToolCall():
                self._calls += delta.opened
                call: dict[str, Any] = {"index": self._calls - 1, "function": {"arguments": delta.text}}
                if delta.opened:
                    call |= {"id": delta.part.tool_call_id, "type": "function"}
                    call["function"]["name"] = delta.part.name
                if delta.opened or delta.text:
                    yield self._chunk({"tool_calls": [call]})
            case _:
                return

    def end(self, state: RunState) -> Iterable[bytes]:
        yield self._chunk({}, _finish(state))
        if self._reply.read.include_usage:
            usage: dict[str, Any] = {"choices": [], "usage": _write_usage(sum_usage(state))}
            yield _event({**_name(self._reply, "chat.completion.chunk"), **usage})
        yield b"data: [DONE]\n\n"

    def fail(self, fault: Fault) -> Iterator[bytes]:
        yield _event(_write_fault(fault))

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return _event({**_name(self._reply, "chat.completion.chunk"), "choices": [choice]})


def _read_message(
    message: UserMessage | AssistantMessage | ToolMessage, field: str, files: list[Attachment]
) -> RequestMessage:
    match message:
        case UserMessage(content=content):
            pieces = [TextShape(type="text", text=content)] if isinstance(content, str) else content
            parts = [_read_piece(piece, f"{field}.content.{index}", files) for index, piece in enumerate(pieces)]
            return RequestMessage("user", tuple(parts))
        case AssistantMessage():
            said = tuple(Text(text) for text in _texts(message.content))
            calls = tuple(
                ToolCall(call.id, call.function.name, call.function.arguments, complete=True)
                for call in message.tool_calls or ()
            )
            return RequestMessage("assistant", (*said, *calls))
        case ToolMessage():
            content = tuple(Text(text) for text in _texts(message.content))
            return RequestMessage("tool", (ToolResult(message.tool_call_id, content),))
        case _:
            assert_never(message)


def _read_piece(piece: TextShape | ImageShape, field: str, files: list[Attachment]) -> SentPart:
    if isinstance(piece, TextShape):
        return Text(piece.text)
    picture = read_data_url(piece.image_url.url, f"{field}.image_url.url")
    files.append(picture)
    return picture.part()


def _texts(content: str | list[TextShape] | None) -> list[str]:
    if content is None:
        return []
    return [content] if isinstance(content, str) else [piece.text for piece in content]


def _parameters(asked: ChatBody) -> Parameters:
    schema = None
    if asked.response_format is not None and asked.response_format.type == "json_schema":
        if asked.response_format.json_schema is None:
            raise InputError("response_format.json_schema", "is missing.")
        schema = write_schema(asked.response_format.json_schema.schema_)
    return Parameters(
        temperature=asked.temperature,
        top_p=asked.top_p,
        max_output_tokens=asked.max_completion_tokens or asked.max_tokens,
        seed=asked.seed,
        effort=None if asked.reasoning_effort is None else Effort(asked.reasoning_effort),
        reply_schema=schema,
        stop=tuple([asked.stop] if isinstance(asked.stop, str) else asked.stop) if asked.stop else None,
    )


def _choice(asked: ChatBody, tools: tuple[Tool, ...]) -> str | None:
    match asked.tool_choice:
        case ToolChoice(function=function):
            return read_choice(tools, function.name)
        case "required":
            return read_choice(tools)
        case _:
            return None


def _name(reply: Reply, kind: str) -> dict[str, Any]:
    run_id = reply.begun.started.run_id
    return {"id": f"chatcmpl-{run_id}", "object": kind, "created": reply.created, "model": reply.read.model}


def _between(reply: Reply) -> str:
    return "" if reply.begun.calls_end_it else BETWEEN_ROUNDS


def _finish(state: RunState) -> str:
    return FINISH.get(state.outcome.stop_reason, "stop") if isinstance(state.outcome, Succeeded) else "stop"


def _write_call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.input_json or "{}"}
    return {"id": call.tool_call_id, "type": "function", "function": function}


def _write_usage(usage: Usage | None) -> dict[str, Any] | None:
    """The counters in OpenAI's form; None: the provider told nothing."""
    if usage is None:
        return None
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.all_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read_tokens},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
    }


def _write_fault(fault: Fault) -> dict[str, Any]:
    code = "insufficient_quota" if fault.status == HTTPStatus.PAYMENT_REQUIRED else fault.code
    if fault.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        kind = "server_error"
    elif fault.status in {HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.TOO_MANY_REQUESTS}:
        kind = "insufficient_quota" if fault.status == HTTPStatus.PAYMENT_REQUIRED else "rate_limit_error"
    else:
        kind = "invalid_request_error"
    return {"error": {"message": fault.message, "type": kind, "param": fault.field, "code": code}}


def _event(content: dict[str, Any]) -> bytes:
    return b"data: " + to_json(content) + b"\n\n"
