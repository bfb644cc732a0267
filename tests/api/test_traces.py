"""Traces: what a collector over HTTP gets of replies, what it does not get, and that nobody gets any unasked."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import get_tracer_provider
from starlette.types import Receive, Scope, Send

from app.api.app import create_api
from app.domain.errors import SettingsError
from app.settings import load_settings
from tests.api.served import serve, serve_api
from tests.api.talk import create_conversation, follow, send
from tests.serving import ROOT


@dataclass
class Collector:
    """A receiver of OTLP over HTTP that keeps what it is sent."""

    bodies: list[bytes] = field(default_factory=list[bytes])
    paths: set[str] = field(default_factory=set[str])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        packed = dict(scope["headers"]).get(b"content-encoding") == b"gzip"
        self.bodies.append(gzip.decompress(body) if packed else body)
        self.paths.add(scope["path"])
        await send(
            {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/x-protobuf")]}
        )
        await send({"type": "http.response.body", "body": b""})

    @property
    def spans(self) -> list[Span]:
        sent = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        return [span for one in sent for of in one.resource_spans for scope in of.scope_spans for span in scope.spans]


@asynccontextmanager
async def collecting() -> AsyncGenerator[tuple[Collector, str]]:
    collector = Collector()
    async with serve(collector) as served:
        yield collector, f"http://{served.host}"


def told(span: Span) -> dict[str, Any]:
    return {one.key: getattr(one.value, str(one.value.WhichOneof("value"))) for one in span.attributes}


async def traced(tmp_path: Path, *texts: str) -> tuple[Collector, str]:
    """What a collector got of replies to these texts by the time the server has ended, and their conversation."""
    async with collecting() as (collector, url):
        async with serve_api(tmp_path, INVIEW_TRACES_URL=url) as api:
            conversation_id = await create_conversation(api, model="offline:demo", retry_policy="none")
            for text in texts:
                await follow(api, (await send(api, conversation_id, text))["run_id"])
        return collector, conversation_id


async def test_a_call_is_a_span_within_that_of_its_reply(tmp_path: Path) -> None:
    collector, conversation_id = await traced(tmp_path, "/echo secret words")

    run, call = sorted(collector.spans, key=lambda span: span.name, reverse=True)
    assert collector.paths == {"/v1/traces"}
    assert (run.name, call.name) == ("reply", "chat demo")
    assert (call.trace_id, call.parent_span_id) == (run.trace_id, run.span_id)
    assert not run.parent_span_id
    assert call.kind == Span.SPAN_KIND_CLIENT
    assert run.start_time_unix_nano <= call.start_time_unix_nano <= call.end_time_unix_nano <= run.end_time_unix_nano
    said = told(call)
    assert said["gen_ai.operation.name"] == "chat"
    assert (said["gen_ai.provider.name"], said["gen_ai.request.model"]) == ("offline", "demo")
    assert said["gen_ai.conversation.id"] == conversation_id
    assert said["gen_ai.usage.input_tokens"] > 0
    assert said["gen_ai.usage.output_tokens"] > 0
    assert "error.type" not in said
    assert told(run)["inview.outcome"] == "succeeded"


async def test_no_text_and_no_person_is_in_a_trace(tmp_path: Path) -> None:
    collector, _ = await traced(tmp_path, "/echo secret words")

    assert collector.bodies
    assert not any(b"secret" in body or b"words" in body or b"local" in body for body in collector.bodies)


async def test_a_failed_call_says_its_class(tmp_path: Path) -> None:
    collector, _ = await traced(tmp_path, "/fail auth")

    assert [(told(span)["error.type"], span.status.code) for span in collector.spans] == [
        ("auth", Status.STATUS_CODE_ERROR)
    ] * 2


async def test_a_tool_is_a_span_beside_the_calls(tmp_path: Path) -> None:
    async with collecting() as (collector, url):
        async with serve_api(tmp_path, INVIEW_TRACES_URL=url) as api:
            await api.http.put("/preferences", json={"built_in_tools": ["current_time"]})
            conversation_id = await create_conversation(api, model="offline:demo")
            await follow(api, (await send(api, conversation_id, '/tool current_time {"timezone": "UTC"}'))["run_id"])

        (run,) = [span for span in collector.spans if span.name == "reply"]
        within = [span.name for span in collector.spans if span.parent_span_id == run.span_id]
        assert sorted(within) == ["chat demo", "chat demo", "execute_tool current_time"]


async def test_each_reply_is_a_trace_of_its_own(tmp_path: Path) -> None:
    collector, _ = await traced(tmp_path, "/echo one", "/echo two")

    assert len({span.trace_id for span in collector.spans}) == 2
    assert len(collector.spans) == 4


async def test_a_collector_that_is_gone_harms_no_reply(tmp_path: Path) -> None:
    async with serve_api(tmp_path, INVIEW_TRACES_URL="http://127.0.0.1:9") as api:
        conversation_id = await create_conversation(api, model="offline:demo")
        ended = await follow(api, (await send(api, conversation_id, "/echo all the same"))["run_id"])

    assert ended


async def test_nothing_is_sent_unless_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with collecting() as (collector, url):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        async with serve_api(tmp_path) as api:
            conversation_id = await create_conversation(api, model="offline:demo")
            await follow(api, (await send(api, conversation_id, "/echo quietly"))["run_id"])

            assert api.wb.measures.traces is None
        assert collector.bodies == []


def test_the_setting_without_its_packages_fails_at_the_start_and_says_what_to_do() -> None:
    code = (
        "import sys\nsys.modules['opentelemetry.sdk'] = None\nfrom app.settings import load_settings\n"
        "load_settings({'INVIEW_TRACES_URL': 'http://127.0.0.1:4318'})"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)

    assert (
        "SettingsError: INVIEW_TRACES_URL is set, but the packages that send traces are not installed" in ended.stderr
    )
    assert "pip install 'inview[traces]'" in ended.stderr


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(SettingsError, match="INVIEW_TRACES_URL"):
        load_settings({"INVIEW_TRACES_URL": "collector"})


async def test_fastapi_sends_nothing_of_its_own_whatever_the_machine_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    async with collecting() as (collector, url):
        for name, value in (
            ("FASTAPI_OTEL_AUTO_CONFIGURE", "true"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", url),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"),
        ):
            monkeypatch.setenv(name, value)
        messages = iter(["lifespan.startup", "lifespan.shutdown"])
        told: list[str] = []

        async def receive() -> dict[str, Any]:
            return {"type": next(messages)}

        async def send(message: Any) -> None:
            told.append(message["type"])

        api = create_api()
        await api({"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}, receive, send)

    assert told == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    assert not isinstance(get_tracer_provider(), TracerProvider)  # set for the process by what obeys the variable
    assert collector.bodies == []
