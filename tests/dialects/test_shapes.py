"""Readers of streams, given undocumented shapes.

A shape with an obvious meaning is read; any other ends in an error that names the field. No received word is lost, and
no token is counted twice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, cast

import orjson
import pytest

from app.domain.conversation.parts import Text, Thinking, ToolCall, plain_text
from app.domain.errors import ProviderError
from app.providers.base import CallTarget, load_adapter
from app.providers.wire.sse import SseParser
from tests.dialects.corpus import NAMES, Json, read_dialect, write_stream
from tests.dialects.shapes import Shape, change_stream
from tests.effort import EFFORT
from tests.providers.playing import Told, play

PROTOCOLS: Final = {
    protocol: [name for name in NAMES if read_dialect(name).provider.row.protocol == protocol]
    for protocol in sorted({read_dialect(name).provider.row.protocol for name in NAMES})
}
READ: Final = frozenset(
    {
        *(
            "choices",
            "delta",
            "content",
            "refusal",
            "reasoning",
            "reasoning_content",
            "reasoning_details",
            "tool_calls",
        ),
        *("function", "name", "arguments", "id", "index", "extra_content", "finish_reason", "usage", "x_groq"),
        *("error", "type", "text", "thinking", "object", "code", "message", "status", "metadata", "raw"),
        *("content_block", "partial_json", "signature", "data", "input", "stop_reason"),
        *("output_index", "item", "call_id", "summary_index", "encrypted_content", "response", "incomplete_details"),
        "reason",
    }
)
"""Every field that a reader uses. A change of any other field has no effect."""
CANNOT_BE_READ: Final = re.compile(r"cannot be read \((.*)\)", re.DOTALL)


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_every_shape_is_read_or_refused_with_its_field(protocol: str) -> None:
    names = PROTOCOLS[protocol]

    for seed in range(EFFORT.shapes):
        shape = change_stream(names[seed % len(names)], seed)
        told = await play(shape.dialect.provider, shape.pieces)
        try:
            _check(shape, told)
        except AssertionError as error:
            where = f"{shape.dialect.provider.name}, seed {seed}: {shape.change} at {shape.place}"
            raise AssertionError(f"{where}\n{told.fault}\n{shape.events}\n{error}") from error


def _check(shape: Shape, told: Told) -> None:
    assert (told.fault is None) == (told.stopped is not None)
    assert told.state.parts is not None  # the core accepted every event
    if shape.place is None and not shape.change.startswith("event"):
        shape.case.expected.check(told)
    if shape.place is not None and not READ.intersection(shape.place.names):
        shape.case.expected.check(told)
    if told.fault is not None:
        _check_fault(shape, told)
    _check_words(shape, told)
    if told.fault is None and (shape.place is None or "usage" not in shape.place.names):
        _check_usage(shape, told)


def _check_fault(shape: Shape, told: Told) -> None:
    """Require that the refusal of an unreadable event names the changed field."""
    assert told.fault is not None
    if unreadable := CANNOT_BE_READ.search(told.fault.message):
        reason = unreadable[1]
        assert not reason.endswith("Error"), "the field is not named"
        assert shape.change != "unknown field"
        if shape.place is not None:
            names = shape.place.names
            assert any(name in reason for name in names[-2:]), "another field is named"


def _check_words(shape: Shape, told: Told) -> None:
    """Require that all words and arguments before an error are stored."""
    read = _read_until_fault(shape, told)
    before, whole = _collect(shape, read - 1), _collect(shape, read)
    for kind, said in _said(told).items():
        # An incomplete call is useless, and a repeated call counts once.
        if kind != "arguments" or (told.fault is None and not shape.change.endswith("twice")):
            assert not before[kind] - said, f"lost {kind}"
        assert not said - whole[kind], f"doubled {kind}"


def _check_usage(shape: Shape, told: Told) -> None:
    expected = shape.case.expected.usage
    if told.usage is not None and expected is not None:
        assert told.usage.prompt_tokens <= expected.prompt_tokens
        assert told.usage.output_tokens <= expected.output_tokens
    if shape.place is None and not shape.change.endswith("after the next"):
        assert told.usage == expected


def _read_until_fault(shape: Shape, told: Told) -> int:
    """Return the number of events that a reader takes: all, or those up to a refused event or the end of the reply."""
    row = shape.dialect.provider.row
    decoder = load_adapter(row.protocol).new_decoder(CallTarget(row, "test"))
    parser = SseParser()
    for number, piece in enumerate(write_stream(tuple(shape.events)), 1):
        try:
            for event in parser.feed(piece):
                if any(type(said).__name__ == "Stopped" for said in decoder.feed(event)):
                    return number
        except (ProviderError, ValueError):
            return number
    return len(shape.events) + 1


Words = dict[str, Counter[str]]


def _said(told: Told) -> Words:
    calls = "".join(part.input_json for part in told.parts if isinstance(part, ToolCall))
    return {
        "text": Counter(plain_text(part for part in told.parts if isinstance(part, Text))),
        "thinking": _letters("".join(part.text for part in told.parts if isinstance(part, Thinking))),
        "arguments": _letters(calls),
    }


def _letters(text: str) -> Counter[str]:
    """Count letters without breaks and braces, which readers add between summaries and around missing arguments."""
    return Counter(letter for letter in text if letter not in "{}\n ")


def _collect(shape: Shape, count: int) -> Words:
    """Collect the words of the first events, without using the readers."""
    found: dict[str, list[str]] = {"text": [], "thinking": [], "arguments": []}
    read = {"anthropic": _read_anthropic, "openai": _read_openai, "openai_compatible": _read_chat}
    seen: set[str] = set()
    for event in shape.events[: max(count, 0)]:
        if isinstance(event, dict):
            for kind, value in read[shape.dialect.provider.row.protocol](event, seen):
                if isinstance(value, dict) and kind == "arguments":
                    found[kind].append(orjson.dumps(value).decode())
                elif isinstance(value, str):
                    found[kind].append(value)
    return {
        kind: Counter("".join(words)) if kind == "text" else _letters("".join(words)) for kind, words in found.items()
    }


def _read_chat(event: Json, _: set[str]) -> Iterator[tuple[str, object]]:
    choice = _at(event, "choices", 0)
    delta = _at(choice, "delta")
    yield "thinking", _at(delta, "reasoning_content") or _at(delta, "reasoning")
    for name in ("content", "refusal"):
        content = _at(delta, name)
        yield "text", content
        for piece in _items(content):
            yield "text", _at(piece, "text") if _at(piece, "type") == "text" else None
            for thought in _items(_at(piece, "thinking")):
                yield "thinking", _at(thought, "text")
    for call in _items(_at(delta, "tool_calls")):
        yield "arguments", _at(call, "function", "arguments")


def _read_anthropic(event: Json, _: set[str]) -> Iterator[tuple[str, object]]:
    of = {"text": ("text", "text_delta"), "thinking": ("thinking", "thinking_delta")}
    for holder in (_at(event, "delta"), _at(event, "content_block")):
        kind = _at(holder, "type")
        for name, kinds in of.items():
            if kind in kinds:
                yield name, _at(holder, name)
        yield "arguments", _at(holder, "partial_json") if kind == "input_json_delta" else None
        yield "arguments", _at(holder, "input") if kind == "tool_use" else None


def _read_openai(event: Json, seen: set[str]) -> Iterator[tuple[str, object]]:
    match event.get("type"):
        case "response.output_text.delta" | "response.refusal.delta":
            yield "text", event.get("delta")
        case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
            yield "thinking", event.get("delta")
        case "response.function_call_arguments.delta":
            if delta := event.get("delta"):
                seen.add(str(event.get("output_index")))
            yield "arguments", delta
        case "response.output_item.done" if str(event.get("output_index")) not in seen:
            seen.add(str(event.get("output_index")))
            yield "arguments", _at(event, "item", "arguments")
        case _:
            pass


def _at(value: object, *path: str | int) -> Any:
    for step in path:
        if isinstance(step, int):
            value = _items(value)[step] if len(_items(value)) > step else None
        else:
            value = cast("Json", value).get(step) if isinstance(value, dict) else None
    return value


def _items(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []
