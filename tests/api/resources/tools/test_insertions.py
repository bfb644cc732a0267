"""Prompts and resources of MCP servers over HTTP: as text, of the owner's servers, every refusal with its reason."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.errors import NotFoundError
from app.runs.tools import insertions
from tests.api.served import Api
from tests.tools.servers import LIBRARY


async def add(api: Api, name: str = "lab", **fields: Any) -> dict[str, Any]:
    body = {"name": name, "kind": "stdio", "command": LIBRARY.command, "arguments": list(LIBRARY.arguments), **fields}
    made = (await api.http.post("/mcp-servers", json=body)).json()
    return (await api.http.post(f"/mcp-servers/{made['id']}/test")).json() if made["enabled"] else made


async def test_prompt_and_resource_come_as_text_and_say_what_they_want(api: Api) -> None:
    server = await add(api)
    where = f"/mcp-servers/{server['id']}"

    prompt = await api.http.post(f"{where}/prompt", json={"name": "weather", "arguments": {"city": "Ulm", "day": ""}})
    told = [
        (await api.http.post(f"{where}/resource", json=body)).json()["text"]
        for body in (
            {"uri": "note://tea"},
            {"uri": "note://{name}{?page}", "variables": {"name": "a b", "page": ""}},
            {"uri": "odd://{a}/b"},
            {"uri": "note://not/listed"},
        )
    ]

    assert server["prompts"][0] == {
        "name": "weather", "title": "Weather", "description": "",
        "arguments": [
            {"name": "city", "description": "Where", "required": True},
            {"name": "day", "description": "", "required": False},
        ],
    }  # fmt: skip
    assert [one["variables"] for one in server["resources"]] == [
        [], [], [
            {"name": "name", "description": "", "required": True},
            {"name": "page", "description": "", "required": False},
        ],
    ]  # fmt: skip
    assert (prompt.status_code, prompt.json()) == (200, {"text": '{"city": "Ulm"}'})
    assert told == [
        f'From the server "lab", {uri}:\n\n```\ngreen\n```'
        for uri in ("note://tea", "note://a%20b", "odd://{a}/b", "note://not/listed")
    ]


async def test_every_refusal_says_where_and_why(api: Api) -> None:
    where = f"/mcp-servers/{(await add(api, timeout=1.0))['id']}"
    off = await add(api, "off", enabled=False)
    gone = await add(api, "gone", arguments=["-c", "pass"])
    refusals = [
        (f"{where}/prompt", {"name": "nothing"}, 404, "There is no prompt 'nothing'."),
        (f"{where}/prompt", {"name": "weather"}, 422, "arguments.city: a value is required."),
        (f"{where}/prompt", {"name": "weather", "arguments": {"city": " "}}, 422, "arguments.city"),
        (f"{where}/prompt", {"name": "weather", "arguments": {"city": "Ulm", "town": "x"}}, 422, "arguments.town"),
        (f"{where}/prompt", {"name": "weather", "arguments": {"city": 5}}, 422, "arguments.city"),
        (f"{where}/prompt", {"name": "hangs"}, 409, 'The prompt "hangs" of "lab" did not respond within 1 seconds.'),
        (f"{where}/resource", {"uri": "note://{name}"}, 422, "variables.name: a value is required."),
        (f"{where}/resource", {"uri": "/etc/passwd"}, 422, "uri: write an address such as"),
        (f"{where}/resource", {"uri": "a:b\nc"}, 422, "uri: write an address such as"),
        (f"{where}/resource", {"uri": "a:{"}, 422, "uri: its braces do not match."),
        (f"/mcp-servers/{off['id']}/prompt", {"name": "weather"}, 409, '"off" is switched off. Switch it on in'),
        (
            f"/mcp-servers/{gone['id']}/resource",
            {"uri": "note://tea"},
            409,
            '"gone" is not available. The server could not be',
        ),
        ("/mcp-servers/nobody/prompt", {"name": "weather"}, 404, "There is no MCP server 'nobody'."),
        ("/mcp-servers/nobody/resource", {"uri": "note://tea"}, 404, "There is no MCP server 'nobody'."),
    ]

    for path, body, status, words in refusals:
        answer = await api.http.post(path, json=body)
        assert (answer.status_code, words in answer.json()["detail"]) == (status, True), answer.text
        if answer.json()["type"] == "urn:inview:problem:server-gave-nothing":
            assert answer.json()["error_class"] in {"timed_out", "unavailable"}
            assert answer.json()["next_step"]


async def test_servers_are_ones_own_and_listed_by_what_an_agent_uses(api: Api) -> None:
    first = await add(api, enabled=False)
    await add(api, "other", enabled=False)
    agent = (await api.http.post("/agents", json={"name": "Ann", "server_ids": [first["id"]]})).json()
    anybody = (await api.http.post("/agents", json={"name": "Bob"})).json()

    async def names(agent_id: str) -> list[str]:
        items = (await api.http.get("/mcp-servers", params={"agent_id": agent_id})).json()["items"]
        return [one["name"] for one in items]

    assert await names(agent["id"]) == ["lab"]
    assert await names(anybody["id"]) == ["lab", "other"]
    assert (await api.http.get("/mcp-servers", params={"agent_id": "nobody"})).status_code == 404
    with pytest.raises(NotFoundError):
        await insertions.read_resource(api.ctx, "somebody else", first["id"], "note://tea", {})
    with pytest.raises(NotFoundError):
        await insertions.fill_prompt(api.ctx, "somebody else", first["id"], "weather", {})
