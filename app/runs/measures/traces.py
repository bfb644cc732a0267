"""Traces: the spans of a reply, its provider calls and its tools, sent to an OpenTelemetry collector over HTTP.

Imported only where `INVIEW_TRACES_URL` is set, as its packages come with the extra `traces` alone. A span is made when
what it tells of is over, so a reply that runs pays nothing. It has names, counts and times in the words of
https://opentelemetry.io/docs/specs/semconv/gen-ai/, and no text of anybody.

    reply
    ├── chat gpt-5
    ├── execute_tool current_time
    └── chat gpt-5
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from importlib.metadata import version
from threading import Thread
from time import monotonic
from types import MappingProxyType
from typing import Final

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer, set_span_in_context

from app.domain.model_profile import split_model_name
from app.domain.run.state import Failed, lifecycle_of, sum_usage
from app.domain.tools.tool_records import ToolCallRecord
from app.domain.usage import Usage
from app.runs.engine.live import LiveRun
from app.runs.process.ids import now
from app.store.ledger.ledger import Call

PATH: Final = "/v1/traces"
SEND_SECONDS: Final = 5
"""How long one delivery to the collector may take."""
CLOSE_SECONDS: Final = 1.0
"""How long the end of the process waits for the last spans to leave."""
PROVIDERS: Final[Mapping[str, str]] = MappingProxyType(
    {"google": "gcp.gemini", "mistral": "mistral_ai", "moonshot": "moonshot_ai", "xai": "x_ai"}
)
"""The convention's names of providers, where they are not ours."""
Attributes = dict[str, str | int | float]


@dataclass
class Traces:
    """Where spans go. Calls wait for the end of their run, which is their parent."""

    provider: TracerProvider
    _calls: dict[str, list[tuple[Call, float | None]]] = field(
        default_factory=dict[str, "list[tuple[Call, float | None]]"]
    )

    def note_call(self, call: Call, first_chunk: float | None) -> None:
        """Keep a call that has ended. `first_chunk`: seconds until its provider sent something."""
        self._calls.setdefault(call.run_id, []).append((call, first_chunk))

    def note_run(self, run: LiveRun) -> None:
        """Hand over the spans of a run that has ended."""
        tracer = self.provider.get_tracer("inview", version("inview"))
        ended = now()
        told = _describe_run(run)
        span = tracer.start_span(
            "reply",
            Context(),
            attributes=told,
            start_time=_nanoseconds(ended - timedelta(seconds=monotonic() - run.began)),
        )
        within = set_span_in_context(span, Context())
        for call, first_chunk in self._calls.pop(run.run_id, ()):
            _add_call(tracer, within, call, first_chunk)
        for record in run.records.values():
            _add_tool(tracer, within, record)
        if "error.type" in told:
            span.set_status(Status(StatusCode.ERROR))
        span.end(_nanoseconds(ended))

    async def close(self) -> None:
        """Send what waits. A collector that does not answer is not waited for: the process may end."""
        closing = Thread(target=self.provider.shutdown, name="last spans", daemon=True)
        closing.start()
        await asyncio.to_thread(closing.join, CLOSE_SECONDS)


def open_traces(url: str) -> Traces:
    """Spans for the collector at this base URL, sent in batches by a thread of their own."""
    provider = TracerProvider(resource=Resource.create(_service()), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=url + PATH, timeout=SEND_SECONDS)))
    return Traces(provider)


def _service() -> Attributes:
    return {"service.name": "inview", "service.version": version("inview")}


def _describe_run(run: LiveRun) -> Attributes:
    start, outcome = run.state.start, run.state.outcome
    told: Attributes = {
        "inview.run.id": run.run_id,
        "inview.outcome": lifecycle_of(run.state),
        "gen_ai.conversation.id": run.place.conversation_id,
        **_describe_model(start.model),
        **_describe_usage(sum_usage(run.state)),
    }
    return told | {"error.type": str(outcome.reason.error_class)} if isinstance(outcome, Failed) else told


def _add_call(tracer: Tracer, within: Context, call: Call, first_chunk: float | None) -> None:
    _, model = split_model_name(call.model)
    told: Attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.conversation.id": call.conversation_id,
        "inview.purpose": call.purpose,
        "inview.attempt": call.attempt,
        "inview.outcome": call.outcome,
        **_describe_model(call.model),
        **_describe_usage(call.usage),
    }
    if first_chunk is not None:
        told["gen_ai.response.time_to_first_chunk"] = first_chunk
    if call.error_class is not None:
        told["error.type"] = str(call.error_class)
    started = _nanoseconds(call.started_at)
    span = tracer.start_span(f"chat {model}", within, SpanKind.CLIENT, told, start_time=started)
    if call.error_class is not None:
        span.set_status(Status(StatusCode.ERROR))
    span.end(_nanoseconds(call.ended_at))


def _add_tool(tracer: Tracer, within: Context, record: ToolCallRecord) -> None:
    """A call of a tool that was made. What a model made up as the name of one is nobody's."""
    if record.started_at is None or record.tool_name is None:
        return
    name = record.tool_name
    told: Attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.type": "function",
    }
    failed = record.is_error or record.fault is not None
    if failed:
        told["error.type"] = "tool_error" if record.fault is None else str(record.fault)
    started = _nanoseconds(record.started_at)
    span = tracer.start_span(f"execute_tool {name}", within, attributes=told, start_time=started)
    if failed:
        span.set_status(Status(StatusCode.ERROR))
    span.end(_nanoseconds(record.ended_at or now()))


def _describe_model(model: str) -> Attributes:
    provider, name = split_model_name(model)
    return {"gen_ai.provider.name": PROVIDERS.get(provider, provider), "gen_ai.request.model": name}


def _describe_usage(usage: Usage | None) -> Attributes:
    """The convention's input tokens are all that was read, from caches too."""
    if usage is None:
        return {}
    return {
        "gen_ai.usage.input_tokens": usage.prompt_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cache_read_tokens,
        "gen_ai.usage.cache_creation.input_tokens": usage.cache_write_tokens + usage.cache_write_1h_tokens,
        "gen_ai.usage.reasoning.output_tokens": usage.reasoning_tokens,
    }


def _nanoseconds(at: datetime) -> int:
    return int(at.timestamp() * 1_000_000) * 1_000
