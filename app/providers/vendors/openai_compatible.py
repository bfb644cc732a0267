"""The adapter for Chat Completions, which OpenAI defined and most others serve: llama.cpp, Ollama, vLLM, OpenRouter …

Source: https://developers.openai.com/api/reference/resources/chat. All known variants are supported: reasoning in
`reasoning_content` or `reasoning`, content as text or as a list, several spellings of usage and stop reasons, tool
calls without ids or numbers, errors in a stream with and without an `error` object, no `[DONE]`. Other modules encode
requests (`chat_requests.py`) and recognise `<think>` inside the text (`domain/stream/reasoning_tags.py`).

    data: {"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}
    data: [DONE]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, cast

from app.domain.errors import ErrorClass, ProviderError, failure
from app.domain.stream.stream_events import (
    Stopped,
    StopReason,
    StreamEvent,
    TextReceived,
    ThinkingReceived,
    ThinkingSigned,
    UsageReported,
)
from app.domain.usage import read_count
from app.providers.base import (
    JSON_STREAM,
    Adapter,
    CallTarget,
    Counting,
    ListedModel,
    ListedModels,
)
from app.providers.models.list_entries import ModelEntry, read_list
from app.providers.stream.call_pieces import CallPieces
from app.providers.stream.tool_calls import ToolCalls
from app.providers.vendors.chat_requests import encode_body, takes_reasoning
from app.providers.vendors.openai import open_link
from app.providers.vendors.returned_extras import GoingBack
from app.providers.vendors.usage_reports import UsageReport
from app.providers.wire.errors import describe_error
from app.providers.wire.json_values import FieldError, fields_of, items_of, load_json, text_of
from app.providers.wire.sse import SseEvent

FINISH_REASONS: Mapping[str, StopReason] = MappingProxyType(
    {
        "stop": StopReason.END,
        "eos": StopReason.END,
        "end_turn": StopReason.END,
        "stop_sequence": StopReason.STOP_SEQUENCE,
        "length": StopReason.MAX_TOKENS,
        "max_tokens": StopReason.MAX_TOKENS,
        "model_length": StopReason.MAX_TOKENS,
        "tool_calls": StopReason.TOOL_CALLS,
        "tool_use": StopReason.TOOL_CALLS,
        "function_call": StopReason.TOOL_CALLS,
        "content_filter": StopReason.CONTENT_FILTER,
        "refusal": StopReason.REFUSAL,
        "repetition": StopReason.REPETITION,
    }
)
FAULTY_FINISHES: Mapping[str, ErrorClass] = MappingProxyType(
    {
        "error": ErrorClass.SERVER,
        "abort": ErrorClass.SERVER,
        "insufficient_system_resource": ErrorClass.OVERLOADED,
    }
)
"""Finish reasons of a reply that failed."""

_WORDS = ("content", "refusal")
# --- decoding ---


class ChatDecoder:
    """The decoder of Chat Completions. It reports the stop reason last, because usage arrives after that reason."""

    def __init__(self, target: CallTarget) -> None:
        self._target = target
        self._calls = ToolCalls()
        self._pieces = CallPieces(self._calls)
        self._back = GoingBack()
        self._stop_reason: StopReason | None = None
        self._thinking = False
        self._held: list[StreamEvent] = []

    def feed(self, event: SseEvent) -> Iterator[StreamEvent]:
        """Convert one server-sent event to stream events.

        If the event has a fault, yield the stream events in front of the fault, then raise.
        """
        try:
            yield from self._read(event)
        except Exception:
            yield from self._let_go()
            raise

    def _read(self, event: SseEvent) -> Iterator[StreamEvent]:
        if event.data == b"[DONE]":
            yield from self.end()
            return
        data = _unwrap(load_json(event.data))
        usage, error = data.get("usage"), data.get("error")
        if extra := data.get("x_groq"):
            of_groq = fields_of(extra, "x_groq")
            usage, error = usage or of_groq.get("usage"), error or of_groq.get("error")
        if error or data.get("object") == "error" or event.name == b"error":
            fault = ProviderError(describe_error(self._target, error or data, read_count(data.get("status_code"))))
            try:
                yield from self._read_last_words(data)
            except FieldError as unreadable:
                raise fault from unreadable
            if usage:
                yield parse_usage(usage)
            raise fault
        choice: dict[str, Any] = {}
        if choices := items_of(data.get("choices"), "choices"):
            choice = fields_of(choices[0], "choices[]")
            yield from self._receive(fields_of(choice.get("delta"), "choices[].delta"))
            if self._calls.too_many:
                yield from self._calls.end_all()
                yield from self._sign()
                yield Stopped(StopReason.TOOL_LIMIT)
                return
            if reason := choice.get("finish_reason"):
                yield from self._finish(text_of(reason, "choices[].finish_reason"), choice)
        if usage := usage or choice.get("usage"):
            yield parse_usage(usage)

    def _read_last_words(self, data: dict[str, Any]) -> Iterator[StreamEvent]:
        """Yield the text in an event that also has an error."""
        for choice in items_of(data.get("choices"), "choices")[:1]:
            yield from self._receive(fields_of(fields_of(choice, "choices[]").get("delta"), "choices[].delta"))

    def end(self) -> list[StreamEvent]:
        if self._stop_reason is None:
            return self._let_go()
        late = [*self._calls.end_all(), *self._let_go()]  # calls that arrived after the finish reason
        if self._calls.unnamed:
            raise ProviderError(failure(ErrorClass.STREAM, f"{self._target} called a tool without naming it."))
        return [*late, *self._sign(), Stopped(self._stop_reason)]

    def _receive(self, delta: dict[str, Any]) -> Iterator[StreamEvent]:
        events = self._receive_words(delta)
        if self._calls.open:  # parts are sequential, so text between the pieces of a call waits for the end of the call
            self._hold(list(events))
        else:
            yield from events
        calls = delta.get("tool_calls")
        for value in items_of(calls, "tool_calls") if calls else ():
            call = fields_of(value, "tool_calls[]")
            ended = self._end_thinking()
            if self._calls.open:
                self._hold(ended)
            else:
                yield from ended
            yield from self._pieces.take(call)
            self._back.take_call(self._pieces.last, call)
            if self._calls.too_many:
                break

    def _let_go(self) -> list[StreamEvent]:
        """Return and clear the text that waited for the end of a tool call."""
        held, self._held = self._held, []
        return held

    def _hold(self, events: list[StreamEvent]) -> None:
        for event in events:
            if isinstance(event, TextReceived | ThinkingReceived):
                self._calls.hold(event.text)
        self._held += events

    def _receive_words(self, delta: dict[str, Any]) -> Iterator[StreamEvent]:
        self._back.take_message(delta)
        if reasoning := delta.get("reasoning_content") or delta.get("reasoning"):
            self._thinking = True
            yield ThinkingReceived(text_of(reasoning, "choices[].delta.reasoning_content"))
        for name in _WORDS:
            if content := delta.get(name):
                yield from self._end_thinking()
                yield from _parse_content(content, name)

    def _end_thinking(self) -> list[StreamEvent]:
        """End the thinking, and return the event with its signature, if a signature is needed.

        The signature has the extra data that must be sent back to the server. Without extra data, the signature is
        empty and only names the vendor; it is returned if the reasoning must be sent back to the server.
        """
        if not self._thinking:
            return []
        self._thinking = False
        if signed := self._sign():
            return signed
        model = self._target.model.partition(":")[2]
        return [ThinkingSigned("", self._target.row.name)] if takes_reasoning(self._target.row, model) else []

    def _sign(self) -> list[StreamEvent]:
        """Return the event with the signature that has the reply's extra data, if there is any (`GoingBack`)."""
        signature = self._back.release()
        return [] if signature is None else [ThinkingSigned(signature, self._target.row.name)]

    def _finish(self, reason: str, choice: dict[str, Any]) -> list[StreamEvent]:
        if reason in FAULTY_FINISHES:
            if error := choice.get("error"):
                raise ProviderError(describe_error(self._target, error))
            message = f"{self._target} ended the reply early with the finish reason {reason!r}."
            raise ProviderError(failure(FAULTY_FINISHES[reason], message))
        known, _, _ = reason.partition(":")  # Google adds details, as in "content_filter: PROHIBITED_CONTENT"
        if known not in FINISH_REASONS:
            message = f"{self._target} stopped for an unknown reason: {str(reason)[:60]!r}."
            raise ProviderError(failure(ErrorClass.STREAM, message))
        self._hold(self._end_thinking())
        events = [*self._calls.end_all(), *self._let_go()]
        stopped = FINISH_REASONS[known]
        # Ollama and others also send "stop" after tool calls.
        self._stop_reason = StopReason.TOOL_CALLS if stopped is StopReason.END and self._calls.any else stopped
        return events


def _unwrap(data: object) -> dict[str, Any]:
    """Return the data of an event as an object. Google puts errors into a list with one item."""
    events = cast("list[object]", data) if isinstance(data, list) else [data]
    if len(events) != 1:
        raise FieldError("the event is a list instead of an object")
    return fields_of(events[0], "the event")


def _parse_content(content: object, name: str) -> Iterator[StreamEvent]:
    """Parse content: a text, or pieces of text and thinking, which Mistral's reasoning models send."""
    if isinstance(content, str):
        yield TextReceived(content)
        return
    field = f"choices[].delta.{name}"
    for item in items_of(content, field):
        piece = fields_of(item, f"{field}[]")
        match text_of(piece.get("type"), f"{field}[].type"):
            case "text":
                yield TextReceived(text_of(piece.get("text"), f"{field}[].text"))
            case "thinking":
                for thought in items_of(piece.get("thinking"), f"{field}[].thinking"):
                    words = fields_of(thought, f"{field}[].thinking[]").get("text")
                    yield ThinkingReceived(text_of(words, f"{field}[].thinking[].text"))
            case "reference":
                pass  # numbers of sources, sent only for tools that Inview never requests
            case _:
                raise FieldError(f"{field}[].type is neither text nor thinking")


def parse_usage(usage: object) -> UsageReported:
    """Read a usage report. `prompt_tokens` includes cached tokens; the `input_tokens` of the result do not.

    Some servers do not count reasoning in `completion_tokens`: xAI reports it only as `reasoning_tokens`
    (https://docs.rs/radkit, `GrokLlm`), Gemini only as a part of `total_tokens`
    (https://github.com/vercel/ai/pull/6738). Tokens that the total has in addition to prompt and completion are then
    added to the output, as reasoning.

    >>> details = {"reasoning_tokens": 80}
    >>> usage = {"prompt_tokens": 50, "completion_tokens": 12, "total_tokens": 142}
    >>> usage["completion_tokens_details"] = details
    >>> parse_usage(usage).usage.output_tokens, parse_usage({**usage, "total_tokens": 62}).usage.output_tokens
    (92, 12)
    """
    report = UsageReport(usage)
    whole, output = report.require("prompt_tokens"), report.require("completion_tokens")
    read = report.find("cached_tokens", inside="prompt_tokens_details")
    read = read or report.find("prompt_cache_hit_tokens", "cached_tokens")
    written = report.find("cache_write_tokens", "cache_creation_input_tokens", inside="prompt_tokens_details")
    thought = report.find("reasoning_tokens", inside="completion_tokens_details")
    if whole is not None and output is not None:
        extra = report.find("total_tokens") - whole - output
        if extra > 0 and thought in {0, extra}:
            output, thought = output + extra, extra
    return report.as_disjoint(whole, output, read, written, thought)


# --- models ---


def parse_models(body: bytes) -> ListedModels:
    """Read the list of models, with fields that servers add: llama.cpp `meta`, vLLM `max_model_len`, and more."""
    answer: object = load_json(body)
    return read_list(cast("dict[str, object]", answer)["data"] if isinstance(answer, dict) else answer, _read_model)


def _read_model(entry: ModelEntry) -> ListedModel:
    meta, top, abilities = map(entry.inside, ("meta", "top_provider", "capabilities"))
    inputs = entry.inside("architecture").words("input_modalities")
    supported = entry.words("supported_parameters")
    window = entry.tokens("context_length", "context_window", "max_context_length", "max_model_len")
    return ListedModel(
        name=entry.name("id"),
        label=entry.label("display_name", "name"),
        context_window=window or meta.tokens("n_ctx", "n_ctx_train"),
        max_output_tokens=top.tokens("max_completion_tokens") or entry.tokens("max_completion_tokens"),
        images=("image" in inputs) if inputs is not None else abilities.flag("vision"),
        files=("file" in inputs) if inputs is not None else None,
        structured=("structured_outputs" in supported) if supported is not None else None,
        tools=("tools" in supported) if supported is not None else abilities.flag("function_calling"),
    )


COUNTED_FIELDS = frozenset({"chat_template_kwargs", "messages", "model", "reasoning_effort", "tools"})
"""The fields of a request that the endpoint for token counts of llama.cpp's server accepts.

Source: https://github.com/ggml-org/llama.cpp, tools/server/README.md.
"""

ADAPTER = Adapter(
    path="chat/completions",
    models_path="models",
    key_header=("Authorization", "Bearer "),
    versioned=False,
    build_headers=lambda _: JSON_STREAM,
    encode_body=encode_body,
    new_decoder=ChatDecoder,
    open_link=open_link,
    parse_models=parse_models,
    counting=Counting("chat/completions/input_tokens", COUNTED_FIELDS),
)
