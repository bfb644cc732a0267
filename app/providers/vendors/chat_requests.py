"""Encodes requests in Chat Completions, the protocol that OpenAI defined and most others accept.

Source: https://developers.openai.com/api/reference/resources/chat. The `Dialect` of a registry row has the fields that
the server names differently. `openai_compatible.py` decodes the answers.

Alibaba's `enable_thinking`, `thinking_budget` and `cache_control`: Alibaba Cloud Model Studio, "Deep thinking" and
"Context Cache", read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from app.domain.cache.prefix import SYSTEM
from app.domain.conversation.conversation import Parameters
from app.domain.conversation.parts import File, Image, SentPart, Text, Thinking, ToolCall, ToolResult, plain_text
from app.domain.errors import InputError
from app.domain.request.request import RequestMessage, ToolDefinition
from app.providers.base import CallInput, Dialect, ProviderRow
from app.providers.models.abilities import abilities_of
from app.providers.vendors.openai import data_url, schema_format
from app.providers.vendors.returned_extras import mark_unsigned, put_back
from app.providers.vendors.thinking_budgets import BUDGETS
from app.providers.wire.json_values import as_object

NO_REASONING = " "
"""The text that replaces missing reasoning of a reply, for a server that refuses a reply without reasoning."""


def encode_body(call: CallInput) -> bytes:
    """Encode the body of a request. Parts that stay the same from send to send come first, the messages last."""
    request, dialect = call.request, call.row.dialect
    body: dict[str, object] = {"model": call.model, "stream": True}
    if dialect.include_usage:
        body["stream_options"] = {"include_usage": True}
    body.update(_encode_parameters(request.parameters, dialect, call.row.label))
    if request.parameters.reply_schema is not None:
        json_schema = schema_format(request.parameters.reply_schema)
        body["response_format"] = {"type": "json_schema", "json_schema": json_schema}
    if request.tools:
        body["tools"] = [_encode_tool(tool) for tool in request.tools]
    needs_reasoning = _needs_reasoning(call)
    marked = {mark.place for mark in call.marks} if dialect.cache_control else set[int]()
    messages: list[dict[str, Any]] = []
    if request.system:
        messages.append({"role": "system", "content": request.system})
        if SYSTEM in marked:
            _mark(messages[-1])
    for place, message in enumerate(request.messages):
        parts = message.parts
        is_answer = needs_reasoning and message.role == "assistant"
        if (
            len(parts) == 1 and isinstance(parts[0], Text) and message.role != "tool" and not is_answer
        ):  # a text alone, as in nearly all messages; some servers accept no lists
            messages.append({"role": message.role, "content": parts[0].text})
        else:
            messages += _encode_message(message, call)
        if place in marked:
            _mark(messages[-1])
    body["messages"] = messages
    return orjson.dumps(body)


def _mark(message: dict[str, Any]) -> None:
    """Mark the end of an encoded message as a cache breakpoint. A content that is a text becomes a list of one part."""
    content = message["content"]
    if not content:
        return
    parts: list[dict[str, Any]] = [{"type": "text", "text": content}] if isinstance(content, str) else content
    parts[-1]["cache_control"] = {"type": "ephemeral"}
    message["content"] = parts


def _encode_parameters(parameters: Parameters, dialect: Dialect, label: str) -> dict[str, object]:
    encoded: dict[str, object] = {}
    if parameters.max_output_tokens is not None:
        encoded[dialect.max_tokens_field] = parameters.max_output_tokens
    if parameters.temperature is not None:
        encoded["temperature"] = parameters.temperature
    if parameters.top_p is not None:
        encoded["top_p"] = parameters.top_p
    if parameters.seed is not None:
        if dialect.seed_field is None:
            raise InputError("parameters.seed", f"{label} does not support a seed.")
        encoded[dialect.seed_field] = parameters.seed
    if parameters.thinking is not None and dialect.thinking_switch is None:
        raise InputError("parameters.thinking", f"{label} does not support a switch for thinking.")
    return encoded | _encode_reasoning(parameters, dialect)


def _encode_reasoning(parameters: Parameters, dialect: Dialect) -> dict[str, object]:
    thinking, effort = parameters.thinking, parameters.effort
    if dialect.thinking_switch == "reasoning":
        reasoning: dict[str, object] = {} if thinking is None else {"enabled": thinking}
        if effort is not None and thinking is not False:
            reasoning["effort"] = effort
        return {"reasoning": reasoning} if reasoning else {}
    if dialect.thinking_switch == "enable_thinking":
        switched: dict[str, object] = {} if thinking is None else {"enable_thinking": thinking}
        if effort is not None and thinking is not False:
            switched["thinking_budget"] = BUDGETS[effort]
        return switched
    encoded: dict[str, object] = {} if effort is None else {"reasoning_effort": effort}
    if thinking is not None and dialect.thinking_switch == "thinking":
        encoded["thinking"] = {"type": "enabled" if thinking else "disabled"}
    if thinking is not None and dialect.thinking_switch == "chat_template_kwargs":
        encoded["chat_template_kwargs"] = {"enable_thinking": thinking}
    return encoded


def _encode_tool(tool: ToolDefinition) -> dict[str, object]:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": orjson.Fragment(tool.input_schema_json),
    }
    return {"type": "function", "function": function}


def _encode_message(message: RequestMessage, call: CallInput) -> Iterator[dict[str, Any]]:
    parts = message.parts
    match message.role:
        case "user":
            yield {"role": "user", "content": [_encode_content(part, call) for part in parts]}
        case "assistant":
            yield _encode_reply(parts, call)
        case "tool":
            for part in parts:
                if not isinstance(part, ToolResult):
                    raise InputError("messages", f"A {type(part).__name__} cannot be part of a tool result.")
                yield {"role": "tool", "tool_call_id": part.tool_call_id, "content": plain_text(part.content)}
            if shown := [piece for part in parts for piece in _encode_shown(part, call)]:
                yield {"role": "user", "content": shown}


def _encode_content(part: SentPart, call: CallInput) -> dict[str, object]:
    match part:
        case Text():
            return {"type": "text", "text": part.text}
        case Image():
            return {"type": "image_url", "image_url": {"url": data_url(part, call)}}
        case File():
            return {"type": "file", "file": {"filename": part.name, "file_data": data_url(part, call)}}
        case _:
            raise InputError("messages", f"{call.row.label} does not support a {type(part).__name__} in a request.")


def _encode_reply(parts: tuple[SentPart, ...], call: CallInput) -> dict[str, object]:
    """Encode a reply as one message, with its text and its tool calls."""
    calls: list[dict[str, object]] = [
        {
            "id": part.tool_call_id,
            "type": "function",
            "function": {"name": part.name, "arguments": as_object(part.input_json)},
        }
        for part in parts
        if isinstance(part, ToolCall)
    ]
    encoded: dict[str, Any] = {"role": "assistant", "content": plain_text(parts) or None}
    thoughts = [part for part in parts if isinstance(part, Thinking)]
    if takes_reasoning(call.row, call.model):
        reasoning = "".join(thought.text for thought in thoughts)
        if reasoning or _needs_reasoning(call):
            encoded["reasoning_content"] = reasoning or NO_REASONING
    if calls:
        encoded["tool_calls"] = calls
    put_back(encoded, [thought.signature for thought in thoughts if thought.signature])
    if call.row.dialect.signed_calls and abilities_of(call.model).signed_calls:
        mark_unsigned(calls)
    return encoded


def takes_reasoning(row: ProviderRow, model: str) -> bool:
    """Return True if requests for this model send the reasoning of earlier replies back, in `reasoning_content`."""
    back = row.dialect.reasoning_back
    return back == "always" or (back == "by family" and abilities_of(model).reasoning_back)


def _needs_reasoning(call: CallInput) -> bool:
    """Return True if the server refuses earlier replies without reasoning, such as those of another model."""
    thinking = call.request.parameters.thinking
    if thinking is False or not takes_reasoning(call.row, call.model):
        return False
    return thinking is True or abilities_of(call.model).reasoning_back


def _encode_shown(part: SentPart, call: CallInput) -> Iterator[dict[str, object]]:
    """Encode the images and files of a tool result for a user message: a `tool` message can only have text."""
    shown = [piece for piece in part.content if not isinstance(piece, Text)] if isinstance(part, ToolResult) else []
    if shown and isinstance(part, ToolResult):
        yield {"type": "text", "text": f"[Result of {part.tool_call_id}]"}
        yield from (_encode_content(piece, call) for piece in shown)
