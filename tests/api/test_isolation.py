"""Another person's objects, over every route of the OpenAPI document: shown, changed and found by their owner alone.

Ann has one of everything. Ben, a member, names each of her objects to each route, uploads, streams and files among
them. A new route is tried without being written down here; a new kind of id fails the first test.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import httpx2
import pytest

from app.api.http.sign_in_gate import COOKIE
from app.domain.people.people import Role
from app.runs.people.sessions import find_session
from app.runs.people.welcome import first_link, invite
from tests.api.belongings import SECRET, everything_but, make_belongings
from tests.api.served import Api, api_document, serve_api

PASSWORD: Final = "correct horse battery"
ANYTHING: Final = {
    "grant_id": "g", "queued_id": "q", "request_id": "r", "rule_id": "r", "number": "1", "import_id": "i",
    "scope": "all", "span": "day", "since": "2026-01-01T00:00:00Z", "role": "member", "person_id": "local",
}  # fmt: skip
"""Path parameters that name nothing of Ann's here, or no object at all."""
PUBLIC: Final = {"/api/v1/health", "/api/v1/ready"}
DOCUMENT: Final = api_document()
OPERATIONS: Final = [
    (method.upper(), path, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
]


@dataclass(frozen=True)
class Two:
    """Ann's things by the names of path parameters, and Ben's browser. `wb` is behind both."""

    api: Api
    ids: dict[str, str]
    ann: httpx2.AsyncClient
    ben: httpx2.AsyncClient


async def _let_in(http: httpx2.AsyncClient, path: str, name: str) -> None:
    typed = {"name": name, "email": f"{name}@example.org", "password": PASSWORD}
    assert (await http.post(path, data=typed)).status_code == 303


@pytest.fixture
async def two(tmp_path: Path) -> AsyncGenerator[Two]:
    async with serve_api(tmp_path, INVIEW_ACCOUNTS="on", INVIEW_STDIO_SERVERS="off", INVIEW_RATE_LIMITS="off") as api:
        base = f"http://{api.host}"
        async with httpx2.AsyncClient(base_url=base) as ann, httpx2.AsyncClient(base_url=base) as ben:
            path = await first_link(api.wb)
            assert path is not None
            await _let_in(ann, path, "ann")
            await _let_in(ben, await invite(api.wb.store, Role.MEMBER), "ben")
            yield Two(api, await make_belongings(ann), ann, ben)


def test_every_path_parameter_names_something_here() -> None:
    named = {
        one["name"] for _, _, operation in OPERATIONS for one in operation.get("parameters", []) if one["in"] == "path"
    }

    assert named <= KNOWN | set(ANYTHING)


KNOWN: Final = frozenset({
    "conversation_id", "pair_id", "run_id", "attachment_id", "call_id", "body_sha256", "agent_id", "prompt_id",
    "topic_id", "folder_id", "server_id", "token_id", "share_id", "export_id", "name", "entry_id",
})  # fmt: skip


@pytest.mark.parametrize("credential", ["none", "revoked", "forged"])
async def test_no_route_answers_without_a_valid_session(two: Two, credential: str) -> None:
    before = await everything_but(two.api.wb, "")
    async with httpx2.AsyncClient(base_url=f"http://{two.api.host}") as http:
        if credential == "forged":
            http.cookies.set(COOKIE, "x" * 43)
        if credential == "revoked":
            http.cookies.set(COOKIE, two.ben.cookies[COOKIE])
            await two.ben.post("/sign-out")
            before = await everything_but(two.api.wb, "")
        for method, path, operation in OPERATIONS:
            if path not in PUBLIC:
                answer = await _ask(http, method, path, operation, two.ids)
                assert answer.status_code == 401, (method, path, answer.text)
    assert await everything_but(two.api.wb, "") == before


async def test_no_route_shows_or_changes_what_is_of_another_person(two: Two) -> None:
    ben = await _id_of(two, two.ben)
    before = await everything_but(two.api.wb, ben)
    wrong: list[str] = []
    for method, path, operation in OPERATIONS:
        answer = await _ask(two.ben, method, path, operation, two.ids)
        mine = any("{" + name + "}" in path for name in two.ids if name != "name")
        if answer.status_code >= 500 or SECRET in answer.text or (mine and answer.status_code not in {403, 404}):
            wrong.append(f"{method} {path}: {answer.status_code} {answer.text[:200]}")
    assert not wrong, "\n".join(wrong)
    after = await everything_but(two.api.wb, ben)
    assert {name: rows for name, rows in before.items() if not rows <= after[name]} == {}


async def test_no_route_of_owners_and_admins_does_anything_for_a_member(two: Two) -> None:
    await _id_of(two, two.ben)
    for method, path, operation in OPERATIONS:
        if "/allowances/" in path or "/audit" in path:
            answer = await _ask(two.ben, method, path, operation, two.ids)
            assert answer.status_code == 403, (method, path, answer.text)


async def test_no_route_takes_half_a_character(two: Two) -> None:
    """JSON can escape it; no database and no answer in UTF-8 can hold it."""
    wrong: list[str] = []
    for method, path, operation in OPERATIONS:
        content = operation.get("requestBody", {}).get("content", {})
        if "application/json" in content:
            for body in _halved(a_value(content["application/json"]["schema"], two.ids)):
                at, sent = _address(path, operation, two.ids), json.dumps(body)
                answer = await two.ann.request(method, at, content=sent, headers={"content-type": "application/json"})
                if answer.status_code != 422:
                    wrong.append(f"{method} {at} {sent:.80}: {answer.status_code} {answer.text[:200]}")
    assert not wrong, "\n".join(wrong)


def _halved(value: Any) -> list[Any]:
    """The value with half a character in each of its texts, one after the other, and in a name of a field."""
    if isinstance(value, str):
        return ["\ud800"]
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return [[*items[:at], one, *items[at + 1 :]] for at, item in enumerate(items) for one in _halved(item)]
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        within = [{**fields, name: one} for name, item in fields.items() for one in _halved(item)]
        return [*within, {**fields, "\ud800": "x"}]
    return []


async def _ask(
    http: httpx2.AsyncClient, method: str, path: str, operation: Mapping[str, Any], ids: Mapping[str, str]
) -> httpx2.Response:
    """Carry this operation out with Ann's ids wherever an id fits."""
    path = _address(path, operation, ids)
    content = operation.get("requestBody", {}).get("content", {})
    if "application/json" in content:
        body = a_value(content["application/json"]["schema"], {**ids, "person_id": ANYTHING["person_id"]})
        return await http.request(method, path, json=body)
    if content:
        return await http.request(method, path, content=b"x", headers={"content-type": next(iter(content))})
    return await http.request(method, path)


def _address(path: str, operation: Mapping[str, Any], ids: Mapping[str, str]) -> str:
    for one in operation.get("parameters", []):
        if one["in"] == "path":
            path = path.replace("{" + one["name"] + "}", {**ids, **ANYTHING}.get(one["name"], "x"))
    return path


def a_value(schema: Mapping[str, Any], ids: Mapping[str, str], name: str = "") -> Any:
    """The smallest value of a schema, with Ann's ids in fields that are called after them."""
    if "$ref" in schema:
        return a_value(DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]], ids, name)
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return a_value(schema[several][0], ids, name)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("examples"):
        return schema["examples"][0]
    match schema.get("type"):
        case "object":
            fields = schema.get("properties", {})
            wanted = set(schema.get("required", ())) | (set(fields) & {"text", *ids})
            return {field: a_value(fields[field], ids, field) for field in sorted(wanted)}
        case "array":
            each = schema.get("items", {})
            one, count = a_value(each, ids, name[:-1]), max(schema.get("minItems", 0), name[:-1] in ids)
            return [f"{one}-{place}" if place else one for place in range(count)]
        case "string":
            return ids.get(name, "x" * max(1, schema.get("minLength", 1)))
        case "integer" | "number":
            return int(schema.get("minimum", 1))
        case "boolean":
            return False
        case _:
            return None


async def _id_of(two: Two, http: httpx2.AsyncClient) -> str:
    found = await find_session(two.api.wb, http.cookies[COOKIE])
    assert found is not None
    return found.person.id
