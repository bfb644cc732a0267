"""Headers of every answer: each route of the application, and each kind of answer that one gives."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from app.api.app import PREFIX, create_api
from app.api.http.sign_in_gate import SignInGate
from app.settings import load_settings
from app.web import files
from app.web.gate import GateRules, guarded
from tests.api.served import Api
from tests.api.talk import create_conversation, follow, send
from tests.media.test_pictures import a_picture

ORIGIN = "http://localhost:3000"
COMMON = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
NO_REFERRER = {"same-origin", "no-referrer"}
PAGE = "<!doctype html><title>x</title><script>1</script>"


@cache
def the_api() -> FastAPI:
    """Made once: its hundred routes take half a second."""
    return create_api()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built page of a few files."""
    folder = tmp_path_factory.mktemp("built")
    for name, text in {
        "index.html": PAGE, "404.html": PAGE, "assets/a.js": "1", "assets/a.css": "a{}", "favicon.svg": "<svg/>",
    }.items():  # fmt: skip
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture
async def client(api: Api, built: Path) -> AsyncGenerator[httpx2.AsyncClient]:
    """Asks all that one port serves, the gate before it."""
    page, behind = files.serving(built), the_api()

    async def switch(scope: Scope, receive: Receive, send: Send) -> None:
        below = scope["path"].startswith(("/api/", "/v1/", "/s/", "/sign-", "/welcome"))
        await (behind if below else page)(scope, receive, send)

    app: ASGIApp = guarded(SignInGate(switch), GateRules.of(load_settings({})))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=ORIGIN, timeout=20) as asking:
        yield asking


def require_safe(answer: httpx2.Response) -> None:
    """What every answer says to a browser, whatever it is."""
    headers, where = answer.headers, f"{answer.request.method} {answer.request.url.path} {answer.status_code}"
    assert {name: headers.get(name) for name in COMMON} == COMMON, where
    assert headers["referrer-policy"] in NO_REFERRER, where
    assert "camera=()" in headers["permissions-policy"], where
    assert "server" not in headers, where
    policy = headers["content-security-policy"]
    assert "unsafe-eval" not in policy, where
    directives = {name: values for name, *values in (part.split() for part in policy.split(";") if part.strip())}
    scripts = directives.get("script-src", directives.get("default-src", []))
    assert "sandbox" in directives or "default-src" in directives, where
    assert "'unsafe-inline'" not in scripts, where
    assert not {"*", "http:", "https:", "data:", "blob:"} & set(scripts), where
    if headers.get("content-type", "").startswith("text/html") and "sandbox" not in directives:
        assert directives["frame-ancestors"] == ["'none'"], where
        assert directives["base-uri"] == ["'none'"], where
    for cookie in headers.get_list("set-cookie"):
        assert "httponly" in cookie.lower(), where
        assert "samesite=lax" in cookie.lower(), where


def routes() -> list[tuple[str, str]]:
    """Method and path of each route, with ids of nothing."""
    api = the_api()
    described = [(method.upper(), path) for path, methods in api.openapi()["paths"].items() for method in methods]
    plain = [
        (method, route.path.replace("{token:path}", "{token}"))
        for route in api.routes
        if type(route) is Route
        for method in route.methods or ()
    ]
    return [
        (method, "/".join("none" if part.startswith("{") else part for part in path.split("/")))
        for method, path in [*described, *plain]
    ]


async def test_every_route_answers_with_the_headers_that_protect(client: httpx2.AsyncClient) -> None:
    asked = routes()
    assert len(asked) > 120
    assert {"/v1/messages", "/s/none", "/sign-in", f"{PREFIX}/docs", f"{PREFIX}/openapi.json"} <= {
        path for _, path in asked
    }
    for method, path in asked:
        body: dict[str, Any] = {"json": {}} if method in {"POST", "PUT", "PATCH"} else {}
        answer = await client.request(method, path, **body)
        require_safe(answer)
        assert answer.status_code != 500, path


@pytest.mark.parametrize("path", ["/", "/nowhere", "/assets/a.js", "/assets/a.css", "/favicon.svg", "/api/v1/none"])
async def test_files_of_the_page_and_unknown_addresses_carry_them(client: httpx2.AsyncClient, path: str) -> None:
    answer = await client.get(path)

    require_safe(answer)
    again = await client.get(path, headers={"If-None-Match": answer.headers.get("etag", "none")})
    require_safe(again)
    require_safe(await client.post(path))


async def test_what_is_downloaded_printed_shared_or_streamed_carries_them(client: httpx2.AsyncClient, api: Api) -> None:
    conversation = await create_conversation(api, system_prompt="Be brief.")
    run = (await send(api, conversation, "/echo <script>alert(1)</script>"))["run_id"]
    await follow(api, run)
    at = f"{PREFIX}/conversations/{conversation}"
    pair = (await api.http.get(f"/conversations/{conversation}/pairs")).json()["items"][0]["id"]
    share = (await api.http.post(f"/conversations/{conversation}/shares", json={})).json()["path"]
    upload = {"Content-Type": "application/octet-stream"}
    picture = await client.post(f"{PREFIX}/attachments?name=a.png", content=a_picture("PNG"), headers=upload)
    text = await client.post(f"{PREFIX}/attachments?name=a.html", content=b"<script>1</script>", headers=upload)

    for answer in (picture, text):
        require_safe(answer)
        assert answer.is_success, answer.text
    sandboxed = {
        f"{at}/export?format=html": "attachment",
        f"{at}/export?format=md": "attachment",
        f"{at}/export": "attachment",
        f"{at}/export?format=html&print=true": "inline",
        share: None,
    }
    for path, disposition in sandboxed.items():
        answer = await client.get(path)
        require_safe(answer)
        assert answer.status_code == 200, path
        assert "sandbox" in answer.headers["content-security-policy"], path
        assert "allow-same-origin" not in answer.headers["content-security-policy"], path
        assert (answer.headers.get("content-disposition") or "").partition(";")[0] == (disposition or ""), path
    for path in (f"{PREFIX}/pairs/{pair}/raw", f"{PREFIX}/runs/{run}", f"{at}/pairs", f"{PREFIX}/usage/calls"):
        require_safe(await client.get(path))
    require_safe(await client.get(f"{PREFIX}/runs/{run}/events", headers={"Accept": "text/event-stream"}))


# --- Who may ask


FOREIGN: Mapping[str, Mapping[str, str]] = {
    "another origin": {"Origin": "http://evil.example"},
    "no origin to be named": {"Origin": "null"},
    "another port of this machine": {"Origin": "http://localhost:3001"},
    "a picture of another site": {
        "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image",
    },
    "a script of another site": {
        "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script",
    },
    "a fetch of a site beside": {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
    "a frame of another site": {
        "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe",
    },
    "a rebound name": {"Host": "rebound.example:3000"},
}  # fmt: skip
FOLLOWED = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
OWN: Mapping[str, Mapping[str, str]] = {
    "a program": {},
    "the page": {
        "Origin": ORIGIN,
        "Sec-Fetch-Site": "same-origin",
        "Sec-Fetch-Mode": "cors",
        "Sec-Fetch-Dest": "empty",
    },
    "a typed address": {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"},
}


@pytest.mark.parametrize("who", FOREIGN)
async def test_another_site_gets_nothing_and_changes_nothing(client: httpx2.AsyncClient, who: str) -> None:
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        body: dict[str, Any] = {} if method == "GET" else {"json": {"title": "Planted"}}
        answer = await client.request(method, f"{PREFIX}/conversations", headers=FOREIGN[who], **body)

        assert answer.status_code == 403, method
        require_safe(answer)
    assert (await client.get(f"{PREFIX}/conversations")).json()["items"] == []


@pytest.mark.parametrize("who", OWN)
async def test_page_and_programs_may_change_things(client: httpx2.AsyncClient, who: str) -> None:
    answer = await client.post(f"{PREFIX}/conversations", json={"title": "Plans"}, headers=OWN[who])

    assert answer.status_code == 201


async def test_a_link_on_another_site_may_be_followed_and_its_form_may_not_be_posted(
    client: httpx2.AsyncClient,
) -> None:
    assert (await client.get("/", headers=FOLLOWED)).status_code == 200
    assert (await client.post(f"{PREFIX}/conversations", json={}, headers=FOLLOWED)).status_code == 403
