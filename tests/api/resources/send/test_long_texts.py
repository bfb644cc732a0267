"""A text has a limit, whichever way a program sends it: above it, the answer has both sizes and nothing is stored."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from app.domain.conversation.text_size import MAX_TEXT_BYTES
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.watch.broadcast import follow
from tests.api.served import Api

TOO_LONG = "é" * (MAX_TEXT_BYTES // 2) + "e"
OFFLINE = "offline:demo"
SAID = "has 1,048,577 bytes. The maximum for a text is 1,048,576. Shorten it"


async def state_of(api: Api, conversation: str) -> list[Any]:
    """Return the conversation, its texts and its queue."""
    paths = ("", "/history", "/queue")
    return [(await api.http.get(f"/conversations/{conversation}{path}")).json() for path in paths]


@pytest.mark.parametrize(
    ("method", "path", "body", "field"),
    [
        ("POST", "/conversations/{conversation}/send", {"text": TOO_LONG}, "text"),
        ("POST", "/conversations/{conversation}/preview", {"text": TOO_LONG}, "text"),
        ("POST", "/conversations/{conversation}/queue", {"text": TOO_LONG, "paused": True}, "text"),
        (
            "POST",
            "/conversations/{conversation}/compare",
            {"text": TOO_LONG, "models": [OFFLINE, "offline:tiny"]},
            "text",
        ),
        ("POST", "/pairs/{pair}/resend", {"text": TOO_LONG}, "text"),
        ("POST", "/pairs/{pair}/preview", {"text": TOO_LONG}, "text"),
        ("PATCH", "/conversations/{conversation}/queue/{queued}", {"text": TOO_LONG}, "text"),
        ("PATCH", "/conversations/{conversation}", {"system_prompt": TOO_LONG}, "system_prompt"),
        ("POST", "/conversations", {"system_prompt": TOO_LONG}, "system_prompt"),
        (
            "POST",
            "/import",
            {"title": "x", "pairs": [{"model": OFFLINE, "user_text": TOO_LONG}]},
            "$.pairs[0].user_text",
        ),
        (
            "POST",
            "/import",
            {"title": "x", "pairs": [{"model": OFFLINE, "user_text": "?", "reply_text": TOO_LONG}]},
            "$.pairs[0].reply_text",
        ),
    ],
    ids=range(11),
)
async def test_a_text_that_is_too_long_is_refused(
    api: Api, method: str, path: str, body: dict[str, Any], field: str
) -> None:
    imported = await api.http.post(
        "/import", json={"title": "x", "model": OFFLINE, "pairs": [{"user_text": "Hi", "reply_text": "Yes"}]}
    )
    conversation = imported.json()["conversations"][0]["id"]
    pair = (await api.http.get(f"/conversations/{conversation}/pairs")).json()["items"][0]["id"]
    queued = await api.http.post(f"/conversations/{conversation}/queue", json={"text": "Later", "paused": True})
    assert queued.status_code < 300, queued.text
    names = {"conversation": conversation, "pair": pair, "queued": queued.json()["items"][0]["id"]}
    before = await state_of(api, conversation)

    refused = await api.http.request(method, path.format(**names), json=body)

    assert refused.status_code == 422, refused.text
    (error,) = refused.json()["errors"]
    assert error["field"] == field
    assert error["reason"].startswith(SAID)
    assert await state_of(api, conversation) == before
    assert len((await api.http.get("/conversations")).json()["items"]) == 1


async def test_a_text_of_the_largest_size_is_sent(api: Api) -> None:
    conversation = (await api.http.post("/conversations", json={"model": OFFLINE})).json()["id"]

    answer = await api.http.post(
        f"/conversations/{conversation}/preview", json={"text": TOO_LONG[:-1], "over_budget": "force"}
    )

    assert answer.status_code == 200, answer.text


async def test_no_text_stays_in_memory_after_it_is_stored(api: Api) -> None:
    """SQLAlchemy keeps each compiled statement, and with it the values that are a part of the statement."""
    long, at_once = "x" * 20_000, {"Accept": "application/json"}
    post, patch = api.http.post, api.http.patch

    created = (await post("/conversations", json={"model": OFFLINE, "system_prompt": long})).json()["id"]
    place = f"/conversations/{created}"
    answers = [await post(f"{place}/send", json={"text": f"/fail auth {long}"}, headers=at_once)]
    pair = answers[0].json()["pair_id"]
    async for _ in follow(api.ctx, LOCAL_OWNER, answers[0].json()["run_id"]):
        pass
    schema = {"type": "object", "description": long}
    for body in ({"text": f"/echo {long}"}, {"text": "/echo {}", "schema": schema}):
        answers.append(await post(f"/pairs/{pair}/resend", json=body, headers=at_once))
        async for _ in follow(api.ctx, LOCAL_OWNER, answers[-1].json()["run_id"]):
            pass
    queued = await post(f"{place}/queue", json={"text": long, "paused": True})
    waiting = queued.json()["items"][0]
    answers += [
        queued,
        await patch(f"{place}/queue/{waiting['id']}", json={"text": f"2{long}", "version": waiting["version"]}),
        await patch(place, json={"system_prompt": f"2{long}"}),
        await post(f"{place}/messages", json={"user_text": long, "reply_text": long}),
        agent := await post("/agents", json={"name": "Ann", "system_prompt": long}),
        await patch(f"/agents/{agent.json()['id']}", json={"system_prompt": f"2{long}"}),
        await post(f"/pairs/{pair}/restore", json={"version": 1}),
        await post(f"{place}/fork", json={}),
        await post(
            "/attachments",
            content=long.encode(),
            headers={"Content-Type": "application/octet-stream"},
            params={"name": "a.txt"},
        ),
    ]

    assert [answer.text for answer in answers if answer.status_code >= 300] == []
    assert list_long_values(api.ctx.store.engine) == []


def list_long_values(engine: AsyncEngine) -> list[str]:
    """Return the statements with a value of more than 10,000 characters that the engine keeps."""
    cached: Any = engine.sync_engine
    return [
        str(compiled)[:200]
        for compiled in cached._compiled_cache.values()
        for bound in (*compiled.binds.values(), *(compiled.cache_key.bindparams if compiled.cache_key else ()))
        if len(str(bound.value)) > 10_000
    ]
