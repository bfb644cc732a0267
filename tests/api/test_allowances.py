"""Models allowed by role and budgets, over every route of the OpenAPI document: nothing leaves where they refuse it.

Mia, a member, has one of everything and asks every route for it, with her own ids. A new route is tried without being
written down here. The engine's own look before each call is lifted: a route has to refuse before anything is stored.
What the engine refuses, whoever begins it: tests/runs/usage/test_allowances.py.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest
from starlette.routing import Route

from app.api.gateway.routes import CHAT, COUNT, MESSAGES
from app.api.http.sign_in_gate import COOKIE
from app.runs.people.sessions import find_session
from app.runs.workbench import Workbench
from tests.api.belongings import make_belongings
from tests.api.limited import LIMITS, Limit, let_in_member, lift_engine_gate, watch_wire
from tests.api.served import serve_api, ungated_api
from tests.api.talk import AT_ONCE
from tests.api.test_isolation import ANYTHING, OPERATIONS, a_value

GATEWAY: Final[dict[str, Mapping[str, Any]]] = {
    CHAT: {"model": "offline:demo", "messages": [{"role": "user", "content": "Hi"}]},
    MESSAGES: {"model": "offline:demo", "max_tokens": 10, "messages": [{"role": "user", "content": "Hi"}]},
    COUNT: {"model": "offline:demo", "messages": [{"role": "user", "content": "Hi"}]},
}
"""What is posted to the routes that programs written for other services use. The document leaves them out."""
IN_CHATS: Final = "/api/v1/conversations/{conversation_id}"
SENDS: Final = {
    *(f"POST {IN_CHATS}/{name}" for name in ("send", "queue", "compare", "summarize", "title")),
    *(f"POST /api/v1/pairs/{{pair_id}}/{name}" for name in ("resend", "compare")),
    "POST /api/v1/send",
    f"POST {CHAT}",
    f"POST {MESSAGES}",
}
"""Routes that are known to call a provider here: the sweep is no good if it does not see them."""
TRIED: Final = [one for one in OPERATIONS if one[0] != "DELETE"]


@dataclass(frozen=True)
class Member:
    """Mia's browser and her things, by the names of path parameters. `fresh`: those for one operation alone."""

    wb: Workbench
    http: httpx2.AsyncClient
    ids: dict[str, str]
    fresh: dict[str, dict[str, str]]
    person_id: str


@pytest.fixture
async def mia(tmp_path: Path) -> AsyncGenerator[Member]:
    async with (
        serve_api(tmp_path, INVIEW_ACCOUNTS="on", INVIEW_STDIO_SERVERS="off", INVIEW_RATE_LIMITS="off") as api,
        httpx2.AsyncClient(base_url=f"http://{api.host}", timeout=20) as http,
    ):
        await let_in_member(api.wb, http)
        found = await find_session(api.wb, http.cookies[COOKIE])
        assert found is not None
        yield Member(api.wb, http, await make_belongings(http), {}, found.person.id)


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.__name__)
async def test_no_route_sends_what_a_limit_forbids(mia: Member, limit: Limit, monkeypatch: pytest.MonkeyPatch) -> None:
    await limit(mia.wb, mia.person_id)
    lift_engine_gate(monkeypatch)
    wire = watch_wire(monkeypatch)

    for method, path, operation in TRIED:
        wire.at = f"{method} {path}"
        await _ask(mia, method, path, operation)
    for wire.at, body in GATEWAY.items():
        await mia.http.post(wire.at, json=body)

    assert wire.calls == {}


async def test_the_same_routes_send_where_nothing_forbids_it(mia: Member, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the test above tries would be seen by it."""
    for method, path, _ in TRIED:
        if method == "POST" and ("{conversation_id}" in path or "{pair_id}" in path):
            mia.fresh[f"{method} {path}"] = await _make_chat(mia.http)
    wire = watch_wire(monkeypatch)

    for method, path, operation in TRIED:
        wire.at = f"{method} {path}"
        await _ask(mia, method, path, operation)
        await wire.settle(mia.wb)
    for path, body in GATEWAY.items():
        wire.at = f"POST {path}"
        await mia.http.post(path, json=body)

    assert {*wire.calls} >= SENDS, sorted(wire.calls)


def test_each_route_for_programs_of_other_services_is_tried() -> None:
    posted = {
        route.path for route in ungated_api().routes if isinstance(route, Route) and "POST" in (route.methods or ())
    }

    assert {path for path in posted if path.startswith("/v1/")} == {*GATEWAY}


async def _make_chat(http: httpx2.AsyncClient) -> dict[str, str]:
    """A conversation with one pair, for one operation: what it leaves behind is in the way of no other."""
    made = (await http.post("/api/v1/conversations", json={"model": "offline:demo"})).json()["id"]
    sent = await http.post(f"/api/v1/conversations/{made}/send", json={"text": "/rate 0"}, headers=AT_ONCE)
    await http.get(f"/api/v1/runs/{sent.json()['run_id']}/events")
    return {"conversation_id": made, "pair_id": sent.json()["pair_id"], "run_id": sent.json()["run_id"]}


async def _ask(mia: Member, method: str, path: str, operation: Mapping[str, Any]) -> None:
    ids = {**mia.ids, **mia.fresh.get(f"{method} {path}", {}), "model": "offline:demo"}
    for one in operation.get("parameters", []):
        if one["in"] == "path":
            path = path.replace("{" + one["name"] + "}", {**ids, **ANYTHING}.get(one["name"], "x"))
    content = operation.get("requestBody", {}).get("content", {})
    body, headers = None, dict[str, str]()
    if content:
        headers = {"content-type": "application/json" if "application/json" in content else next(iter(content))}
        schema = content.get("application/json", {}).get("schema")
        body = "x" if schema is None else json.dumps(a_value(schema, ids)).replace("demo-1", "tiny")
    async with mia.http.stream(method, path, content=body, headers=headers) as answer:
        if "event-stream" not in answer.headers.get("content-type", ""):
            await answer.aread()
