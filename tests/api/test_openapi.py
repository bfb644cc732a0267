"""The API is what its description says: schemathesis against the served document, and the document against the code."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from app.api.app import create_api
from app.api.event_stream import EVENT_KINDS
from app.domain.run_log import events_after
from app.views.problem import PROBLEMS
from tests.api.served import Api
from tests.api.talk import create_conversation, send

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
    ("GET", "/api/v1/conversations/{conversation_id}/pairs"),
    ("GET", "/api/v1/conversations/{conversation_id}/history"),
    ("POST", "/api/v1/conversations/{conversation_id}/preview"),
    ("POST", "/api/v1/conversations/{conversation_id}/send"),
    ("GET", "/api/v1/runs/{run_id}/events"),
    ("POST", "/api/v1/runs/{run_id}/cancel"),
}


OPERATIONS: list[tuple[str, str, dict[str, Any]]] = [
    (method.upper(), path, operation)
    for path, methods in create_api().openapi()["paths"].items()
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


def test_documented_events_are_those_of_the_log():
    source = Path(events_after.__code__.co_filename).read_text(encoding="utf-8")

    assert set(re.findall(r'_Entry\(\s*"(\w+)"', source)) == EVENT_KINDS


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
@pytest.mark.timeout(180)
async def test_schemathesis_finds_no_5xx_and_no_undocumented_answer(api: Api, tmp_path: Path):
    conversation_id = await create_conversation(api)
    started = await send(api, conversation_id, "/fail auth")
    config = tmp_path / "schemathesis.toml"
    # Nothing else answers with the id of a run as JSON unless it is asked for JSON.
    config.write_text(CONFIG.read_text() + f'\n[parameters]\n"path.run_id" = "{started["run_id"]}"\n')

    process = await asyncio.create_subprocess_exec(
        str(SCHEMATHESIS),
        *("--config-file", str(config)),
        *("run", f"http://{api.host}/api/v1/openapi.json", "--checks", "all", "--no-color"),
        cwd=tmp_path,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()

    assert process.returncode == 0, output.decode()
