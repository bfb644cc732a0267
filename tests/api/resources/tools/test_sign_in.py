"""Signing in to MCP servers over HTTP: the SDK's own authorization server, and browsers that return or do not."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from mcp.server.auth.routes import build_metadata
from mcp.shared.auth import OAuthClientInformationFull, OAuthMetadata
from pydantic import AnyUrl
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from app.domain.conversation.parts import Text
from app.domain.tools.tools import Caller, ToolFailedError
from app.runs.app_context import AppContext
from app.runs.sign_in import sign_in_commands
from app.runs.tools.server_commands import session_of
from app.store.tools.mcp_servers import StoredServer
from app.tools.mcp.sessions import Health
from app.tools.sign_in import oauth_flow, sign_ins
from tests.api.served import Api, serve, serve_api
from tests.runs.clock import HANG_SECONDS, LoopClock
from tests.tools.protected import Protected, a_protected_server
from tests.tools.servers import ignore
from tests.waiting import until

CALLBACK = "/mcp-servers/oauth/callback"


@pytest.fixture
async def server() -> AsyncGenerator[Protected]:
    async with a_protected_server() as protected:
        yield protected


async def add(api: Api, url: str, **fields: Any) -> str:
    """Add a server at this URL and return its path."""
    body = {"name": "calendar", "kind": "http", "url": url, "allow_private": True, **fields}
    made = await api.http.post("/mcp-servers", json=body)
    assert made.status_code == 201, made.text
    return made.headers["location"].removeprefix("/api/v1")


async def sign_in(api: Api, path: str) -> httpx2.Response:
    """Sign in as a browser would and return the final page."""
    begun = await api.http.post(f"{path}/sign-in")
    assert begun.status_code == 200, begun.text
    async with httpx2.AsyncClient(follow_redirects=True) as browser:
        return await browser.get(begun.json()["url"])


async def look(api: Api, path: str) -> Any:
    return (await api.http.post(f"{path}/test")).json()


async def greet(api: Api) -> str:
    tool = api.ctx.toolbox.find("local", "calendar__greet")
    assert tool is not None
    outcome = await api.ctx.toolbox.call(tool, {"name": "Ada"}, caller=Caller("local"), progress=ignore, timeout=20)
    (text,) = outcome.content
    assert isinstance(text, Text)
    return text.text


async def test_signed_in_user_has_the_tools_and_has_them_after_a_restart(
    tmp_path: Path, server: Protected, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    seen: list[str] = []
    async with serve_api(tmp_path) as api:
        path = await add(api, server.url)
        before = await look(api, path)
        page = await sign_in(api, path)
        after = await look(api, path)
        answer = await greet(api)
        seen += [page.text, str(after), (await api.http.get(f"{path}/log")).text]
    async with serve_api(tmp_path) as api:
        restarted = await look(api, path)
        again = await greet(api)
        seen += [str(restarted), (await api.http.get("/mcp-servers")).text]

    assert (before["health"], before["signed_in"], before["tools"]) == ("sign_in", False, [])
    assert (page.status_code, "Signed in to “calendar”" in page.text) == (200, True)
    assert (after["health"], after["signed_in"], after["signing_in"]) == ("ready", True, False)
    assert answer == again == "Hello, Ada."
    assert (restarted["health"], restarted["signed_in"]) == ("ready", True)
    (client,) = server.clients.values()
    assert client.client_name == "Inview"
    assert str((client.redirect_uris or [""])[0]).endswith(f"/api/v1{CALLBACK}")
    row = repr(sqlite3.connect(tmp_path / "inview.db").execute("SELECT * FROM mcp_server").fetchall())
    assert len(server.secrets) >= 5
    # The browser and the authorization server run in this process as well, and log the data that they receive.
    logged = [one for one in caplog.records if not one.name.startswith(("httpx2", "httpcore2", "mcp.server"))]
    told = "\n".join([*seen, row, *(f"{one.getMessage()} {one.exc_text}" for one in logged)])
    for secret in server.secrets:
        assert secret not in told


@pytest.mark.parametrize("clock", [True, False], ids=["the clock says so", "the server says so"])
async def test_what_has_expired_is_renewed_and_kept(
    tmp_path: Path, server: Protected, monkeypatch: pytest.MonkeyPatch, clock: bool
) -> None:
    async with serve_api(tmp_path) as api:
        path = await add(api, server.url)
        await sign_in(api, path)
        await look(api, path)
        if clock:
            later = SimpleNamespace(time=lambda: time.time() + (0 if server.renewed else 2 * server.seconds))
            monkeypatch.setattr("mcp.client.auth.oauth2.time", later)
        else:
            server.access.clear()
        assert await greet(api) == "Hello, Ada."
    async with serve_api(tmp_path) as api:
        assert await greet(api) == "Hello, Ada."

    assert server.renewed == 1
    assert len(server.clients) == 1


async def test_expired_sign_in_that_cannot_be_renewed_requires_a_new_one(api: Api, server: Protected) -> None:
    path = await add(api, server.url)
    await sign_in(api, path)
    await look(api, path)
    server.access.clear()
    server.renews = False

    with pytest.raises(ToolFailedError, match="requires a sign-in") as caught:
        await greet(api)
    with pytest.raises(ToolFailedError, match="requires a sign-in"):
        await greet(api)

    assert "Settings → Tools" in str(caught.value.next_step)
    assert (await look(api, path))["health"] == "sign_in"
    server.renews = True
    assert (await sign_in(api, path)).status_code == 200
    assert await greet(api) == "Hello, Ada."


async def test_check_of_a_server_with_a_revoked_sign_in_reports_it_at_once(api: Api, server: Protected) -> None:
    path = await add(api, server.url)
    await sign_in(api, path)
    session = session_of(api.ctx, "local", path.rpartition("/")[2])
    assert session is not None
    await until(lambda: session.health is Health.READY)  # a request for it to settle would hurry it
    server.access.clear()
    server.renews = False

    async with asyncio.timeout(HANG_SECONDS):
        await session.look(timeout=3600)

    assert (session.health, session.problem) == (Health.SIGN_IN, "The server requires a sign-in")


async def test_sign_in_is_under_way_until_its_server_connects(
    api: Api, server: Protected, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page reads servers again while one is in progress: in between it would stop."""
    path = await add(api, server.url)
    await look(api, path)
    connect, seen = sign_in_commands.have_server, list[bool]()

    async def watched(ctx: AppContext, stored: StoredServer) -> None:
        seen.append((await api.http.get(path)).json()["signing_in"])
        await connect(ctx, stored)

    monkeypatch.setattr(sign_in_commands, "have_server", watched)
    await sign_in(api, path)
    after = (await api.http.get(path)).json()

    assert seen == [True]
    assert (after["signing_in"], after["health"] in {"starting", "ready"}) == (False, True)


async def test_denied_sign_in_is_reported_and_not_completed(api: Api, server: Protected) -> None:
    server.denies = True
    path = await add(api, server.url)
    page = await sign_in(api, path)
    seen = (await api.http.get(path)).json()

    assert (page.status_code, "Access was denied." in page.text) == (400, True)
    assert (seen["health"], seen["signed_in"], seen["signing_in"]) == ("sign_in", False, False)
    assert seen["problem"] == "The sign-in failed. Access was denied"


async def test_state_that_is_forged_or_was_used_already_is_refused(api: Api, server: Protected) -> None:
    path = await add(api, server.url)
    url = (await api.http.post(f"{path}/sign-in")).json()["url"]
    forged = await api.http.get(CALLBACK, params={"code": "c", "state": "forged"})
    none = await api.http.get(CALLBACK)
    still = (await api.http.get(path)).json()["signing_in"]
    async with httpx2.AsyncClient() as browser:
        back = (await browser.get(url)).headers["location"]
        first, second = await browser.get(back), await browser.get(back)

    assert [page.status_code for page in (forged, none, first, second)] == [400, 400, 200, 400]
    assert still is True
    assert "Unknown sign-in" in forged.text
    assert "script" not in forged.text
    assert forged.headers["content-security-policy"].startswith("default-src 'none'")


async def test_name_and_words_on_the_page_are_text(api: Api, server: Protected) -> None:
    path = await add(api, server.url)
    url: str = (await api.http.post(f"{path}/sign-in")).json()["url"]
    (state,) = parse_qs(urlsplit(url).query)["state"]
    page = await api.http.get(CALLBACK, params={"state": state, "error": "x", "error_description": "<b>bold</b>"})
    assert "The authorization server refused: x: &lt;b&gt;bold&lt;/b&gt;." in page.text


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"registers": False}, "does not register Inview (status 400: unapproved_software_statement Only programs"),
        ({"gives_tokens": False}, "The token endpoint returned no token (status 400: invalid_grant)"),
    ],
    ids=["registration", "token"],
)
async def test_authorization_server_that_refuses_is_quoted(
    api: Api, server: Protected, how: dict[str, bool], words: str
) -> None:
    vars(server).update(how)
    path = await add(api, server.url)
    if "gives_tokens" in how:
        page = await sign_in(api, path)
        assert (page.status_code, words in page.text) == (400, True)
        assert not any(secret in page.text for secret in server.secrets)
    else:
        begun = await api.http.post(f"{path}/sign-in")
        assert (begun.status_code, words in begun.json()["detail"]) == (409, True)
    assert words in (await api.http.get(path)).json()["problem"]


async def sign_in_with_a_server_that_drips(
    api: Api, server: Protected, path: str, monkeypatch: pytest.MonkeyPatch
) -> httpx2.Response:
    """Sign in, and let the time for the tokens pass while an answer of the server arrives very slowly."""
    started = await api.http.post(f"{path}/sign-in")
    over = asyncio.Event()
    async with httpx2.AsyncClient(follow_redirects=True, timeout=None) as browser:
        page = asyncio.create_task(browser.get(started.json()["url"]))
        page.add_done_callback(lambda _: over.set())
        await server.dripping.wait()
        await LoopClock.at_work(monkeypatch).move_until(over, sign_ins.TOKEN_SECONDS)
        return await page


async def test_authorization_server_whose_token_answer_drips_is_named_as_what_took_too_long(
    api: Api, server: Protected, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.drips = "/token"
    path = await add(api, server.url)
    page = await sign_in_with_a_server_that_drips(api, server, path, monkeypatch)
    seen = (await api.http.get(path)).json()

    words = "The authorization server did not respond within 60 seconds. Sign in again."
    assert (page.status_code, words in page.text) == (400, True), page.text
    assert "The sign-in was not completed" not in page.text
    assert (words in seen["problem"], seen["signed_in"], seen["signing_in"]) == (True, False, False)


async def test_sign_in_holds_though_the_server_answers_its_first_request_too_slowly(
    api: Api, server: Protected, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.drips = "/mcp"
    path = await add(api, server.url)
    page = await sign_in_with_a_server_that_drips(api, server, path, monkeypatch)

    assert (page.status_code, (await api.http.get(path)).json()["signed_in"]) == (200, True), page.text


@pytest.mark.parametrize("proof", ["client_secret_basic", "client_secret_post", "none"])
async def test_client_registered_by_hand_is_used_and_renewed(
    tmp_path: Path, proof: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(*arguments: Any, **named: Any) -> OAuthMetadata:
        return build_metadata(*arguments, **named).model_copy(update={"token_endpoint_auth_methods_supported": [proof]})

    monkeypatch.setattr("mcp.server.auth.routes.build_metadata", build)
    secret = None if proof == "none" else "a-secret-of-ours"
    async with a_protected_server(registers=False) as server, serve_api(tmp_path) as api:
        back = (await api.http.get("/mcp-servers")).json()["redirect_uri"]
        server.clients["inview"] = OAuthClientInformationFull(
            client_id="inview",
            client_secret=secret,
            redirect_uris=[AnyUrl(back)],
            token_endpoint_auth_method=proof,
        )
        path = await add(api, server.url, client_id="inview", client_secret=secret)
        page = await sign_in(api, path)
        await look(api, path)
        server.access.clear()
        greeting = await greet(api)
        seen = await look(api, path)
        same = (await api.http.patch(path, json={"client_id": "inview", "timeout": 30})).json()
        changed = (await api.http.patch(path, json={"client_id": None})).json()

        assert page.status_code == 200, page.text
        assert (greeting, server.renewed, list(server.clients)) == ("Hello, Ada.", 1, ["inview"])
    assert (seen["client_id"], seen["has_client_secret"], seen["secret_names"]) == ("inview", bool(secret), [])
    assert (same["client_id"], same["has_client_secret"], same["signed_in"]) == ("inview", bool(secret), True)
    assert (changed["client_id"], changed["has_client_secret"], changed["signed_in"]) == (None, False, False)
    row = repr(sqlite3.connect(tmp_path / "inview.db").execute("SELECT * FROM mcp_server").fetchall())
    assert secret is None or secret not in f"{seen} {row}"


async def test_secret_without_its_client_is_refused(api: Api) -> None:
    body = {"name": "calendar", "kind": "http", "url": "https://example.org/mcp", "client_secret": "s3cret"}
    refused = await api.http.post("/mcp-servers", json=body)
    program = {"name": "files", "kind": "stdio", "command": "npx", "client_id": "inview"}
    no_client = await api.http.post("/mcp-servers", json=program)

    assert (refused.status_code, "needs a client ID" in refused.text, "s3cret" in refused.text) == (422, True, False)
    assert (no_client.status_code, "a program has no sign-in" in no_client.text) == (422, True)


async def test_signing_out_forgets_and_so_does_another_address(api: Api, tmp_path: Path, server: Protected) -> None:
    def kept() -> bool:
        ((sealed,),) = sqlite3.connect(tmp_path / "inview.db").execute("SELECT sealed_tokens FROM mcp_server")
        return sealed is not None

    path = await add(api, server.url)
    await sign_in(api, path)
    assert kept()
    out = await api.http.delete(f"{path}/sign-in")
    assert (out.status_code, kept(), (await look(api, path))["health"]) == (204, False, "sign_in")
    assert (await api.http.delete(f"{path}/sign-in")).status_code == 204
    await sign_in(api, path)
    assert kept()
    moved = (await api.http.patch(path, json={"url": f"{server.url}/"})).json()
    assert (moved["signed_in"], kept()) == (False, False)


async def test_sign_in_that_is_called_off_or_overtaken_or_too_late_is_over(
    api: Api, server: Protected, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def begin() -> str:
        url = (await api.http.post(f"{path}/sign-in")).json()["url"]
        async with httpx2.AsyncClient() as browser:
            return (await browser.get(url)).headers["location"]

    path = await add(api, server.url)
    called_off = await begin()
    await api.http.delete(f"{path}/sign-in")
    overtaken, good = await begin(), await begin()
    assert (await api.http.get(called_off)).status_code == 400
    assert (await api.http.get(overtaken)).status_code == 400
    assert (await api.http.get(good)).status_code == 200
    monkeypatch.setattr(oauth_flow, "SIGN_IN_SECONDS", 0.0)
    late = await api.http.post(f"{path}/sign-in")
    assert (late.status_code, "The sign-in was not completed within" in late.json()["detail"]) == (409, True)


async def test_server_without_a_sign_in_is_refused_with_the_reason(api: Api, server: Protected) -> None:
    with_header = await add(api, server.url, secrets={"Authorization": "Bearer x"})
    program = {"name": "lab", "kind": "stdio", "command": "true", "enabled": False}
    stdio = (await api.http.post("/mcp-servers", json=program)).json()["id"]
    nobody = await add(api, f"http://{api.host}/api/v1/health", name="open")

    whys = {
        with_header: "has an Authorization header",
        f"/mcp-servers/{stdio}": "is a program",
        nobody: "failed. ",
    }
    for path, words in whys.items():
        refused = await api.http.post(f"{path}/sign-in")
        assert (refused.status_code, words in refused.json()["detail"]) == (409, True), refused.text
    assert (await api.http.post("/mcp-servers/none/sign-in")).status_code == 404
    assert (await api.http.delete("/mcp-servers/none/sign-in")).status_code == 404
    assert (await look(api, with_header))["health"] == "waiting"


@pytest.mark.parametrize(
    ("metadata", "page", "words"),
    [
        ("https://169.254.169.254/latest", "", "to which Inview never connects"),
        ("http://192.0.2.1/metadata", "", "which is not encrypted"),
        ("", "http://example.org/authorize", "Inview does not open the address"),
    ],
    ids=["a cloud's secrets", "an open line", "an open page"],
)
async def test_metadata_lead_to_no_address_that_is_refused(api: Api, metadata: str, page: str, words: str) -> None:
    async def liar(scope: Scope, receive: Receive, send: Send) -> None:
        asked = Request(scope).url
        origin = f"{asked.scheme}://{asked.netloc}"
        response: Response
        match asked.path:
            case "/mcp":
                leads = f'Bearer resource_metadata="{metadata or origin + "/resource"}"'
                response = Response(status_code=401, headers={"WWW-Authenticate": leads})
            case "/resource":
                response = JSONResponse({"resource": f"{origin}/mcp", "authorization_servers": [origin]})
            case "/.well-known/oauth-authorization-server":
                response = JSONResponse(
                    {
                        "issuer": origin, "authorization_endpoint": page, "token_endpoint": f"{origin}/token",
                        "registration_endpoint": f"{origin}/register", "response_types_supported": ["code"],
                    }
                )  # fmt: skip
            case "/register":
                response = JSONResponse({"client_id": "c", "redirect_uris": ["http://127.0.0.1/"]}, 201)
            case _:
                response = Response(status_code=404)
        await response(scope, receive, send)

    async with serve(liar) as lying:
        path = await add(api, f"http://{lying.host}/mcp")
        refused = await api.http.post(f"{path}/sign-in")

        assert refused.status_code == 409, refused.text
        assert words in refused.json()["detail"]
        await api.http.delete(path)


async def test_private_address_is_not_signed_in_to_unless_allowed(api: Api, server: Protected) -> None:
    path = await add(api, server.url, allow_private=False)
    refused = await api.http.post(f"{path}/sign-in")

    assert (refused.status_code, "private network" in refused.json()["detail"]) == (409, True)
