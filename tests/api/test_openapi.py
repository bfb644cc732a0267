"""The API is what its description says: schemathesis against the served document, and the document against the code."""

from __future__ import annotations

import asyncio
import json
import re
import sys
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
ROUTES = {
    ("GET", "/api/v1/health"),
    ("GET", "/api/v1/ready"),
    ("GET", "/api/v1/models"),
    ("GET", "/api/v1/conversations"),
    ("POST", "/api/v1/conversations"),
    ("GET", "/api/v1/conversations/{conversation_id}"),
    ("PATCH", "/api/v1/conversations/{conversation_id}"),
    ("DELETE", "/api/v1/conversations/{conversation_id}"),
    ("POST", "/api/v1/conversations/{conversation_id}/keep"),
    ("GET", "/api/v1/conversations/{conversation_id}/pairs"),
    ("GET", "/api/v1/conversations/{conversation_id}/history"),
    ("GET", "/api/v1/attachments/{attachment_id}"),
    ("POST", "/api/v1/attachments"),
    ("DELETE", "/api/v1/attachments/{attachment_id}"),
    ("POST", "/api/v1/conversations/{conversation_id}/preview"),
    ("GET", "/api/v1/conversations/{conversation_id}/preview/{body_sha256}"),
    ("POST", "/api/v1/conversations/{conversation_id}/send"),
    ("POST", "/api/v1/conversations/{conversation_id}/count"),
    ("GET", "/api/v1/conversations/{conversation_id}/queue"),
    ("POST", "/api/v1/conversations/{conversation_id}/queue"),
    ("PATCH", "/api/v1/conversations/{conversation_id}/queue/{queued_id}"),
    ("DELETE", "/api/v1/conversations/{conversation_id}/queue/{queued_id}"),
    ("POST", "/api/v1/conversations/{conversation_id}/queue/pause"),
    ("POST", "/api/v1/conversations/{conversation_id}/queue/resume"),
    ("POST", "/api/v1/conversations/{conversation_id}/compare"),
    ("GET", "/api/v1/conversations/{conversation_id}/comparison"),
    ("POST", "/api/v1/conversations/{conversation_id}/comparison/keep"),
    ("DELETE", "/api/v1/conversations/{conversation_id}/comparison"),
    ("POST", "/api/v1/conversations/{conversation_id}/comparison/reopen"),
    ("POST", "/api/v1/pairs/{pair_id}/compare"),
    ("GET", "/api/v1/mcp-servers"),
    ("POST", "/api/v1/mcp-servers"),
    ("GET", "/api/v1/mcp-servers/{server_id}"),
    ("PATCH", "/api/v1/mcp-servers/{server_id}"),
    ("DELETE", "/api/v1/mcp-servers/{server_id}"),
    ("POST", "/api/v1/mcp-servers/{server_id}/test"),
    ("GET", "/api/v1/mcp-servers/{server_id}/log"),
    ("POST", "/api/v1/mcp-servers/{server_id}/prompt"),
    ("POST", "/api/v1/mcp-servers/{server_id}/resource"),
    ("POST", "/api/v1/mcp-servers/{server_id}/sign-in"),
    ("DELETE", "/api/v1/mcp-servers/{server_id}/sign-in"),
    ("GET", "/api/v1/topics"),
    ("POST", "/api/v1/topics"),
    ("PATCH", "/api/v1/topics/{topic_id}"),
    ("DELETE", "/api/v1/topics/{topic_id}"),
    ("PATCH", "/api/v1/pairs/{pair_id}"),
    ("DELETE", "/api/v1/pairs/{pair_id}"),
    ("POST", "/api/v1/pairs/{pair_id}/undelete"),
    ("POST", "/api/v1/conversations/{conversation_id}/marks"),
    ("POST", "/api/v1/conversations/{conversation_id}/filter"),
    ("POST", "/api/v1/conversations/{conversation_id}/commands"),
    ("GET", "/api/v1/filters"),
    ("GET", "/api/v1/filters/{name}"),
    ("PUT", "/api/v1/filters/{name}"),
    ("PATCH", "/api/v1/filters/{name}"),
    ("DELETE", "/api/v1/filters/{name}"),
    ("GET", "/api/v1/conversations/{conversation_id}/export"),
    ("POST", "/api/v1/import"),
    ("POST", "/api/v1/conversations/{conversation_id}/summarize"),
    ("PUT", "/api/v1/conversations/{conversation_id}/checkpoint"),
    ("GET", "/api/v1/conversations/{conversation_id}/nodes"),
    ("POST", "/api/v1/conversations/{conversation_id}/summarize/preview"),
    ("POST", "/api/v1/conversations/{conversation_id}/title"),
    ("DELETE", "/api/v1/conversations/{conversation_id}/checkpoint"),
    ("POST", "/api/v1/conversations/{conversation_id}/fork"),
    ("GET", "/api/v1/conversations/{conversation_id}/branches"),
    ("GET", "/api/v1/agents"),
    ("POST", "/api/v1/agents"),
    ("GET", "/api/v1/agents/export"),
    ("POST", "/api/v1/agents/import"),
    ("GET", "/api/v1/agents/{agent_id}"),
    ("PATCH", "/api/v1/agents/{agent_id}"),
    ("DELETE", "/api/v1/agents/{agent_id}"),
    ("POST", "/api/v1/agents/{agent_id}/undelete"),
    ("GET", "/api/v1/trash"),
    ("DELETE", "/api/v1/trash"),
    ("POST", "/api/v1/trash/{entry_id}/restore"),
    ("DELETE", "/api/v1/trash/{entry_id}"),
    ("GET", "/api/v1/conversations/{conversation_id}/trash"),
    ("GET", "/api/v1/preferences"),
    ("GET", "/api/v1/preferences/prelude"),
    ("POST", "/api/v1/preferences/redaction"),
    ("PUT", "/api/v1/preferences"),
    ("POST", "/api/v1/pairs/{pair_id}/resend"),
    ("POST", "/api/v1/pairs/{pair_id}/restore"),
    ("GET", "/api/v1/pairs/{pair_id}/versions"),
    ("GET", "/api/v1/pairs/{pair_id}/snapshot"),
    ("GET", "/api/v1/pairs/{pair_id}/snapshot/body"),
    ("POST", "/api/v1/pairs/{pair_id}/preview"),
    ("POST", "/api/v1/pairs/{pair_id}/snapshot/resend"),
    ("GET", "/api/v1/conversations/{conversation_id}/lineage"),
    ("GET", "/api/v1/pairs/{pair_id}/structured"),
    ("POST", "/api/v1/schemas/check"),
    ("GET", "/api/v1/runs/{run_id}/request"),
    ("GET", "/api/v1/runs/{run_id}/verify"),
    ("GET", "/api/v1/runs/{run_id}/events"),
    ("POST", "/api/v1/runs/{run_id}/cancel"),
    ("POST", "/api/v1/runs/{run_id}/retry"),
    ("GET", "/api/v1/budgets"),
    ("PUT", "/api/v1/budgets/{scope}/{span}"),
    ("DELETE", "/api/v1/budgets/{scope}/{span}"),
    ("GET", "/api/v1/prices"),
    ("PUT", "/api/v1/prices/{since}"),
    ("DELETE", "/api/v1/prices/{since}"),
    ("GET", "/api/v1/conversations/{conversation_id}/cache"),
    ("PUT", "/api/v1/conversations/{conversation_id}/keep-warm"),
    ("GET", "/api/v1/conversations/{conversation_id}/keep-warm"),
    ("DELETE", "/api/v1/conversations/{conversation_id}/keep-warm"),
    ("DELETE", "/api/v1/agents/{agent_id}"),
    ("DELETE", "/api/v1/permission-rules/{rule_id}"),
    ("GET", "/api/v1/agents"),
    ("GET", "/api/v1/agents/export"),
    ("GET", "/api/v1/agents/{agent_id}"),
    ("GET", "/api/v1/audit"),
    ("GET", "/api/v1/conversations/{conversation_id}/permissions"),
    ("GET", "/api/v1/conversations/{conversation_id}/tools"),
    ("GET", "/api/v1/pairs/{pair_id}/tool-calls"),
    ("GET", "/api/v1/permission-rules"),
    ("GET", "/api/v1/permissions/{request_id}"),
    ("PATCH", "/api/v1/agents/{agent_id}"),
    ("POST", "/api/v1/agents"),
    ("POST", "/api/v1/agents/import"),
    ("POST", "/api/v1/agents/{agent_id}/undelete"),
    ("POST", "/api/v1/permissions/{request_id}"),
    ("GET", "/api/v1/usage"),
    ("GET", "/api/v1/usage/export"),
    ("POST", "/api/v1/usage/reconcile"),
    ("GET", "/api/v1/conversations/{conversation_id}/usage"),
    ("GET", "/api/v1/conversations/{conversation_id}/calls"),
}


DOCUMENT = create_api().openapi()
OPERATIONS: list[tuple[str, str, dict[str, Any]]] = [
    (method.upper(), path, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
]


def statuses(operation: dict[str, Any]) -> set[int]:
    return {int(status) for status in operation["responses"]}


def test_description_has_every_route_and_no_other():
    assert {(method, path) for method, path, _ in OPERATIONS} == ROUTES


@pytest.mark.parametrize(
    ("method", "path", "operation"), OPERATIONS, ids=[f"{method} {path}" for method, path, _ in OPERATIONS]
)
def test_every_way_to_fail_is_documented_as_a_problem(method: str, path: str, operation: dict[str, Any]):
    expected = {406}
    if "{" in path:
        expected |= {404, 422}
    if operation.get("parameters"):
        expected |= {422}
    if "requestBody" in operation:
        expected |= {400, 413, 415, 422}

    assert statuses(operation) >= expected
    for status, response in operation["responses"].items():
        if int(status) >= 400:
            assert set(response["content"]) == {"application/problem+json"}
            assert int(status) in {kind.status for kind in PROBLEMS.values()}


def test_every_operation_says_what_it_does():
    for method, path, operation in OPERATIONS:
        assert operation["summary"], (method, path)
        assert operation["tags"], (method, path)
        for parameter in operation.get("parameters", ()):
            assert parameter["description"], (method, path, parameter["name"])


def test_every_shape_that_is_named_is_described_and_no_other():
    named = set(re.findall(r'"#/components/schemas/(\w[^"]*)"', json.dumps(DOCUMENT)))

    assert named == set(DOCUMENT["components"]["schemas"])


def test_what_describes_answers_is_made_for_the_description_alone():
    for resource in RESOURCES:
        for route in resource.router.routes:
            assert isinstance(route, APIRoute)
            assert route.response_field is None, route.path
            assert route.response_fields == {}, route.path


def test_documented_events_are_those_of_the_log():
    source = Path(events_after.__code__.co_filename).read_text(encoding="utf-8")

    of_the_log = set(re.findall(r'_Entry\(\s*"(\w+)"', source))
    assert of_the_log | {"permission_request"} == EVENT_KINDS  # which stands beside it: see runs/watch/broadcast.py


async def test_docs_page_names_every_route_and_loads_nothing_from_elsewhere(api: Api):
    page = await api.http.get("/docs")
    style = await api.http.get("/docs.css")

    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "<script" not in page.text
    assert re.findall(r'(?:src|href)="([^#"][^"]*)"', page.text) == ["/api/v1/docs.css"]
    assert style.headers["content-type"] == "text/css; charset=utf-8"
    assert "url(" not in style.text
    for _, path in ROUTES:
        assert path in page.text


@pytest.mark.slow
@pytest.mark.timeout(1800)
async def test_schemathesis_finds_no_5xx_and_no_undocumented_answer(tmp_path: Path):
    # With programs switched off: else those it makes up would be started.
    async with serve_api(tmp_path / "data", INVIEW_STDIO_SERVERS="off") as api:
        await _fuzz(api, tmp_path)


async def _fuzz(api: Api, tmp_path: Path) -> None:
    conversation_id = await create_conversation(api)
    started = await send(api, conversation_id, "/fail auth")
    config = tmp_path / "schemathesis.toml"
    # Nothing else answers with the id of a run as JSON unless it is asked for JSON.
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
