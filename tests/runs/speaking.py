"""The reply of a model in one round, in the format of each protocol: thinking, text, and calls whose input streams.

    Speech(thinking="Let me see.", signature="c2ln", calls=(("c1", "double", '{"a":', "1}"),), tokens=(25, 40))

The formats are those of the recordings in `tests/providers/recordings`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.providers.peer import Answer


@dataclass(frozen=True)
class Speech:
    """Content of one round. `calls`: an id, a name and the pieces of the input. `tokens`: of input and output."""

    text: str = ""
    thinking: str = ""
    signature: str = ""
    calls: tuple[tuple[str, ...], ...] = ()
    tokens: tuple[int, int] = (25, 40)


def speak(protocol: str, speech: Speech) -> Answer:
    return Answer((b"".join(_PROTOCOLS[protocol](speech)),))


def _event(kind: str, **data: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode()


def _anthropic(speech: Speech) -> Iterator[bytes]:
    read, written = speech.tokens
    yield _event("message_start", message={"id": "m", "usage": {"input_tokens": read, "output_tokens": 1}})
    number = 0

    def block(start: Mapping[str, Any], *deltas: Mapping[str, Any]) -> Iterator[bytes]:
        nonlocal number
        yield _event("content_block_start", index=number, content_block=start)
        for delta in deltas:
            yield _event("content_block_delta", index=number, delta=delta)
        yield _event("content_block_stop", index=number)
        number += 1

    if speech.thinking:
        yield from block(
            {"type": "thinking", "thinking": "", "signature": ""},
            {"type": "thinking_delta", "thinking": speech.thinking},
            {"type": "signature_delta", "signature": speech.signature},
        )
    if speech.text:
        yield from block({"type": "text", "text": ""}, {"type": "text_delta", "text": speech.text})
    for call_id, name, *pieces in speech.calls:
        yield from block(
            {"type": "tool_use", "id": call_id, "name": name, "input": {}},
            *({"type": "input_json_delta", "partial_json": piece} for piece in pieces),
        )
    stop = "tool_use" if speech.calls else "end_turn"
    yield _event("message_delta", delta={"stop_reason": stop}, usage={"output_tokens": written})
    yield _event("message_stop")


def _openai(speech: Speech) -> Iterator[bytes]:
    read, written = speech.tokens
    number = 0
    if speech.thinking:
        item: dict[str, Any] = {"id": "rs_0", "type": "reasoning", "summary": []}
        yield _event("response.output_item.added", output_index=number, item=item)
        yield _event("response.reasoning_summary_text.delta", output_index=number, delta=speech.thinking)
        yield _event(
            "response.output_item.done", output_index=number, item=item | {"encrypted_content": speech.signature}
        )
        number += 1
    if speech.text:
        item: dict[str, Any] = {"id": "msg_0", "type": "message", "role": "assistant", "content": []}
        yield _event("response.output_item.added", output_index=number, item=item)
        yield _event("response.output_text.delta", output_index=number, delta=speech.text)
        yield _event("response.output_item.done", output_index=number, item=item)
        number += 1
    for place, (call_id, name, *_) in enumerate(speech.calls, number):
        item = {"id": f"fc_{place}", "type": "function_call", "call_id": call_id, "name": name, "arguments": ""}
        yield _event("response.output_item.added", output_index=place, item=item)
    # The pieces of several calls alternate, as the protocol allows.
    longest = max((len(call) - 2 for call in speech.calls), default=0)
    for turn in range(longest):
        for place, (_, _, *pieces) in enumerate(speech.calls, number):
            if turn < len(pieces):
                yield _event("response.function_call_arguments.delta", output_index=place, delta=pieces[turn])
    for place, (call_id, name, *pieces) in enumerate(speech.calls, number):
        item = {"id": f"fc_{place}", "type": "function_call", "call_id": call_id, "name": name}
        yield _event("response.output_item.done", output_index=place, item=item | {"arguments": "".join(pieces)})
    usage = {"input_tokens": read, "output_tokens": written}
    yield _event("response.completed", response={"status": "completed", "usage": usage})


def _openai_compatible(speech: Speech) -> Iterator[bytes]:
    read, written = speech.tokens

    def chunk(delta: Mapping[str, Any], reason: str | None = None, **more: Any) -> bytes:
        choices = [] if more else [{"index": 0, "delta": delta, "finish_reason": reason}]
        return f"data: {json.dumps({'id': 'x', 'choices': choices, **more})}\n\n".encode()

    if speech.thinking:
        yield chunk({"role": "assistant", "content": None, "reasoning_content": speech.thinking})
    if speech.text:
        yield chunk({"content": speech.text})
    for place, (call_id, name, *pieces) in enumerate(speech.calls):
        begun = {"index": place, "id": call_id, "type": "function", "function": {"name": name, "arguments": ""}}
        yield chunk({"tool_calls": [begun]})
        for piece in pieces:
            yield chunk({"tool_calls": [{"index": place, "function": {"arguments": piece}}]})
    yield chunk({}, "tool_calls" if speech.calls else "stop")
    yield chunk({}, usage={"prompt_tokens": read, "completion_tokens": written})
    yield b"data: [DONE]\n\n"


_PROTOCOLS: Mapping[str, Callable[[Speech], Iterator[bytes]]] = {
    "anthropic": _anthropic,
    "openai": _openai,
    "openai_compatible": _openai_compatible,
}
