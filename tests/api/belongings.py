"""Somebody who has one of everything, made over HTTP, and what may not change while others try.

ids = await make_belongings(http)          # by the name of a path parameter: {"pair_id": "…"}
before = await everything_but(wb, "ben")
"""

from __future__ import annotations

from typing import Any

import httpx2
from sqlalchemy import select

from app.runs.workbench import Workbench
from app.store.tables import Row
from tests.api.talk import AT_ONCE

SECRET = "zq-secret-of-ann"
SEEN_BY_ALL = frozenset({"audit", "audit_note", "person_session", "usage_day", "usage_account"})
"""Tables that grow with whatever is done, or are sums."""


async def make_belongings(http: httpx2.AsyncClient) -> dict[str, str]:
    """One of everything that has an id, each with the secret in what people read of it."""

    async def make(method: str, path: str, body: dict[str, Any] | None = None, **kwargs: Any) -> Any:
        answer = await http.request(method, f"/api/v1{path}", json=body, **kwargs)
        assert answer.is_success, (method, path, answer.text)
        return answer.json() if "json" in answer.headers.get("content-type", "") else {}

    made = await make("POST", "/conversations", {"model": "offline:demo", "title": SECRET})
    at = f"/conversations/{made['id']}"
    sent = await make("POST", f"{at}/send", {"text": f"/echo {SECRET}"}, headers=AT_ONCE)
    ids = {"conversation_id": made["id"], "pair_id": sent["pair_id"], "run_id": sent["run_id"]}
    async with http.stream("GET", f"/api/v1/runs/{ids['run_id']}/events") as events:
        async for _ in events.aiter_bytes():
            pass
    file, named = {"content-type": "application/octet-stream"}, {"name": f"{SECRET}.txt"}
    upload = await http.post("/api/v1/attachments", content=SECRET.encode(), params=named, headers=file)
    assert upload.is_success, upload.text
    ids["attachment_id"] = upload.json()["id"]
    calls = await make("GET", f"/pairs/{ids['pair_id']}/calls")
    ids["call_id"], ids["body_sha256"] = (calls["calls"][0][name] for name in ("id", "body_sha256"))
    for name, kind, body in (
        ("agent_id", "agents", {"name": SECRET}),
        ("prompt_id", "prompts", {"name": SECRET, "text": SECRET}),
        ("topic_id", "topics", {"path": SECRET}),
        ("folder_id", "folders", {"name": SECRET}),
        ("server_id", "mcp-servers", {"name": "zq", "kind": "http", "url": "http://203.0.113.1/mcp", "enabled": False}),
        ("token_id", "tokens", {"name": SECRET, "scopes": ["read"], "days": 1}),
        ("share_id", f"{at[1:]}/shares", {}),
        ("export_id", "exports", {"conversation_ids": [made["id"]], "format": "json"}),
    ):
        answer = await make("POST", f"/{kind}", body)
        ids[name] = answer["id"] if "id" in answer else answer["share"]["id"]
    ids["name"] = "anns-filter"
    await make("PUT", f"/filters/{ids['name']}", {"filter": "s>=2"})
    trashed = await make("POST", "/conversations", {"model": "offline:demo", "title": SECRET})
    await make("DELETE", f"/conversations/{trashed['id']}")
    ids["entry_id"] = (await make("GET", "/trash"))["items"][0]["id"]
    return ids


async def everything_but(wb: Workbench, person_id: str) -> dict[str, set[str]]:
    """Each row that is not of this person, by its table."""
    await wb.trail.enter(wb.store)
    found: dict[str, set[str]] = {}
    async with wb.store.read() as session:
        for table in Row.metadata.sorted_tables:
            if table.name in SEEN_BY_ALL:
                continue
            query = select(table)
            for column in ("owner", "person_id", "person"):
                if column in table.c:
                    query = query.where(table.c[column] != person_id)
            if table.name == "person":
                query = query.where(table.c.id != person_id)
            found[table.name] = {repr(tuple(row)) for row in await session.execute(query)}
    return found
