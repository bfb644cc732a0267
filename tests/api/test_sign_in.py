"""Accounts over HTTP: nothing is served without a session but what says so here, and a revoked one ends its streams."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from reflex_base.constants.event import SocketEvent
from starlette.types import Receive, Scope, Send
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from app.api.http.ended_session import RELOAD
from app.api.http.rate_limit import PROBES
from app.api.http.sign_in_gate import COOKIE, ENDED, NO_OWNER, PERSON_COOKIE, SIGN_IN, SignInGate
from app.api.resources.people import forms
from app.domain.people.people import Role
from app.runs.people import sessions
from app.runs.people.throttle import MAX_PER_ACCOUNT, Throttle
from app.runs.people.welcome import first_link, invite
from app.runs.send.commands import LOCAL_OWNER
from tests.api.served import Api, api_document, serve_api

PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def throttle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_throttle", Throttle())


@pytest.fixture
async def api(tmp_path: Path) -> AsyncGenerator[Api]:
    async with serve_api(tmp_path, INVIEW_ACCOUNTS="on") as served:
        yield served


def browser(api: Api) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(base_url=f"http://{api.host}", timeout=20)


async def become(api: Api, http: httpx2.AsyncClient, path: str, name: str) -> None:
    typed = {"name": name, "email": f"{name}@example.org", "password": PASSWORD}
    answer = await http.post(path, data=typed)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert http.cookies[COOKIE]


async def own(api: Api, http: httpx2.AsyncClient) -> None:
    path = await first_link(api.wb)
    assert path is not None
    await become(api, http, path, "ann")


async def join(api: Api, http: httpx2.AsyncClient) -> None:
    await become(api, http, await invite(api.wb.store, Role.MEMBER), "ben")


async def sign_in(http: httpx2.AsyncClient, email: str, password: str) -> httpx2.Response:
    return await http.post("/sign-in", data={"email": email, "password": password})


async def test_before_there_is_an_owner_only_the_link_of_the_first_start_opens_anything(api: Api) -> None:
    async with browser(api) as http:
        for path in ("/", "/sign-in", "/api/v1/conversations", "/s/x", "/assets/x.js", "/_event/?EIO=4"):
            answer = await http.get(path)
            assert (answer.status_code, answer.text) == (403, NO_OWNER), path
        for path in PROBES:  # what runs Inview decides by them whether anybody gets to that link
            assert (await http.get(path)).status_code == 200, path
        assert (await http.get("/welcome?key=wrong")).status_code == 404
        await own(api, http)
        assert (await http.get("/api/v1/conversations")).status_code == 200
    assert await first_link(api.wb) is None


async def test_a_link_works_once(api: Api) -> None:
    path = await first_link(api.wb)
    assert path is not None
    async with browser(api) as http, browser(api) as other:
        await become(api, http, path, "ann")
        assert (await other.get(path)).status_code == 404
        assert (await other.post(path, data={"name": "x", "email": "x@y", "password": PASSWORD})).status_code == 404


async def test_a_new_link_of_the_first_start_replaces_the_one_before(api: Api) -> None:
    before, after = await first_link(api.wb), await first_link(api.wb)
    assert before is not None
    assert after is not None
    async with browser(api) as http:
        assert (await http.get(before)).status_code == 404
        assert (await http.get(after)).status_code == 200


async def test_the_first_owner_has_what_the_local_owner_had(api: Api) -> None:
    async with browser(api) as http:
        await own(api, http)
        made = await http.post("/api/v1/conversations", json={"model": "offline:demo"})
    async with api.wb.store.read() as session:
        from app.store.conversation.conversations import load_conversation  # noqa: PLC0415 - only here

        assert (await load_conversation(session, LOCAL_OWNER, made.json()["id"])).id == made.json()["id"]


async def test_the_cookie_is_for_the_server_alone(api: Api) -> None:
    path = await first_link(api.wb)
    assert path is not None
    async with browser(api) as http:
        answer = await http.post(path, data={"name": "ann", "email": "ann@example.org", "password": PASSWORD})
        cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "secure" not in cookie  # over plain http a browser would not send it back


async def test_behind_https_the_cookie_is_secure(tmp_path: Path) -> None:
    public = "https://chat.example.org"
    async with serve_api(tmp_path, INVIEW_ACCOUNTS="on", INVIEW_PUBLIC_URL=public) as api, browser(api) as http:
        path = await first_link(api.wb)
        assert path is not None
        answer = await http.post(path, data={"name": "ann", "email": "ann@example.org", "password": PASSWORD})
        assert "secure" in answer.headers["set-cookie"].lower()


async def test_signing_in_and_out(api: Api) -> None:
    async with browser(api) as http:
        await own(api, http)
        token = http.cookies[COOKIE]
        assert '<form method="post">' in (await http.get("/sign-out")).text
        assert (await http.get("/api/v1/conversations")).status_code == 200
        assert (await http.post("/sign-out")).status_code == 303
        http.cookies.set(COOKIE, token)
        assert (await http.get("/api/v1/conversations")).status_code == 401
        http.cookies.clear()
        assert (await sign_in(http, " Ann@Example.org", PASSWORD)).status_code == 303
        assert (await http.get("/api/v1/conversations")).status_code == 200


async def test_a_wrong_password_and_an_unknown_address_get_the_same_answer(api: Api) -> None:
    async with browser(api) as http, browser(api) as other:
        await own(api, http)
        wrong = await sign_in(other, "ann@example.org", "wrong password")
        unknown = await sign_in(other, "nob@example.org", "wrong password")
    assert wrong.status_code == unknown.status_code == 403
    assert wrong.text == unknown.text.replace("nob@", "ann@")
    assert COOKIE not in other.cookies


async def test_after_some_failed_attempts_even_the_right_password_has_to_wait(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(_password: str, _hash: str, _rank: int) -> bool:
        return False

    async with browser(api) as http, browser(api) as other:
        await own(api, http)
        with monkeypatch.context() as patch:
            patch.setattr(sessions, "is_password", never)
            answers = await asyncio.gather(
                *(sign_in(other, "ann@example.org", "wrong password") for _ in range(MAX_PER_ACCOUNT + 5))
            )
        assert sorted(answer.status_code for answer in answers) == [403] * MAX_PER_ACCOUNT + [429] * 5
        assert (await sign_in(other, "ann@example.org", PASSWORD)).status_code == 429
        assert (await http.get("/api/v1/conversations")).status_code == 200


async def test_an_attempt_too_many_waits_for_its_refusal_while_others_go_on(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forms, "HOLD_SECONDS", 0.3)
    monkeypatch.setattr(sessions, "_throttle", throttle := Throttle())
    for _ in range(MAX_PER_ACCOUNT):
        throttle.note("ann@example.org", "elsewhere")
    async with browser(api) as http, browser(api) as other:
        await own(api, http)
        held = asyncio.create_task(sign_in(other, "ann@example.org", PASSWORD))
        began = time.monotonic()
        await asyncio.sleep(0.05)
        assert (await http.get("/api/v1/conversations")).status_code == 200
        assert not held.done()
        assert (await held).status_code == 429
        assert time.monotonic() - began >= 0.3

        monkeypatch.setattr(forms, "HOLD_SECONDS", 60.0)
        monkeypatch.setattr(forms, "_held", asyncio.Semaphore(0))
        async with asyncio.timeout(10):
            assert (await sign_in(other, "ann@example.org", PASSWORD)).status_code == 429


@pytest.mark.parametrize(
    ("typed", "status"),
    [
        ({"name": "", "email": "a@b", "password": PASSWORD}, 422),
        ({"name": "x", "email": "ab", "password": PASSWORD}, 422),
        ({"name": "x", "email": "a@b", "password": "short"}, 422),
        ({"name": "x", "email": "ANN@example.org", "password": PASSWORD}, 409),
        ({}, 422),
    ],
)
async def test_what_cannot_be_used_is_said_on_the_page_and_the_link_stays(
    api: Api, typed: dict[str, str], status: int
) -> None:
    async with browser(api) as http, browser(api) as other:
        await own(api, http)
        path = await invite(api.wb.store, Role.MEMBER)
        answer = await other.post(path, data=typed)
        assert answer.status_code == status
        assert '<p role="alert">' in answer.text
        assert PASSWORD not in answer.text
        assert (await other.get(path)).status_code == 200


async def test_a_reset_sets_the_password_and_ends_the_other_sessions(api: Api) -> None:
    async with browser(api) as http, browser(api) as other:
        await own(api, http)
        path = await invite(api.wb.store, Role.OWNER, LOCAL_OWNER)
        assert (await other.post(path, data={"password": "another password"})).status_code == 303
        assert (await http.get("/api/v1/conversations")).status_code == 401
        http.cookies.clear()
        assert (await sign_in(http, "ann@example.org", PASSWORD)).status_code == 403
        assert (await sign_in(http, "ann@example.org", "another password")).status_code == 303


def operations() -> list[tuple[str, str]]:
    """Every operation of the API but the probes, as the API itself describes them."""
    paths: dict[str, dict[str, Any]] = api_document()["paths"]
    return [
        (method.upper(), re.sub(r"\{[^}]*\}", "x", path))
        for path, methods in paths.items()
        for method in methods
        if path not in PROBES
    ]


async def test_no_operation_answers_without_a_valid_session(api: Api) -> None:
    asked = [*operations(), ("GET", "/api/v1/docs"), ("GET", "/api/v1/openapi.json"), ("GET", "/api/x")]
    asked += [("POST", "/v1/chat/completions"), ("POST", "/v1/messages"), ("GET", "/v1/models")]
    assert len(asked) > 100
    async with browser(api) as http, browser(api) as revoked:
        await own(api, http)
        await own_session_revoked(api, http, revoked)
        forged = httpx2.AsyncClient(base_url=f"http://{api.host}", headers={"x-inview-session": "x"})
        async with forged:
            for method, path in asked:
                for client in (revoked, forged):
                    answer = await client.request(method, path)
                    assert answer.status_code == 401, (method, path)
                    said = answer.json()
                    told = said["error"]["code"] if path.startswith("/v1/") else said["type"].rpartition(":")[2]
                    assert told.replace("_", "-") == "sign-in-needed", (method, path)


async def own_session_revoked(api: Api, http: httpx2.AsyncClient, revoked: httpx2.AsyncClient) -> None:
    assert (await sign_in(revoked, "ann@example.org", PASSWORD)).status_code == 303
    token = revoked.cookies[COOKIE]
    assert (await revoked.post("/sign-out")).status_code == 303
    revoked.cookies.set(COOKIE, token)


async def test_a_page_without_a_session_is_sent_to_sign_in(api: Api) -> None:
    async with browser(api) as http, browser(api) as other:
        await own(api, http)
        answer = await other.get("/c/x")
        assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
        assert (await other.get("/sign-in")).status_code == 200


async def test_one_person_finds_nothing_of_another(api: Api) -> None:
    async with browser(api) as ann, browser(api) as ben:
        await own(api, ann)
        await join(api, ben)
        made = (await ann.post("/api/v1/conversations", json={"model": "offline:demo", "title": "Secret"})).json()
        path = f"/api/v1/conversations/{made['id']}"
        assert (await ann.get(path)).status_code == 200
        for method in ("GET", "PATCH", "DELETE"):
            answer = await ben.request(method, path, json={"title": "x"} if method == "PATCH" else None)
            assert answer.status_code == 404
        assert (await ben.get("/api/v1/conversations")).json()["items"] == []
        assert (await ann.get(path)).json()["title"] == "Secret"


async def test_a_revoked_session_ends_its_open_stream_within_a_second(api: Api) -> None:
    ended = asyncio.Event()

    async def endless(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with browser(api) as http:
        await own(api, http)
        token = http.cookies[COOKIE]
    scope: Scope = {
        "type": "http",
        "method": "GET",
        "path": "/api/v1/x",
        "headers": [(b"cookie", f"{COOKIE}={token}".encode())],
    }
    found = await sessions.find_session(api.wb, token)
    assert found is not None
    serving = asyncio.create_task(SignInGate(endless)(scope, _never, _never))
    await asyncio.sleep(0.1)
    assert not ended.is_set()
    await sessions.revoke(api.wb, found.session_id)
    await asyncio.wait_for(serving, 1.0)
    assert ended.is_set()


async def _never(*_: Any) -> Any:
    raise AssertionError


async def test_a_page_that_connects_again_without_a_session_is_told_to_load_itself_anew(api: Api) -> None:
    async with browser(api) as http:
        await own(api, http)
    url, offered = f"ws://{api.host}/_event/?EIO=4&transport=websocket&token=T", [Subprotocol("0.10.1")]
    async with connect(url, subprotocols=offered) as socket:
        assert socket.subprotocol == offered[0]  # else browsers refuse the answer
        assert str(await socket.recv()).startswith("0{")
        await socket.send("40/_event,{}")
        assert str(await socket.recv()).startswith("40/_event,")
        assert await socket.recv() == RELOAD
        with pytest.raises(ConnectionClosed):
            await socket.recv()
        assert socket.close_code == 1008
    assert json.loads(RELOAD.partition(",")[2])[0] == str(SocketEvent.STATE_MISMATCH)


@pytest.mark.parametrize("said", ["2probe", '42/_event,["event",{"name":"x"}]', "40,{}"])
async def test_a_socket_without_a_session_answers_nothing_else(api: Api, said: str) -> None:
    async with browser(api) as http:
        await own(api, http)
    async with connect(f"ws://{api.host}/_event/?EIO=4&transport=websocket&token=T") as socket:
        await socket.recv()
        await socket.send(said)
        with pytest.raises(ConnectionClosed):
            await socket.recv()


async def test_a_browser_whose_session_ended_is_told_and_pages_mark_whose_drafts_they_show(api: Api) -> None:
    async with browser(api) as http, browser(api) as other:
        await own(api, http)
        await join(api, other)
        for one in (http, other):
            await one.get("/sign-out")  # any page
        marks = {one.cookies[PERSON_COOKIE] for one in (http, other)}
        assert len(marks) == 2
        assert "set-cookie" not in (await http.get("/sign-out")).headers
        assert "set-cookie" not in (await http.get("/api/v1/conversations")).headers
        await http.post("/sign-out")
        http.cookies.set(COOKIE, "over")
        led = await http.get("/trash")
        assert led.headers["location"] == f"{SIGN_IN}?{ENDED}"
        shown = await http.get(led.headers["location"])
        assert "Your session has ended." in shown.text
        assert 'inview_session=""' in shown.headers["set-cookie"]
        assert "Your session" not in (await http.get(SIGN_IN)).text


async def test_two_persons_at_one_tab_have_states_of_their_own(api: Api) -> None:
    seen: list[str] = []

    async def socket(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope["query_string"].decode())

    async with browser(api) as ann, browser(api) as ben:
        await own(api, ann)
        await join(api, ben)
        for http in (ann, ben, ann):
            headers = [(b"cookie", f"{COOKIE}={http.cookies[COOKIE]}".encode())]
            scope: Scope = {
                "type": "websocket",
                "path": "/_event/",
                "headers": headers,
                "query_string": b"token=T&EIO=4",
            }
            await SignInGate(socket)(scope, _never, _never)

    assert len(seen) == 3
    assert seen[0] == seen[2] != seen[1]
    assert not any("token=T&" in query for query in seen)


async def test_signing_in_and_out_and_what_fails_is_in_the_audit_trail_that_members_cannot_read(api: Api) -> None:
    async with browser(api) as ann, browser(api) as ben, browser(api) as stranger:
        await own(api, ann)
        await join(api, ben)
        await sign_in(stranger, "ann@example.org", "a wrong password")
        await sign_in(stranger, "nobody@example.org", "a wrong password")
        await ben.post("/sign-out")
        await sign_in(ben, "ben@example.org", PASSWORD)

        assert (await ben.get("/api/v1/audit")).status_code == 403
        assert (await ben.get("/api/v1/audit/export")).status_code == 403
        said = await ann.get("/api/v1/audit")
    listed = sorted(said.json()["items"], key=lambda one: one["at"])
    assert "example.org" not in said.text
    done = [(one["action"], one["kind"]) for one in listed if one["action"] != "audit.read"]
    assert done == [
        ("person.invited", "invitation"),
        ("person.joined", "person"),
        ("session.signed_in", "session"),
        ("person.invited", "invitation"),
        ("person.joined", "person"),
        ("session.signed_in", "session"),
        ("session.failed", "person"),
        ("session.failed", "person"),
        ("session.signed_out", "session"),
        ("session.signed_in", "session"),
    ]
    assert [one["subject"] for one in listed if one["action"] == "session.failed"] == [LOCAL_OWNER, ""]
    assert {one["address"] for one in listed if one["action"].startswith("session")} == {"127.0.0.1"}
