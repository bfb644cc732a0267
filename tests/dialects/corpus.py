"""Streams of every vendor, kept as data: `streams/<row>.toml`, with the documentation that shows their shape.

A file holds a stream for each of `CASES`, and the right result of reading it, or says why the vendor has none. A
stream has one event in each line: JSON, `[DONE]`, or a comment of the protocol, which begins with a colon. `every`
holds the fields that all events of the file share.

    >>> groq = read_dialect("groq")
    >>> groq.cases["plain"].expected.text
    'Hello there.'
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from app.domain.conversation.parts import Thinking, ToolCall, plain_text
from app.domain.errors import ErrorClass
from app.domain.stream.stream_events import StopReason
from app.domain.usage import Usage
from app.providers.base import Credentials, Provider
from app.providers.registry import PROVIDERS, make_provider
from tests.providers.playing import Told

STREAMS: Final = Path(__file__).parent / "streams"
FOREIGN: Final = Path(__file__).parent / "foreign"
"""Protocols that no adapter supports, in files of the same form."""
CASES: Final = ("plain", "tools", "parallel tools", "reasoning", "refusal", "error", "usage")
SPEAKERS: Final = ("anthropic", "openai", "alibaba")
"""One vendor for each supported protocol."""
NAMES: Final = tuple(name for name, row in PROVIDERS.items() if row.protocol != "offline")

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Expected:
    """The result of reading a stream. `usage` is None if none is reported, `fault` is None if the stream ends well."""

    text: str = ""
    thinking: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    stop: StopReason | None = StopReason.END
    usage: Usage | None = None
    fault: tuple[ErrorClass, str] | None = None

    def check(self, told: Told) -> None:
        """Compare it with the result of a reader."""
        calls = [part for part in told.parts if isinstance(part, ToolCall)]
        assert plain_text(told.parts) == self.text
        assert "".join(part.text for part in told.parts if isinstance(part, Thinking)) == self.thinking
        assert tuple((call.name, call.input_json) for call in calls) == self.calls
        assert len({call.tool_call_id for call in calls}) == len(calls)
        assert (told.stopped.reason if told.stopped else None) is self.stop
        assert told.usage == self.usage
        if self.fault is None:
            assert told.fault is None
        else:
            error_class, words = self.fault
            assert told.fault is not None
            assert told.fault.error_class is error_class
            assert words in told.fault.message


@dataclass(frozen=True)
class Case:
    """A stream: its events, each an object or a line of the protocol, and its expected result."""

    events: tuple[Json | str, ...]
    expected: Expected


@dataclass(frozen=True)
class Dialect:
    """The streams of one vendor, by the name of their case, and why others are absent."""

    provider: Provider
    sources: tuple[str, ...]
    cases: Mapping[str, Case]
    absent: Mapping[str, str]


def read_dialect(name: str) -> Dialect:
    """Read the streams of the row with this name."""
    return _read_file(STREAMS / f"{name}.toml", _provider(name))


def _read_file(path: Path, provider: Provider) -> Dialect:
    said = tomllib.loads(path.read_text(encoding="utf-8"))
    every: Json = orjson.loads(said.get("every", "{}"))
    cases: Mapping[str, Json] = said["cases"]
    return Dialect(
        provider,
        tuple(said["sources"]),
        {case: _read_case(fields, every) for case, fields in cases.items()},
        said.get("absent", {}),
    )


def read_foreign(name: str, speaker: str) -> Dialect:
    """Read the streams of a protocol that no adapter supports, as a server set up as `speaker` sends them."""
    return _read_file(FOREIGN / f"{name}.toml", _provider(speaker))


def write_stream(events: tuple[Json | str, ...]) -> list[bytes]:
    """Return the bytes of each event. Events with a type are named by it, as Anthropic and OpenAI do."""
    return [_write_event(event) for event in events]


def _write_event(event: Json | str) -> bytes:
    if isinstance(event, str):
        return (event if event.startswith(":") else f"data: {event}").encode() + b"\n\n"
    name = f"event: {event['type']}\n".encode() if isinstance(event.get("type"), str) else b""
    return name + b"data: " + orjson.dumps(event) + b"\n\n"


def _provider(name: str) -> Provider:
    return make_provider(PROVIDERS[name], Credentials("sk-test-1234567890"))


def _read_case(fields: Json, every: Json) -> Case:
    lines = [line for line in fields.pop("stream").splitlines() if line]
    return Case(tuple(_read_line(line, every) for line in lines), _read_expected(fields))


def _read_line(line: str, every: Json) -> Json | str:
    return every | orjson.loads(line) if line.startswith("{") else line


def _read_expected(fields: Json) -> Expected:
    fault = fields.pop("fault", None)
    stop = fields.pop("stop", None if fault else "end")
    usage = fields.pop("usage", None)
    return Expected(
        calls=tuple((call["name"], call["input"]) for call in fields.pop("calls", ())),
        stop=None if stop is None else StopReason(stop),
        usage=None if usage is None else Usage(**{f"{kind}_tokens": count for kind, count in usage.items()}),
        fault=None if fault is None else (ErrorClass(fault["class"]), fault["words"]),
        **fields,
    )
