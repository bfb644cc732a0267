"""The adapter of the offline provider, which needs no key, no network and no model.

It answers by fixed rules, and its answers say so.

A new installation answers with this provider, and demonstrations and tests use it: commands in the text of a request
decide how it answers (`/help`, see `offline/script.py`). It has the interface of every other adapter, but its client
makes the answers in this process, and its events use the terms of the domain:

    data: {"text": "Hello"}
    data: {"usage": {"input_tokens": 3, "output_tokens": 1}}
    data: {"stop": "end"}
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from dataclasses import asdict
from hashlib import sha256
from itertools import takewhile
from types import MappingProxyType
from typing import Any

import orjson

from app.domain.conversation.parts import File, Image, SentPart, Text, Thinking, ToolCall, ToolResult
from app.domain.errors import ErrorClass, ProviderError, failure
from app.domain.request.request import ToolDefinition
from app.domain.stream.stream_events import (
    PartEnded,
    Stopped,
    StopReason,
    StreamEvent,
    TextReceived,
    ThinkingReceived,
    ThinkingSigned,
    ToolCallStarted,
    ToolInputReceived,
    UsageReported,
)
from app.domain.usage import Usage
from app.providers.base import (
    JSON_STREAM,
    Adapter,
    CallInput,
    CallTarget,
    ListedModel,
    ListedModels,
    Provider,
    Timeouts,
    WireRequest,
)
from app.providers.offline.counts import count_input
from app.providers.offline.derived import derive
from app.providers.offline.sample import make_sample
from app.providers.offline.script import Script, split_tokens, write_script
from app.providers.wire.sse import SseEvent

MODELS = (
    ListedModel("demo", "Offline demo", 131_072, 16_384, images=True, files=True, tools=True, structured=True),
    ListedModel("tiny", "Offline tiny", 2_048, 1_024, images=False, files=False, tools=False, structured=False),
)
"""The models of the offline provider: `demo` has a large window, `tiny` a small one, so that users can try limits."""

_NAMED = ("temperature", "top_p", "seed", "effort")
"""Parameters that are in the request if they are set. The answers do not depend on them."""


# --- encoding ---


def encode_body(call: CallInput) -> bytes:
    """Encode a request in the terms of the domain. Pictures and files are only named: their bytes are not read."""
    request = call.request
    schema = request.parameters.reply_schema
    return orjson.dumps(
        {
            "model": call.model,
            "system": request.system,
            "messages": [
                {"role": message.role, "parts": [_encode_part(part) for part in message.parts]}
                for message in request.messages
            ],
            "tools": [_encode_tool(tool) for tool in request.tools],
            "max_output_tokens": request.parameters.max_output_tokens,
            "thinking": request.parameters.thinking,
        }
        | {name: value for name in _NAMED if (value := getattr(request.parameters, name)) is not None}
        | ({} if schema is None else {"schema": orjson.Fragment(schema)})
    )


def _encode_part(part: SentPart) -> dict[str, object]:
    match part:
        case Text():
            return {"text": part.text}
        case Thinking():
            return {"thinking": part.text}
        case Image():
            return {"attachment": part.attachment_id, "width": part.width, "height": part.height}
        case File():
            return {"attachment": part.attachment_id, "name": part.name}
        case ToolCall():
            return {"tool_call": part.tool_call_id, "name": part.name, "input": part.input_json}
        case ToolResult():
            return {"tool_result": part.tool_call_id, "content": [_encode_part(piece) for piece in part.content]}


def _encode_tool(tool: ToolDefinition) -> dict[str, object]:
    schema = orjson.Fragment(tool.input_schema_json)
    return {"name": tool.name, "description": tool.description, "input_schema": schema}


# --- decoding ---


class OfflineDecoder:
    """The decoder of the offline provider. Each event has one key with a fixed meaning, so the decoder has no state."""

    def __init__(self, target: CallTarget) -> None:
        self._target = target

    def feed(self, event: SseEvent) -> list[StreamEvent]:
        ((kind, value),) = orjson.loads(event.data).items()
        if kind == "error":
            message = f"{self._target}: {value['message']}"
            raise ProviderError(failure(ErrorClass(value["class"]), message, value["retry_after"]))
        return _MEANINGS[kind](value)

    def end(self) -> list[StreamEvent]:
        return []


_MEANINGS: Mapping[str, Callable[[Any], list[StreamEvent]]] = MappingProxyType(
    {
        "text": lambda text: [TextReceived(text)],
        "thinking": lambda text: [ThinkingReceived(text)],
        "signature": lambda signature: [ThinkingSigned(signature, "offline"), PartEnded()],
        "tool": lambda tool: [ToolCallStarted(tool["id"], tool["name"])],
        "tool_input": lambda json_text: [ToolInputReceived(json_text), PartEnded()],
        "usage": lambda usage: [UsageReported(Usage(**usage))],
        "stop": lambda reason: [Stopped(StopReason(reason))],
    }
)


# --- performing ---


class OfflineLink:
    """The client of the offline provider, which makes the answers. Other adapters use an SDK's client."""

    def __init__(self, provider: Provider) -> None:
        self._label = provider.row.label
        self._attempts: Counter[bytes] = Counter()

    async def post(self, wire: WireRequest, timeouts: Timeouts) -> OfflineResponse:
        body: dict[str, Any] = orjson.loads(wire.body)
        *before, prompt = ["", *(_text_of(message) for message in body["messages"] if message["role"] == "user")]
        derived = derive(prompt, before[1:])
        rounds, results = _read_rounds(body["messages"])
        answer = Script(derived) if derived is not None else None
        script = answer or write_script(prompt, len(body["messages"]), results, rounds)
        if "schema" in body and not any(line.startswith("/") for line in prompt.splitlines()):
            script = Script(json.dumps(make_sample(body["schema"]), ensure_ascii=False, indent=2))
        input_tokens = await count_input(body)
        self._refuse(body["model"], input_tokens)
        fails = script.ending == "fail" and self._is_to_fail(wire, script)
        if fails and script.after is None:
            raise ProviderError(failure(script.fault.error_class, _fault_message(script), script.fault.retry_after))
        return OfflineResponse(script, body["max_output_tokens"], input_tokens, timeouts, fails=fails)

    def _refuse(self, name: str, input_tokens: int) -> None:
        model = next((model for model in MODELS if model.name == name), None)
        if model is None:
            names = " and ".join(model.name for model in MODELS)
            message = f"{self._label} has no model {name!r}, only {names}."
            raise ProviderError(failure(ErrorClass.MODEL, message))
        if input_tokens > (model.context_window or 0):
            message = (
                f"The limit of offline:{name} is {model.context_window:,} tokens; this request has {input_tokens:,}."
            )
            raise ProviderError(failure(ErrorClass.CONTEXT_LENGTH, message))

    def _is_to_fail(self, wire: WireRequest, script: Script) -> bool:
        """Return True if this attempt must fail. `times N`: the first N attempts fail, the next one succeeds."""
        if script.fault.times is None:
            return True
        request = sha256(wire.body).digest()
        self._attempts[request] += 1
        if self._attempts[request] <= script.fault.times:
            return True
        del self._attempts[request]
        return False

    async def get(self, path: str, timeouts: Timeouts) -> OfflineList:  # noqa: ARG002 - the answer is immediate
        if path != "models":
            raise ValueError(f"The offline provider has nothing at {path!r}.")
        return OfflineList()

    async def close(self) -> None:
        self._attempts.clear()


class OfflineList:
    """The response of the offline provider to a request for its list of models."""

    content_type = "application/json"

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        yield orjson.dumps(MODELS, default=asdict)

    async def close(self) -> None:
        pass


class OfflineResponse:
    """A reply of the offline provider, which follows a `Script`.

    Tokens that are due at the same time are one chunk, as from a network.
    """

    content_type = "text/event-stream"

    def __init__(
        self, script: Script, max_output_tokens: int | None, input_tokens: int, timeouts: Timeouts, *, fails: bool
    ) -> None:
        self._script = script
        self._input_tokens = input_tokens
        self._timeouts = timeouts
        self._fails = fails
        self._limit = max_output_tokens

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        script = self._script
        await self._wait(script.delay)
        sent = 0
        async for chunk, tokens in _paced(list(self._events()), script.rate):
            sent += tokens
            yield chunk
        match script.ending:
            case "fail" if self._fails:
                error = {
                    "class": script.fault.error_class,
                    "message": _fault_message(script),
                    "retry_after": script.fault.retry_after,
                }
                yield _event("error", error)
            case "stall":
                await self._wait(float("inf"))
            case "cut":
                return
            case _:
                reason = StopReason.MAX_TOKENS if self._limit == sent else script.stop_reason
                thought = len(split_tokens(script.thinking))
                usage = {"input_tokens": self._input_tokens, "output_tokens": sent, "reasoning_tokens": thought}
                yield _event("usage", usage) + _event("stop", reason)

    async def close(self) -> None:
        pass

    def _events(self) -> Iterator[tuple[bytes, int]]:
        """Yield the events up to the place where the script or a limit ends them, each with its number of tokens."""
        script = self._script
        after = script.after if script.ending != "fail" or self._fails else None
        left = min(limit for limit in (after, self._limit, 1 << 60) if limit is not None)
        for token in split_tokens(script.thinking)[:left]:
            left -= 1
            yield _event("thinking", token), 1
        if script.thinking and left:
            yield _event("signature", "offline"), 0
        for token in split_tokens(script.text)[:left]:
            left -= 1
            yield _event("text", token), 1
        for number, (name, input_json) in enumerate(script.tools[:left], 1):
            yield _event("tool", {"id": f"call_{number}", "name": name}), 1
            yield _event("tool_input", input_json), 0

    async def _wait(self, seconds: float) -> None:
        await asyncio.sleep(min(seconds, self._timeouts.read))
        if seconds > self._timeouts.read:
            raise ProviderError(
                failure(ErrorClass.NETWORK, f"offline sent nothing for {self._timeouts.read:g} seconds.")
            )


async def _paced(events: list[tuple[bytes, int]], rate: float) -> AsyncGenerator[tuple[bytes, int], None]:
    """Yield the events at this number of tokens per second: all due events together, in order and without drift."""
    loop = asyncio.get_running_loop()
    start = loop.time()
    sent = position = 0
    while position < len(events):
        due = int((loop.time() - start) * rate) + 1 if rate else sent + 1
        chunk, tokens = b"", 0
        while position < len(events) and sent + tokens < due:
            data, count = events[position]
            chunk, tokens, position = chunk + data, tokens + count, position + 1
        if chunk:
            sent += tokens
            yield chunk, tokens
        if position < len(events):
            await asyncio.sleep(max(0.0, start + sent / rate - loop.time()) if rate else 0)


def _event(kind: str, value: object) -> bytes:
    return b"data: " + orjson.dumps({kind: value}) + b"\n\n"


def _text_of(message: dict[str, Any]) -> str:
    return "\n".join(part["text"] for part in message["parts"] if "text" in part)


def _read_rounds(messages: list[dict[str, Any]]) -> tuple[int, list[str]]:
    """Return the number of tool rounds since the last user message, and the results of the last round."""
    since = list(takewhile(lambda message: message["role"] != "user", reversed(messages)))
    answered = [message for message in since if message["role"] == "tool"]
    if not answered:
        return 0, []
    return len(answered), [_describe_result(part) for part in answered[0]["parts"]]


def _describe_result(part: dict[str, Any]) -> str:
    pieces = (piece.get("text", f"[attachment {piece.get('attachment', '')[:12]}]") for piece in part["content"])
    return "\n".join(pieces)


def _fault_message(script: Script) -> str:
    return f"Simulated error ({script.fault.error_class}): your message asked the offline model for it with /fail."


def parse_models(body: bytes) -> ListedModels:
    return ListedModels(tuple(ListedModel(**model) for model in orjson.loads(body)))


ADAPTER = Adapter(
    path="replies",
    models_path="models",
    key_header=None,
    versioned=False,
    build_headers=lambda _: JSON_STREAM,
    encode_body=encode_body,
    new_decoder=OfflineDecoder,
    open_link=OfflineLink,
    parse_models=parse_models,
    built_in_models=MODELS,
)
