"""API tokens over HTTP: what each scope opens, what none opens, and how a token ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from anthropic import AsyncAnthropic, AuthenticationError, PermissionDeniedError, RateLimitError
from openai import APIConnectionError, AsyncOpenAI
from openai import AuthenticationError as OpenAiAuthenticationError
from openai import PermissionDeniedError as OpenAiPermissionDeniedError
from openai import RateLimitError as OpenAiRateLimitError

from app.domain.people.people import Person, Role
from app.domain.people.tokens import PREFIX
from app.runs.people import tokens
from app.runs.people.tokens import NewToken, make_token, revoke_token
from app.runs.process.ids import now
from app.runs.send.commands import LOCAL_OWNER
from app.store.people.people import insert_person, set_disabled
from tests.api.served import Api, serve_api

HELLO: list[Any] = [{"role": "user", "content": "/echo Hello"}]


@pytest.fixture
async def api(tmp_path: Path) -> AsyncGenerator[Api]:
    async with serve_api(tmp_path, INVIEW_ACCOUNTS="on") as served:
        for name, role in ((LOCAL_OWNER, Role.OWNER), ("ben", Role.MEMBER)):
            person = Person(name, name, f"{name}@example.org", role, disabled=False, created_at=now())
            async with served.wb.store.write() as session:
                await insert_person(session, person, "")
        yield served


async def a_token(api: Api, *scopes: str, owner: str = LOCAL_OWNER, days: int | None = 1) -> str:
    return (await make_token(api.wb.store, owner, NewToken("nightly", scopes, days)))[1]


def bearer(text: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {text}"}


def openai_client(api: Api, text: str) -> AsyncOpenAI:
    return AsyncOpenAI(base_url=f"http://{api.host}/v1", api_key=text, max_retries=0, timeout=20)


def anthropic_client(api: Api, text: str) -> AsyncAnthropic:
    return AsyncAnthropic(base_url=f"http://{api.host}", api_key=text, max_retries=0, timeout=20)


async def test_official_clients_ask_with_a_token(api: Api):
    text = await a_token(api, "gateway")
    async with openai_client(api, text) as chat, anthropic_client(api, text) as claude:
        reply = await chat.chat.completions.create(model="offline:demo", messages=HELLO)
        message: Any = await claude.messages.create(model="offline:demo", max_tokens=50, messages=HELLO)

    assert reply.choices[0].message.content == "Hello"
    assert message.content[0].text == "Hello"


async def test_official_clients_read_why_a_token_is_refused(api: Api):
    made, revoked = await make_token(api.wb.store, LOCAL_OWNER, NewToken("old", ("gateway",)))
    await revoke_token(api.wb.store, LOCAL_OWNER, made.id)
    for text in ("unused", PREFIX + "nothing", revoked):
        async with openai_client(api, text) as chat, anthropic_client(api, text) as claude:
            with pytest.raises(OpenAiAuthenticationError):
                await chat.models.list()
            with pytest.raises(AuthenticationError):
                await claude.messages.create(model="offline:demo", max_tokens=50, messages=HELLO)

    reading = await a_token(api, "read")
    async with openai_client(api, reading) as chat, anthropic_client(api, reading) as claude:
        with pytest.raises(OpenAiPermissionDeniedError, match='lacks the scope "gateway"'):
            await chat.models.list()
        with pytest.raises(PermissionDeniedError, match='lacks the scope "gateway"'):
            await claude.models.list()


async def test_scope_decides_what_a_token_opens(api: Api):
    read, write = bearer(await a_token(api, "read")), bearer(await a_token(api, "write"))
    made = await api.http.post("/conversations", json={"model": "offline:demo"}, headers=write)
    assert made.status_code == 201
    at = f"/conversations/{made.json()['id']}"
    assert (await api.http.get(at, headers=read)).status_code == 200
    assert (await api.http.post(f"{at}/preview", json={"text": "Hi"}, headers=read)).status_code == 200

    refused = await api.http.post(f"{at}/send", json={"text": "Hi"}, headers=read)

    assert refused.status_code == 403
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["type"] == "urn:inview:problem:missing-scope"
    assert refused.json()["scope"] == "write"
    assert (await api.http.get(at, headers=write)).status_code == 403
    assert (await api.http.get("/mcp-servers", headers=read)).status_code == 200
    assert (await api.http.patch("/agents/x", json={}, headers=write)).json()["scope"] == "settings"


async def test_no_token_administers_tokens_or_opens_pages(api: Api):
    everything = await a_token(api, "read", "write", "settings", "gateway")
    for method, path in (("GET", "/tokens"), ("POST", "/tokens"), ("DELETE", "/tokens/x"), ("GET", "/nothing-yet")):
        refused = await api.http.request(method, path, headers=bearer(everything))
        assert (refused.status_code, refused.json()["type"]) == (403, "urn:inview:problem:forbidden"), path
    async with httpx2.AsyncClient(base_url=f"http://{api.host}") as http:
        for path in ("/", "/_event/?EIO=4&transport=polling", "/trash"):
            page = await http.get(path, headers=bearer(everything))
            assert (page.status_code, page.headers["location"]) == (303, "/sign-in"), path


async def test_vendors_header_opens_the_gateway_alone(api: Api):
    text = await a_token(api, "read", "gateway")

    assert (await api.http.get("/conversations", headers={"x-api-key": text})).status_code == 401


async def test_object_of_another_person_is_not_found(api: Api):
    anns, bens = bearer(await a_token(api, "read", "write")), bearer(await a_token(api, "read", "write", owner="ben"))
    made = await api.http.post("/conversations", json={"model": "offline:demo"}, headers=anns)

    assert (await api.http.get(f"/conversations/{made.json()['id']}", headers=bens)).status_code == 404
    assert (await api.http.get("/conversations", headers=bens)).json()["items"] == []


async def test_expired_token_says_since_when(api: Api, monkeypatch: pytest.MonkeyPatch):
    text = await a_token(api, "read")
    assert (await api.http.get("/conversations", headers=bearer(text))).status_code == 200
    later = now() + timedelta(days=2)
    monkeypatch.setattr(tokens, "now", lambda: later)

    refused = await api.http.get("/conversations", headers=bearer(text))

    assert (refused.status_code, refused.json()["type"]) == (401, "urn:inview:problem:invalid-token")
    assert f"expired on {(later - timedelta(days=1)):%Y-%m-%d}" in refused.json()["detail"]
    lasting = await a_token(api, "read", days=None)
    assert (await api.http.get("/conversations", headers=bearer(lasting))).status_code == 200


async def test_use_of_a_token_is_noted_and_its_text_is_not_stored(api: Api):
    text = await a_token(api, "read")
    await api.http.get("/conversations", headers=bearer(text))

    (listed,) = await tokens.list_tokens(api.wb.store, LOCAL_OWNER)

    assert listed.used_at is not None
    assert text not in repr(listed)
    assert text.endswith(listed.hint)


@pytest.mark.parametrize("how", ["revoked", "disabled"])
async def test_token_that_ends_ends_its_streams(api: Api, how: str):
    made, text = await make_token(api.wb.store, "ben", NewToken("n", ("gateway",)))
    async with openai_client(api, text) as chat:
        messages: Any = [{"role": "user", "content": "/rate 20 /long 100000"}]
        stream = await chat.chat.completions.create(model="offline:demo", messages=messages, stream=True)
        await anext(aiter(stream))

        if how == "revoked":
            await revoke_token(api.wb.store, "ben", made.id)
        else:
            async with api.wb.store.write() as session:
                await set_disabled(session, "ben", disabled=True)

        async with asyncio.timeout(10):
            with pytest.raises((APIConnectionError, httpx2.TransportError)):
                async for _ in stream:
                    pass
    assert (await api.http.get("/conversations", headers=bearer(text))).status_code == 401


async def test_without_accounts_a_token_limits_and_other_keys_are_ignored(tmp_path: Path):
    async with serve_api(tmp_path) as api:
        text = await a_token(api, "read")
        assert (await api.http.get("/conversations", headers=bearer("sk-other"))).status_code == 200
        assert (await api.http.get("/conversations", headers=bearer(text))).status_code == 200
        assert (await api.http.post("/conversations", json={}, headers=bearer(text))).status_code == 403
        assert (await api.http.get("/conversations", headers=bearer(PREFIX + "x"))).status_code == 401


async def test_tokens_are_made_listed_and_revoked_over_http(tmp_path: Path):
    async with serve_api(tmp_path) as api:
        made = await api.http.post("/tokens", json={"name": "ci", "scopes": ["write", "read"], "days": None})
        assert made.status_code == 201
        text, token_id = made.json()["token"], made.json()["id"]
        listed = await api.http.get("/tokens")
        assert text not in listed.text
        assert [(one["name"], one["scopes"], one["expires_at"]) for one in listed.json()["items"]] == [
            ("ci", ["read", "write"], None)
        ]
        assert (await api.http.post("/tokens", json={"name": "x", "scopes": ["read"], "days": 7.0})).status_code == 201
        assert (await api.http.delete(f"/tokens/{token_id}")).status_code == 204
        assert (await api.http.delete(f"/tokens/{token_id}")).status_code == 404
        assert (await api.http.get("/conversations", headers=bearer(text))).status_code == 401


async def test_flood_is_throttled_and_told_when_to_come_back(tmp_path: Path):
    limits = "token=3/hour; sends=1/hour"
    async with serve_api(tmp_path, INVIEW_RATE_LIMITS=limits) as api:
        head = bearer(await a_token(api, "read"))
        answers = [await api.http.get("/conversations", headers=head) for _ in range(5)]

        assert [one.status_code for one in answers] == [200, 200, 200, 429, 429]
        assert '"token";q=3;w=3600' in answers[0].headers["ratelimit-policy"]
        assert '"token";r=2;t=' in answers[0].headers["ratelimit"]
        assert answers[3].json()["type"] == "urn:inview:problem:too-many-requests"
        assert 0 < int(answers[3].headers["retry-after"]) <= 3600
        other = bearer(await a_token(api, "read"))
        assert (await api.http.get("/conversations", headers=other)).status_code == 200
        made = await api.http.post("/conversations", json={"model": "offline:demo"})
        send = f"/conversations/{made.json()['id']}/send"
        sent = [await api.http.post(send, json={"text": "/echo x"}) for _ in range(2)]
        assert [one.status_code for one in sent] == [200, 429]


async def test_throttled_clients_of_vendors_know_it(tmp_path: Path):
    async with serve_api(tmp_path, INVIEW_RATE_LIMITS="token=1/hour") as api:
        text = await a_token(api, "gateway")
        async with openai_client(api, text) as chat, anthropic_client(api, text) as claude:
            await chat.models.list()
            with pytest.raises(OpenAiRateLimitError) as refused:
                await chat.models.list()
            with pytest.raises(RateLimitError):
                await claude.models.list()
    assert int(refused.value.response.headers["retry-after"]) > 0


async def test_guessed_tokens_count_for_their_address(tmp_path: Path):
    async with serve_api(tmp_path, INVIEW_RATE_LIMITS="address=2/hour") as api:
        answers = [await api.http.get("/conversations", headers=bearer(f"{PREFIX}{n}")) for n in range(3)]

    assert [one.status_code for one in answers] == [401, 401, 429]
