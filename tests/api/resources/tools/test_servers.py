"""MCP servers over HTTP: added, read, changed, deleted; refused settings; secrets that are never returned."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.domain.errors import ForbiddenError, NotFoundError
from app.domain.tools.permissions import Rule
from app.domain.tools.tool_servers import OverHttp, OverStdio
from app.domain.tools.tools import Caller
from app.runs.tools.server_commands import ServerSettings, add_server, list_servers, try_server
from app.store.tools.permissions import StoredRule, insert_rule
from tests.api.served import Api, serve_api
from tests.tools.servers import script

ACTS = script(
    """
import os
print("the token is", os.environ.get("TOKEN"), file=sys.stderr, flush=True)
greet()
serve(lambda asked: write({"id": asked["id"], "result": {"content": [{"type": "text", "text": "done"}]}}))
"""
)
SECRET = "sk-very-secret-5b1f"


def a_body(**fields: Any) -> dict[str, Any]:
    return {"name": "lab", "kind": "stdio", "command": ACTS.command, "arguments": list(ACTS.arguments), **fields}


async def test_server_that_is_set_up_is_there_with_its_tools_and_goes_when_it_is_deleted(api: Api) -> None:
    made = await api.http.post("/mcp-servers", json=a_body())
    where = made.headers["location"].removeprefix("/api/v1")
    seen = (await api.http.post(f"{where}/test")).json()
    (tool,) = [tool for tool in api.ctx.toolbox.list_tools("local") if tool.server_id == seen["id"]]
    outcome = await api.ctx.toolbox.call(
        tool, {}, caller=Caller("local"), progress=lambda _done, _total, _words: None, timeout=20
    )
    off = (await api.http.patch(where, json={"enabled": False})).json()

    assert made.status_code == 201
    assert (seen["health"], seen["problem"]) == ("ready", "")
    assert [tool["name"] for tool in seen["tools"]] == ["lab__act"]
    assert outcome.content
    assert off["health"] == "off"
    assert [tool["name"] for tool in off["tools"]] == ["lab__act"]
    assert api.ctx.toolbox.find("local", "lab__act") is None
    assert (await api.http.delete(where)).status_code == 204
    assert (await api.http.get(where)).status_code == 404
    assert (await api.http.get("/mcp-servers")).json()["items"] == []


async def test_built_in_tools_are_listed_with_those_that_need_permission(api: Api) -> None:
    told = (await api.http.get("/mcp-servers")).json()

    assert told["programs"] is True
    assert {tool["name"]: tool["asks"] for tool in told["built_ins"]} == {
        "current_time": False,
        "delegate": True,
        "fetch_page": True,
        "search_conversations": False,
    }


async def test_what_was_allowed_of_a_server_ends_with_its_program_and_with_the_server(api: Api) -> None:
    where = (
        (await api.http.post("/mcp-servers", json=a_body(enabled=False))).headers["location"].removeprefix("/api/v1")
    )
    server_id = where.rsplit("/", 1)[1]

    async def allow(rule_id: str) -> None:
        kept = StoredRule(Rule(rule_id, server_id, "act", "f00d"), "lab", "Act", datetime.now(UTC))
        async with api.ctx.store.write() as session:
            await insert_rule(session, "local", kept)

    async def allowed() -> list[str]:
        return [rule["id"] for rule in (await api.http.get("/permission-rules")).json()["items"]]

    await allow("r1")
    await api.http.patch(where, json={"name": "laboratory"})
    assert await allowed() == ["r1"]
    await api.http.patch(where, json={"arguments": ["-c", "pass"]})
    assert await allowed() == []
    await allow("r2")
    await api.http.delete(where)
    assert await allowed() == []


async def test_tools_are_known_again_at_the_next_start_before_the_server_answers(tmp_path: Path) -> None:
    async with serve_api(tmp_path) as api:
        where = (await api.http.post("/mcp-servers", json=a_body())).headers["location"].removeprefix("/api/v1")
        await api.http.post(f"{where}/test")
    async with serve_api(tmp_path) as api:
        assert api.ctx.toolbox.find("local", "lab__act") is not None


async def test_secrets_are_stored_encrypted_and_never_returned(
    api: Api, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    made = await api.http.post("/mcp-servers", json=a_body(secrets={"TOKEN": SECRET}))
    where = made.headers["location"].removeprefix("/api/v1")
    tested = await api.http.post(f"{where}/test")
    said = await api.http.get(f"{where}/log")

    assert made.json()["secret_names"] == ["TOKEN"]
    assert "the token is •••" in [line["text"] for line in said.json()["items"]]
    for text in (made.text, tested.text, said.text, (await api.http.get("/mcp-servers")).text, caplog.text):
        assert SECRET not in text
    (row,) = sqlite3.connect(tmp_path / "inview.db").execute("SELECT * FROM mcp_server").fetchall()
    assert SECRET not in repr(row)


async def test_server_that_cannot_start_says_why(api: Api) -> None:
    made = await api.http.post("/mcp-servers", json=a_body(command="no-such-program-here"))
    where = made.headers["location"].removeprefix("/api/v1")
    seen = (await api.http.post(f"{where}/test")).json()

    assert seen["health"] == "waiting"
    assert "no program or folder 'no-such-program-here'" in seen["problem"]


async def test_server_that_is_switched_off_is_tested_and_closed(api: Api) -> None:
    made = (await api.http.post("/mcp-servers", json=a_body(enabled=False))).json()
    seen = (await api.http.post(f"/mcp-servers/{made['id']}/test")).json()

    assert (made["health"], seen["health"]) == ("off", "ready")
    assert (await api.http.get(f"/mcp-servers/{made['id']}")).json()["health"] == "off"
    assert not api.ctx.toolbox.sessions.get("local")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (a_body(name="two__words"), "name"),
        (a_body(name="inview"), "name"),
        (a_body(command=None), "command"),
        (a_body(url="http://example.org/"), "url"),
        (a_body(secrets={"A=B": "x"}), "secrets"),
        (a_body(secrets={"A": "x\ny"}), "secrets"),
        ({"name": "web", "kind": "http"}, "url"),
        ({"name": "web", "kind": "http", "url": "file:///etc/passwd"}, "url"),
        ({"name": "web", "kind": "http", "url": "https://me:word@example.org/"}, "url"),
        ({"name": "web", "kind": "http", "url": "https://example.org/", "secrets": {"Host": "x"}}, "secrets"),
        ({"name": "web", "kind": "http", "url": "https://example.org/", "command": "ls"}, "command"),
    ],
)
async def test_what_cannot_be_a_server_is_refused_by_field(api: Api, body: dict[str, Any], field: str) -> None:
    refused = await api.http.post("/mcp-servers", json=body)

    assert refused.status_code == 422
    assert field in refused.json()["errors"][0]["field"]
    assert "x\ny" not in refused.text


async def test_name_is_taken_once(api: Api) -> None:
    await api.http.post("/mcp-servers", json=a_body(enabled=False))

    assert (await api.http.post("/mcp-servers", json=a_body(name="LAB", enabled=False))).status_code == 409


async def test_only_an_administrator_has_programs_started_or_private_addresses_allowed(api: Api) -> None:
    program = ServerSettings("lab", ACTS)
    private = ServerSettings("web", OverHttp("http://10.0.0.1/mcp", allow_private=True), enabled=False)

    for settings in (program, private):
        with pytest.raises(ForbiddenError, match="administrator"):
            await add_server(api.ctx, "somebody else", settings)

    assert await list_servers(api.ctx, "somebody else") == ()
    mine = await add_server(api.ctx, "local", ServerSettings("lab", OverStdio("true"), enabled=False))
    with pytest.raises(NotFoundError):
        await try_server(api.ctx, "somebody else", mine.server.id)


async def test_installation_that_others_reach_starts_no_programs(tmp_path: Path) -> None:
    async with serve_api(tmp_path, INVIEW_STDIO_SERVERS="off") as api:
        refused = await api.http.post("/mcp-servers", json=a_body())

        assert refused.status_code == 403
        assert "INVIEW_STDIO_SERVERS" in refused.json()["detail"]
        assert (await api.http.get("/mcp-servers")).json()["programs"] is False


async def test_secrets_do_not_follow_an_address_to_another_host(api: Api) -> None:
    body = {"name": "web", "kind": "http", "url": "https://a.invalid/mcp", "enabled": False}
    made = (await api.http.post("/mcp-servers", json={**body, "secrets": {"X-Key": SECRET}})).json()
    path = f"/mcp-servers/{made['id']}"

    same = (await api.http.patch(path, json={"url": "https://a.invalid/other"})).json()
    other = (await api.http.patch(path, json={"url": "https://b.invalid/mcp"})).json()

    assert same["secret_names"] == ["X-Key"]
    assert other["secret_names"] == []


async def test_private_address_is_not_talked_to_unless_allowed(api: Api) -> None:
    body = {"name": "web", "kind": "http", "url": f"http://{api.host}/api/v1/health"}
    made = (await api.http.post("/mcp-servers", json=body)).json()
    refused = (await api.http.post(f"/mcp-servers/{made['id']}/test")).json()

    assert refused["health"] == "waiting"
    assert 'allow it with "It is on this machine or in a private network"' in refused["problem"]


async def test_program_of_a_deleted_server_has_ended(api: Api) -> None:
    made = (await api.http.post("/mcp-servers", json=a_body())).json()
    await api.http.post(f"/mcp-servers/{made['id']}/test")
    living = [one for one in psutil.Process().children() if one.status() != psutil.STATUS_ZOMBIE]
    (child,) = [one for one in living if "greet()" in " ".join(one.cmdline())]

    await api.http.delete(f"/mcp-servers/{made['id']}")

    await asyncio.to_thread(child.wait, 5)
