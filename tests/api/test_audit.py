"""Every route says what the audit trail gets, and through the real application it gets it."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from starlette.routing import Route

from app.api.app import RESOURCES, create_api
from app.api.http.audit_rules import RULES
from tests.api.served import Api


def test_every_route_says_what_the_audit_trail_gets() -> None:
    described = {
        f"{method} {route.path}"
        for resource in RESOURCES
        for route in resource.router.routes
        if isinstance(route, Route)
        for method in route.methods or ()
    }
    others = {route.path for route in create_api().routes if isinstance(route, Route)}

    assert described | others == RULES.keys()


async def entries(api: Api, **wanted: str) -> list[dict[str, Any]]:
    listed = (await api.http.get("/audit", params={"limit": "500", **wanted})).json()
    return listed["items"][::-1]


async def actions(api: Api, **wanted: str) -> list[tuple[str, str]]:
    return [(one["action"], one["subject"]) for one in await entries(api, **wanted) if one["action"] != "audit.read"]


async def test_each_kind_of_access_leaves_its_entry(api: Api) -> None:
    made = (await api.http.post("/conversations", json={"title": "secret-title"})).json()["id"]
    await api.http.post(f"/conversations/{made}/send", json={"text": "secret-text"})
    pair = (await api.http.get(f"/conversations/{made}/pairs")).json()["items"][0]["id"]
    await api.http.get(f"/conversations/{made}")
    await api.http.patch(f"/pairs/{pair}", json={"stars": 3})
    await api.http.get(f"/conversations/{made}/export")
    await api.http.put("/preferences", json={"language": "de"})
    await api.http.delete(f"/conversations/{made}")

    found = await actions(api)
    assert found == [
        ("conversation.created", made),
        ("message.sent", made),
        ("conversation.read", made),
        ("pair.changed", pair),
        ("conversation.exported", made),
        ("settings.changed", ""),
        ("conversation.deleted", made),
    ]
    (settings,) = await entries(api, action="settings")
    assert settings["data"] == {"through": "PUT /preferences", "fields": ["language"]}
    assert (settings["person"], settings["credential"], settings["address"]) == ("local", "local", "127.0.0.1")
    assert "secret" not in json.dumps(await entries(api))


async def test_change_that_is_refused_is_entered_as_that_and_a_reading_as_not_found(api: Api) -> None:
    await api.http.patch("/conversations/none", json={"title": "x"})
    await api.http.get("/conversations/none")

    assert [(one["action"], one["data"]["outcome"]) for one in await entries(api, subject="none")] == [
        ("conversation.changed", "refused"),
        ("conversation.read", "not found"),
    ]


async def test_export_has_all_entries_as_json_lines_and_as_csv(api: Api) -> None:
    made = (await api.http.post("/conversations", json={})).json()["id"]

    lines = (await api.http.get("/audit/export")).text.splitlines()
    table = (await api.http.get("/audit/export", params={"format": "csv", "subject": made})).text

    assert [json.loads(line)["action"] for line in lines] == ["conversation.created", "audit.exported"]
    (row,) = csv.DictReader(io.StringIO(table))
    assert (row["id"], row["action"], row["subject"]) == ("1", "conversation.created", made)
