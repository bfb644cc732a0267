"""Permissions over HTTP: pending requests are read and answered, rules are revoked, and event streams report it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from app.domain.agents.agents import Agent
from app.domain.conversation.parts import ToolCall
from app.domain.tools.permission_requests import Allowed, Denied
from app.domain.tools.tools import Tool
from app.runs.agents.agent_commands import read_agent
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.tools.permissions import ask_permission
from tests.api.served import Api
from tests.api.talk import create_conversation, read_events, send
from tests.waiting import until_found

SLOW = "/long 4000 /rate 40"
SCHEMA = '{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}'
WRITE = Tool("files__write", "files", "Files", "write", "Write", "Writes a file.", SCHEMA, read_only=False)


class Asking:
    """A running reply whose calls request permission."""

    def __init__(self, api: Api, conversation_id: str, run_id: str) -> None:
        self.api, self.conversation_id, self.run_id = api, conversation_id, run_id
        self.place = f"/conversations/{conversation_id}/permissions"

    def ask(self, path: str, agent: Agent | None = None) -> asyncio.Task[Allowed | Denied]:
        call = ToolCall(f"t{path}", WRITE.name, f'{{"path":"{path}"}}', complete=True)
        run = self.api.ctx.engine.runs[self.run_id]
        return asyncio.create_task(ask_permission(self.api.ctx, run, WRITE, call, agent=agent))

    async def pending(self, count: int = 1) -> list[dict[str, Any]]:
        async def look() -> list[list[dict[str, Any]]]:
            items = (await self.api.http.get(self.place)).json()["items"]
            return [items] if len(items) == count else []

        (items,) = await until_found(look)
        return items


@asynccontextmanager
async def a_reply_that_asks(api: Api) -> AsyncGenerator[Asking]:
    conversation_id = await create_conversation(api)
    run = await send(api, conversation_id, SLOW)
    try:
        yield Asking(api, conversation_id, run["run_id"])
    finally:
        await api.http.post(f"/runs/{run['run_id']}/cancel")


async def test_a_call_that_waits_is_read_edited_and_allowed_once(api: Api):
    async with a_reply_that_asks(api) as asking:
        waiting = asking.ask("/a")
        (item,) = await asking.pending()
        place = f"/permissions/{item['id']}"
        assert (item["server"], item["tool_name"], item["input"]) == ("Files", "write", {"path": "/a"})
        assert (item["standing"], item["run_input"]) == ("pending", None)
        assert 290 < item["seconds_left"] <= 300

        wrong = await api.http.post(place, json={"answer": "allow", "arguments": {"path": 3}})
        allowed = await api.http.post(place, json={"answer": "allow", "arguments": {"path": "/b"}})
        again = await api.http.post(place, json={"answer": "deny"})

        assert (wrong.status_code, wrong.json()["errors"]) == (
            422,
            [{"field": "arguments.path", "reason": "3 is not of type 'string'"}],
        )
        assert (allowed.status_code, allowed.json()["run_input"]) == (200, {"path": "/b"})
        assert (again.status_code, again.json()["type"]) == (409, "urn:inview:problem:conflict")
        assert await waiting == Allowed('{"path":"/b"}')
        assert (await api.http.get(place)).json()["standing"] == "allowed"
        assert (await api.http.get("/permission-rules")).json() == {"items": []}


async def test_a_rule_is_made_listed_and_revoked_and_all_of_it_is_audited(api: Api):
    async with a_reply_that_asks(api) as asking:
        waiting = asking.ask("/notes/a")
        (item,) = await asking.pending()
        body = {"answer": "allow_conversation", "only_if": {"path": "/notes/*"}}
        await api.http.post(f"/permissions/{item['id']}", json=body)
        assert await waiting == Allowed('{"path":"/notes/a"}')
        assert await asking.ask("/notes/b") == Allowed('{"path":"/notes/b"}')

        (rule,) = (await api.http.get("/permission-rules")).json()["items"]
        assert (rule["scope"], rule["conversation_id"]) == ("conversation", asking.conversation_id)
        assert rule["arguments"] == {"path": "/notes/*"}
        assert (await api.http.delete(f"/permission-rules/{rule['id']}")).status_code == 200
        assert (await api.http.delete(f"/permission-rules/{rule['id']}")).status_code == 404

        first = (await api.http.get("/audit?limit=3")).json()
        rest = (await api.http.get(f"/audit?cursor={first['next_cursor']}")).json()
        done = [entry["action"] for entry in (*first["items"], *rest["items"])]
        done = [action.removeprefix("permission.") for action in done if action.startswith("permission.")]
        assert done == ["rule_revoked", "allowed", "rule_made", "allowed", "asked"]
        assert rest["next_cursor"] is None


async def test_a_rule_is_made_for_the_agent_of_the_call_and_names_it(api: Api):
    created = (await api.http.post("/agents", json={"name": "Reviewer"})).json()
    async with a_reply_that_asks(api) as asking:
        plain = asking.ask("/a")
        (item,) = await asking.pending()
        assert (item["agent_id"], item["agent_name"]) == (None, None)
        refused = await api.http.post(f"/permissions/{item['id']}", json={"answer": "always_allow_agent"})
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "answer")
        await api.http.post(f"/permissions/{item['id']}", json={"answer": "deny"})
        await plain

        agent = await read_agent(api.ctx, LOCAL_OWNER, created["id"])
        waiting = asking.ask("/b", agent)
        (item,) = await asking.pending()
        assert (item["agent_id"], item["agent_name"]) == (agent.id, "Reviewer")
        body = {"answer": "always_allow_agent", "only_if": {"path": "/b*"}}
        settled = await api.http.post(f"/permissions/{item['id']}", json=body)
        assert settled.json()["scope"] == "agent"
        assert isinstance(await waiting, Allowed)
        assert isinstance(await asking.ask("/bc", agent), Allowed)
        (rule,) = (await api.http.get("/permission-rules")).json()["items"]
        assert (rule["scope"], rule["agent_id"], rule["conversation_id"]) == ("agent", agent.id, None)


async def test_what_cannot_be_answered_is_refused_in_words(api: Api):
    async with a_reply_that_asks(api) as asking:
        waiting = asking.ask("/a")
        (item,) = await asking.pending()
        for body in (
            {"answer": "perhaps"},
            {"answer": "deny", "arguments": {"path": "/b"}},
            {"answer": "allow", "only_if": {"path": "/a"}},
            {"answer": "always_allow", "only_if": {"path": "/b"}},
            {"answer": "allow", "standing": "allowed"},
        ):
            answer = await api.http.post(f"/permissions/{item['id']}", json=body)
            assert answer.status_code == 422, body
        for raw in (
            '{"answer":"allow","arguments":{"path":"\\ud800"}}',
            '{"answer":"allow","arguments":{"path":"/a","n":NaN}}',
            '{"answer":"always_allow","only_if":{"path":"*","\\ud800":"*"}}',
        ):
            headers = {"Content-Type": "application/json"}
            answer = await api.http.post(f"/permissions/{item['id']}", content=raw, headers=headers)
            assert answer.status_code == 422, raw
        for path in ("/conversations/nobody/permissions", "/permissions/nobody"):
            assert (await api.http.get(path)).status_code == 404
        assert (await api.http.post("/permissions/nobody", json={"answer": "allow"})).status_code == 404
        assert [each["id"] for each in await asking.pending()] == [item["id"]]
        await api.http.post(f"/permissions/{item['id']}", json={"answer": "deny"})
        assert isinstance(await waiting, Denied)


async def test_an_event_stream_reports_pending_requests(api: Api):
    async with a_reply_that_asks(api) as asking:
        waiting = asking.ask("/a")
        told: dict[str, Any] = {}
        async with api.http.stream("GET", f"/runs/{asking.run_id}/events") as answer:
            async for event in read_events(answer.aiter_bytes()):
                if event.kind == "permission_request":
                    told = event.data
                    break
        (item,) = await asking.pending()
        assert (told["id"], told["input"]) == (item["id"], {"path": "/a"})
        await api.http.post(f"/permissions/{item['id']}", json={"answer": "deny"})
        assert await asking.pending(0) == []
        assert isinstance(await waiting, Denied)
