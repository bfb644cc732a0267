"""Recognises answers in Google's own protocol, which no adapter supports, so that they end with a clear error.

Source: https://ai.google.dev/api/generate-content, `streamGenerateContent` with `alt=sse`. A server answers in this
protocol if the base URL is wrong, or if a gateway passes on Google's answers. The received text and tool calls are
kept. Usage is not counted, and nothing of such a reply is sent back to Google. (With Google's Chat Completions, usage
is counted, and replies are sent back.)

    data: {"candidates":[{"content":{"parts":[{"text":"Hello"}],"role":"model"}}],"usageMetadata":{…}}
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, cast

from app.domain.errors import Failure, ProviderError
from app.domain.run.rounds import MAX_CALLS
from app.domain.stream.stream_events import (
    PartEnded,
    StreamEvent,
    TextReceived,
    ThinkingReceived,
    ToolCallStarted,
    ToolInputReceived,
)
from app.providers.base import CallTarget
from app.providers.wire.errors import describe_foreign, words_of_error
from app.providers.wire.json_values import FieldError, fields_of, items_of, json_text_of, label_of, load_json, text_of
from app.providers.wire.sse import SseEvent

_FIELDS: Final = frozenset({"candidates", "promptFeedback", "usageMetadata"})
_FIELDS_OF_OTHERS: Final = frozenset({"choices", "type", "object"})
_NAMES: Final = tuple(f'"{field}"'.encode() for field in _FIELDS)
_BEGINNING: Final = re.compile(rb'[\s\[]*\{\s*"(?:candidates|promptFeedback|usageMetadata)"\s*:')
_LIST: Final = re.compile(rb'\s*\{\s*"models"\s*:\s*\[\s*\{[^{}]*"name"\s*:\s*"models/')


def is_google_event(data: bytes) -> bool:
    """Return True if an event is one of Google's own protocol.

    >>> is_google_event(b'{"candidates":[]}'), is_google_event(b'{"choices":[],"usageMetadata":{}}')
    (True, False)
    """
    if not any(name in data for name in _NAMES):  # a fast check that excludes nearly all events
        return False
    try:
        answer = load_json(data)
    except ValueError:
        return False
    return isinstance(answer, dict) and _is_google(cast("dict[str, Any]", answer))


def is_google_list(body: bytes) -> bool:
    """Return True if a list of models is one of Google's own protocol.

    >>> is_google_list(b'{"models": [{"name": "models/gemini-3-flash-preview"}]}'), is_google_list(b'{"data": []}')
    (True, False)
    """
    return _LIST.match(body[:4_000]) is not None


def read_google_body(target: CallTarget, beginning: bytes) -> tuple[list[StreamEvent], Failure] | None:
    """Return the events and the failure for a body that is no stream, or None if it is not in Google's own protocol.

    If the body is longer than `beginning`, there are no events, and the failure quotes the beginning.
    """
    try:
        body = load_json(beginning)
    except ValueError:
        if _BEGINNING.match(beginning) is None:
            return None
        return [], describe_foreign(target, f"Its beginning: {beginning.decode(errors='replace')}")
    answers = cast("list[object]", body) if isinstance(body, list) else [body]
    if not answers or not all(isinstance(answer, dict) and _is_google(cast("Any", answer)) for answer in answers):
        return None
    decoder = GoogleDecoder(target)
    events: list[StreamEvent] = []
    try:
        for answer in answers:
            events.extend(decoder.read(answer))
        decoder.end()
    except ProviderError as error:
        return events, error.failure
    raise AssertionError("a response in Google's own protocol ended with an error")


class GoogleDecoder:
    """The decoder of Google's own protocol, which no adapter supports: it keeps the reply so far, then always fails.

    Text and tool calls are returned. `end` raises a ProviderError that explains the wrong protocol.
    """

    def __init__(self, target: CallTarget) -> None:
        self._target = target
        self._ids = set[str]()
        self._detail = ""

    def feed(self, event: SseEvent) -> Iterator[StreamEvent]:
        if event.data == b"[DONE]":
            self.end()
        else:
            yield from self.read(load_json(event.data))

    def end(self) -> list[StreamEvent]:
        raise ProviderError(describe_foreign(self._target, self._detail))

    def read(self, answer: object) -> Iterator[StreamEvent]:
        """Yield the text and tool calls of one answer, up to a fault in it."""
        try:
            yield from self._read(fields_of(answer, "the event"))
        except FieldError as error:
            detail = f"It sent an event that cannot be read ({error})."
            raise ProviderError(describe_foreign(self._target, detail)) from error

    def _read(self, answer: dict[str, Any]) -> Iterator[StreamEvent]:
        for candidate in items_of(answer.get("candidates"), "candidates"):
            content = fields_of(fields_of(candidate, "candidates[]").get("content"), "candidates[].content")
            for part in items_of(content.get("parts"), "candidates[].content.parts"):
                yield from self._read_part(fields_of(part, "candidates[].content.parts[]"))
        if reason := fields_of(answer.get("promptFeedback"), "promptFeedback").get("blockReason"):
            self._detail = f"It declined the prompt: {text_of(reason, 'promptFeedback.blockReason')}."
        if error := answer.get("error"):
            raise ProviderError(describe_foreign(self._target, f"It failed: {words_of_error(error)}"))

    def _read_part(self, part: dict[str, Any]) -> Iterator[StreamEvent]:
        if text := part.get("text"):
            words = text_of(text, "candidates[].content.parts[].text")
            yield ThinkingReceived(words) if part.get("thought") else TextReceived(words)
        if call := part.get("functionCall"):
            fields = fields_of(call, "candidates[].content.parts[].functionCall")
            if len(self._ids) == MAX_CALLS:
                raise FieldError(f"more than {MAX_CALLS} functionCall")
            name = label_of(fields.get("name"), "candidates[].content.parts[].functionCall.name")
            own = fields.get("id") or f"call_{len(self._ids) + 1}"
            identity = label_of(own, "candidates[].content.parts[].functionCall.id")
            if identity in self._ids:
                identity = f"{identity}_{len(self._ids) + 1}"
            self._ids.add(identity)
            arguments = json_text_of(fields.get("args"), "candidates[].content.parts[].functionCall.args")
            yield from (ToolCallStarted(identity, name), ToolInputReceived(arguments or "{}"), PartEnded())


def _is_google(answer: dict[str, Any]) -> bool:
    return not _FIELDS.isdisjoint(answer) and _FIELDS_OF_OTHERS.isdisjoint(answer)
