"""Rate limits over HTTP: sends per minute and tokens per day, with the headers of the IETF draft."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.api.served import Api, serve_api
from tests.api.talk import AT_ONCE, answered, create_conversation, follow
from tests.waiting import until_found


async def try_to_send(api: Api, conversation_id: str) -> Any:
    body = {"text": "/long 1 /rate 0"}
    return await api.http.post(f"/conversations/{conversation_id}/send", json=body, headers=AT_ONCE)


async def title_of(api: Api, conversation_id: str) -> str:
    return (await api.http.get(f"/conversations/{conversation_id}")).json()["title"]


async def test_without_limits_no_response_has_their_headers(api: Api):
    answer = await try_to_send(api, await create_conversation(api))

    assert answer.status_code == 202
    assert not {"ratelimit", "ratelimit-policy", "retry-after"} & {name.lower() for name in answer.headers}


@pytest.mark.parametrize(
    ("preference", "scope", "who"),
    [
        ("conversation_minute_sends", "conversation", "This conversation can send 1 message per minute."),
        ("minute_sends", "person", "You can send 1 message per minute."),
        ("address_minute_sends", "address", "Your IP address can send 1 message per minute."),
    ],
)
async def test_a_send_beyond_the_limit_is_refused_with_the_wait(api: Api, preference: str, scope: str, who: str):
    await api.http.put("/preferences", json={preference: 1})
    conversation_id = await create_conversation(api)

    first = await try_to_send(api, conversation_id)
    await follow(api, first.json()["run_id"])
    second = await try_to_send(api, conversation_id)

    assert first.headers["RateLimit-Policy"] == second.headers["RateLimit-Policy"] == f'"{scope}";q=1;w=60'
    assert first.headers["RateLimit"].startswith(f'"{scope}";r=0;t=')
    problem = second.json()
    assert (second.status_code, problem["type"]) == (429, "urn:inview:problem:rate-limited")
    assert problem["detail"].startswith(who)
    assert second.headers["Retry-After"] == str(problem["retry_after"])
    assert 1 <= problem["retry_after"] <= 60
    pairs = (await api.http.get(f"/conversations/{conversation_id}/pairs")).json()["items"]
    assert len(pairs) == 1


async def test_the_limit_of_a_conversation_leaves_other_conversations_alone(api: Api):
    await api.http.put("/preferences", json={"conversation_minute_sends": 1})
    await answered(api, await create_conversation(api))

    await answered(api, await create_conversation(api))


async def test_a_resend_and_each_model_of_a_comparison_count_as_sends(api: Api):
    await api.http.put("/preferences", json={"minute_sends": 3})
    conversation_id = await create_conversation(api)
    pair = await answered(api, conversation_id)
    resent = await api.http.post(f"/pairs/{pair['id']}/resend", json={}, headers=AT_ONCE)
    await follow(api, resent.json()["run_id"])

    body = {"text": "Why?", "models": ["offline:demo", "offline:tiny"]}
    compared = await api.http.post(f"/conversations/{conversation_id}/compare", json=body)

    assert resent.headers["RateLimit"].startswith('"person";r=1;')
    assert (compared.status_code, compared.json()["type"]) == (429, "urn:inview:problem:rate-limited")


async def test_a_changed_limit_counts_the_sends_before_the_change(api: Api):
    conversation_id = await create_conversation(api)
    await api.http.put("/preferences", json={"minute_sends": 3})
    await answered(api, conversation_id)
    await answered(api, conversation_id)

    await api.http.put("/preferences", json={"minute_sends": 2})
    lower = await try_to_send(api, conversation_id)
    await api.http.put("/preferences", json={"minute_sends": 3})
    third = await try_to_send(api, conversation_id)
    await follow(api, third.json()["run_id"])
    fourth = await try_to_send(api, conversation_id)

    assert [one.status_code for one in (lower, third, fourth)] == [429, 202, 429]
    assert third.headers["RateLimit"].startswith('"person";r=0;')


async def test_a_send_that_is_refused_for_another_reason_does_not_count(api: Api):
    await api.http.put("/preferences", json={"minute_sends": 4})
    conversation_id = await create_conversation(api, model="offline:demo")
    pair = await answered(api, conversation_id)
    body = {"text": "/echo", "models": ["offline:demo", "offline:tiny"]}
    compared = await api.http.post(f"/conversations/{conversation_id}/compare", json=body)
    assert compared.status_code == 202

    resent = await api.http.post(f"/pairs/{pair['id']}/resend", json={}, headers=AT_ONCE)
    again = await api.http.post(f"/conversations/{conversation_id}/compare", json=body)
    refused = await try_to_send(api, conversation_id)
    queued = await api.http.post(f"/conversations/{conversation_id}/queue", json={"text": "/echo later"})
    other = await try_to_send(api, await create_conversation(api))

    assert [one.status_code for one in (resent, again, refused, queued)] == [409, 409, 409, 200]
    assert other.status_code == 202
    assert other.headers["RateLimit"].startswith('"person";r=0;')


async def test_a_conversation_that_used_the_tokens_of_its_day_is_refused_until_midnight(api: Api):
    conversation_id = await create_conversation(api)
    await answered(api, conversation_id)
    await api.http.put("/preferences", json={"conversation_day_tokens": 1})

    refused = await try_to_send(api, conversation_id)
    other = await try_to_send(api, await create_conversation(api))

    assert (refused.status_code, other.status_code) == (429, 202)
    assert refused.json()["detail"].startswith("This conversation can use 1 token per day, and ")
    assert 1 <= int(refused.headers["Retry-After"]) <= 86_400


async def test_limits_of_the_installation_apply_together_with_those_of_the_person(tmp_path: Path):
    limits = {"INVIEW_PERSON_LIMITS": "2 sends/minute", "INVIEW_ADDRESS_LIMITS": "5 sends/minute, 1 tokens/day"}
    async with serve_api(tmp_path, **limits) as api:
        await api.http.put("/preferences", json={"minute_sends": 9, "conversation_minute_sends": 7})
        conversation_id = await create_conversation(api)

        first = await try_to_send(api, conversation_id)

        assert first.headers["RateLimit-Policy"] == '"conversation";q=7;w=60, "person";q=2;w=60, "address";q=5;w=60'


async def test_tokens_of_an_address_count_when_its_reply_ends(tmp_path: Path):
    async with serve_api(tmp_path, INVIEW_ADDRESS_LIMITS="1 tokens/day") as api:
        await answered(api, await create_conversation(api))
        await until_found(lambda: api.ctx.rates.count_tokens("127.0.0.1"))  # the count follows the end of the reply

        refused = await try_to_send(api, await create_conversation(api))

        assert refused.status_code == 429
        assert refused.json()["detail"].startswith("Your IP address can use 1 token per day")


@pytest.mark.parametrize("path", ["title", "summarize"])
async def test_a_requested_title_or_summary_counts_as_a_send(api: Api, path: str):
    await api.http.put("/preferences", json={"minute_sends": 2})
    conversation_id = await create_conversation(api)
    await answered(api, conversation_id)

    first = await api.http.post(f"/conversations/{conversation_id}/{path}", json={}, headers=AT_ONCE)
    await follow(api, first.json()["run_id"])
    second = await api.http.post(f"/conversations/{conversation_id}/{path}", json={}, headers=AT_ONCE)

    assert (first.status_code, first.headers["RateLimit"][:12]) == (202, '"person";r=0')
    assert (second.status_code, second.json()["type"]) == (429, "urn:inview:problem:rate-limited")


async def test_the_automatic_title_does_not_count_as_a_send(tmp_path: Path):
    async with serve_api(tmp_path, INVIEW_TITLES="on") as api:
        await api.http.put("/preferences", json={"minute_sends": 2})
        conversation_id = await create_conversation(api)
        await answered(api, conversation_id)
        await until_found(lambda: title_of(api, conversation_id))

        second = await try_to_send(api, conversation_id)

        assert second.status_code == 202


async def test_a_proxy_names_the_address_of_its_client(api: Api):
    await api.http.put("/preferences", json={"address_minute_sends": 1})

    async def send_from(forwarded: str) -> int:
        headers = {**AT_ONCE, "X-Forwarded-For": forwarded}
        path = f"/conversations/{await create_conversation(api)}/send"
        return (await api.http.post(path, json={"text": "/echo"}, headers=headers)).status_code

    assert await send_from("203.0.113.7") == 202
    assert await send_from("203.0.113.8") == 202
    assert await send_from("198.51.100.1, 203.0.113.7") == 429


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have only the address 127.0.0.1")
async def test_a_client_that_is_no_proxy_cannot_choose_its_address(api: Api):
    await api.http.put("/preferences", json={"address_minute_sends": 1})
    transport = httpx2.AsyncHTTPTransport(local_address="127.0.0.2")
    statuses = list[int]()
    async with httpx2.AsyncClient(base_url=api.http.base_url, transport=transport) as stranger:
        for forwarded in ("203.0.113.7", "203.0.113.8"):
            path = f"/conversations/{await create_conversation(api)}/send"
            headers = {**AT_ONCE, "X-Forwarded-For": forwarded}
            statuses.append((await stranger.post(path, json={"text": "/echo"}, headers=headers)).status_code)

    assert statuses == [202, 429]
