"""The API matches its description: schemathesis against the served document, and the document against the code."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute

from app.api.app import RESOURCES, create_api
from app.api.http.event_stream import EVENT_KINDS
from app.domain.run.run_log import events_after
from app.views.problem import PROBLEMS
from tests.api.served import Api, serve_api
from tests.api.talk import create_conversation, send
from tests.effort import EFFORT
from tests.seeds import EXPLORES

SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
CONFIG = Path(__file__).with_name("schemathesis.toml")


@cache
def describe() -> dict[str, Any]:
    """Return the description. Each process of the tests imports this module, and one of them runs its tests."""
    return create_api().openapi()


def list_operations() -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (method.upper(), path, operation)
        for path, methods in describe()["paths"].items()
        for method, operation in methods.items()
    ]


def statuses(operation: dict[str, Any]) -> set[int]:
    return {int(status) for status in operation["responses"]}


def test_description_has_every_route_and_no_other():
    routes = {
        (method, f"/api/v1{route.path}")
        for resource in RESOURCES
        for route in resource.router.routes
        if isinstance(route, APIRoute)
        for method in route.methods or ()
    }
    described = {(method, path) for method, path, _ in list_operations()}

    assert described == routes


def test_every_way_to_fail_is_documented_as_a_problem():
    for method, path, operation in list_operations():
        expected = {406}
        if "{" in path:
            expected |= {404, 422}
        if operation.get("parameters"):
            expected |= {422}
        if "requestBody" in operation:
            expected |= {400, 413, 415, 422}

        assert statuses(operation) >= expected, (method, path)
        for status, response in operation["responses"].items():
            if int(status) >= 400:
                assert set(response["content"]) == {"application/problem+json"}, (method, path, status)
                assert int(status) in {kind.status for kind in PROBLEMS.values()}, (method, path, status)


def test_every_operation_says_what_it_does():
    for method, path, operation in list_operations():
        assert operation["summary"], (method, path)
        assert operation["tags"], (method, path)
        for parameter in operation.get("parameters", ()):
            assert parameter["description"], (method, path, parameter["name"])


def test_every_shape_that_is_named_is_described_and_no_other():
    named = set(re.findall(r'"#/components/schemas/(\w[^"]*)"', json.dumps(describe())))

    assert named == set(describe()["components"]["schemas"])


def test_what_describes_answers_is_made_for_the_description_alone():
    for resource in RESOURCES:
        for route in resource.router.routes:
            assert isinstance(route, APIRoute)
            assert route.response_field is None, route.path
            assert route.response_fields == {}, route.path


def test_documented_events_are_those_of_the_log():
    source = Path(events_after.__code__.co_filename).read_text(encoding="utf-8")

    of_the_log = set(re.findall(r'_Entry\(\s*"(\w+)"', source))
    # extra events that are not in the log: see runs/watch/broadcast.py
    assert of_the_log | {"mcp_servers", "permission_request", "tool_progress", "value"} == EVENT_KINDS


async def test_docs_page_names_every_route_and_loads_nothing_from_elsewhere(api: Api):
    page = await api.http.get("/docs")
    style = await api.http.get("/docs.css")

    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "<script" not in page.text
    assert re.findall(r'(?:src|href)="([^#"][^"]*)"', page.text) == ["/api/v1/docs.css"]
    assert style.headers["content-type"] == "text/css; charset=utf-8"
    assert "url(" not in style.text
    for _, path, _ in list_operations():
        assert path in page.text


@pytest.mark.slow
@pytest.mark.timeout(1800)
async def test_schemathesis_finds_no_5xx_and_no_undocumented_answer(tmp_path: Path):
    # With programs switched off: otherwise the test would start the programs that schemathesis invents.
    async with serve_api(tmp_path / "data", INVIEW_STDIO_SERVERS="off") as api:
        await _fuzz(api, tmp_path)


async def _fuzz(api: Api, tmp_path: Path) -> None:
    conversation_id = await create_conversation(api)
    started = await send(api, conversation_id, "/fail auth")
    config = tmp_path / "schemathesis.toml"
    # Only this route answers with the id of a run as JSON, unless the request asks for JSON.
    config.write_text(
        f"[generation]\nmax-examples = {EFFORT.requests}\n\n{CONFIG.read_text()}\n"
        f'[parameters]\n"path.run_id" = "{started["run_id"]}"\n'
    )

    process = await asyncio.create_subprocess_exec(
        str(SCHEMATHESIS),
        *("--config-file", str(config)),
        *("run", f"http://{api.host}/api/v1/openapi.json", "--no-color", f"--phases={EFFORT.phases}"),
        *(() if EXPLORES else ("--generation-deterministic",)),
        cwd=tmp_path,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()

    assert process.returncode == 0, output.decode()
