"""Shares over HTTP: what their page shows, for whom, how long, and that nothing else is told."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from httpx2 import AsyncClient, Response
from sqlalchemy import select

from app.api.resources.transfer.shares import HEADERS
from app.runs.process.ids import now
from app.runs.transfer.exports import sharing
from app.runs.upkeep import sweep_shares
from app.runs.workbench import current
from app.store.organise.rows_shares import SHARE
from tests.api.served import Api
from tests.api.stored import store_pairs
from tests.api.talk import answered, create_conversation, send

KEY = "AKIAIOSFODNN7EXAMPLE"
IDS = re.compile(r"[0-9a-hjkmnp-tv-z]{26}|[0-9a-f]{64}")


async def open_link(api: Api, path: str, method: str = "GET") -> Response:
    """What a stranger gets: no cookie, no header of ours."""
    async with AsyncClient(base_url=f"http://{api.host}") as stranger:
        return await stranger.request(method, path)


async def share(api: Api, conversation_id: str, **body: Any) -> dict[str, Any]:
    made = await api.http.post(f"/conversations/{conversation_id}/shares", json=body)
    assert made.status_code == 201, made.text
    return made.json()


async def test_a_link_opens_a_page_of_what_the_filter_shows(api: Api):
    conversation_id = await create_conversation(api, title="Plans", system_prompt="Be a spy.")
    await answered(api, conversation_id, "/echo blackbird")
    pair = await answered(api, conversation_id, f"/echo second {KEY}")
    await api.http.patch(f"/pairs/{pair['id']}", json={"stars": 3})

    made = await share(api, conversation_id, filter="s3", author="Ada", hours=1)
    page = await open_link(api, made["path"])

    assert re.fullmatch(r"/s/[\w-]{43}", made["path"])
    assert (made["share"]["pairs"], made["share"]["title"], made["share"]["author"]) == (1, "Plans", "Ada")
    assert page.status_code == 200
    assert "second [redacted: AWS access key]" in page.text
    assert "Shared by Ada" in page.text
    for kept in ("blackbird", "Be a spy.", KEY, "★"):
        assert kept not in page.text
    assert IDS.findall(page.text) == []
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert {name: page.headers[name] for name in HEADERS} == HEADERS
    assert "sandbox" in HEADERS["Content-Security-Policy"]
    assert "script-src" not in HEADERS["Content-Security-Policy"]
    assert "set-cookie" not in page.headers


async def test_a_share_stays_as_it_was_and_counts_its_views(api: Api):
    conversation_id = await create_conversation(api)
    await answered(api, conversation_id, "/echo blackbird")
    made = await share(api, conversation_id)
    before = await open_link(api, made["path"])

    await answered(api, conversation_id, "/echo second")

    assert (await open_link(api, made["path"])).content == before.content
    assert (await open_link(api, made["path"], "HEAD")).status_code == 200
    (listed,) = (await api.http.get("/shares")).json()["items"]
    assert listed == made["share"] | {"views": 2}
    assert (await api.http.get("/shares", params={"conversation": "other"})).json()["items"] == []
    assert (await api.http.get("/shares", params={"conversation": conversation_id})).json()["items"] == [listed]


async def test_what_opens_nothing_looks_the_same_for_every_reason(api: Api, monkeypatch: pytest.MonkeyPatch):
    conversation_id = await create_conversation(api)
    await answered(api, conversation_id, "/echo blackbird")
    revoked, expired, deleted = [await share(api, conversation_id, hours=hours) for hours in (2, 1, 2)]
    assert (await api.http.delete(f"/shares/{revoked['share']['id']}")).status_code == 204
    assert (await api.http.delete(f"/shares/{revoked['share']['id']}")).status_code == 404
    never = await open_link(api, f"/s/{'x' * 43}")

    later = now() + timedelta(hours=1, seconds=1)
    monkeypatch.setattr(sharing, "now", lambda: later)
    paths = [revoked["path"], expired["path"], "/s/", "/s/a/b", "/s/%00", deleted["path"] + "x"]
    answers = [await open_link(api, path) for path in paths]
    assert (await open_link(api, deleted["path"])).status_code == 200
    assert [one["id"] for one in (await api.http.get("/shares")).json()["items"]] == [deleted["share"]["id"]]
    await api.http.delete(f"/conversations/{conversation_id}")
    answers.append(await open_link(api, deleted["path"]))

    told = [name for name in never.headers if name != "date"]
    for one in answers:
        assert (one.status_code, one.content) == (404, never.content)
        assert [one.headers[name] for name in told] == [never.headers[name] for name in told]
    assert "blackbird" not in never.text


async def test_a_share_comes_back_with_its_conversation_and_goes_with_it_for_good(api: Api):
    conversation_id = await create_conversation(api)
    await answered(api, conversation_id, "/echo blackbird")
    made = await share(api, conversation_id)
    await api.http.delete(f"/conversations/{conversation_id}")
    assert (await open_link(api, made["path"])).status_code == 404

    await api.http.post(f"/trash/{conversation_id}/restore")
    assert (await open_link(api, made["path"])).status_code == 200
    await api.http.delete(f"/conversations/{conversation_id}")
    await api.http.delete(f"/trash/{conversation_id}")

    async with current().store.read() as session:
        assert (await session.execute(select(SHARE.c.id))).all() == []


async def test_only_a_hash_of_the_link_is_stored_and_expired_shares_are_deleted(api: Api):
    conversation_id = await create_conversation(api)
    await answered(api, conversation_id, "/echo blackbird")
    made = await share(api, conversation_id, hours=1)
    token = made["path"].removeprefix("/s/")

    async with current().store.read() as session:
        row = (await session.execute(select(SHARE))).mappings().one()
    assert token not in repr(dict(row))
    assert token not in (await api.http.get("/shares")).text
    assert await sweep_shares(current(), now()) == 0
    assert await sweep_shares(current(), now() + timedelta(hours=1)) == 1
    assert (await open_link(api, made["path"])).status_code == 404


async def test_a_preview_is_the_page_and_stores_nothing(api: Api):
    conversation_id = await create_conversation(api, system_prompt="Be a spy.")
    await store_pairs(api, conversation_id, 1)
    running = await send(api, conversation_id, "/rate 5 /long 500")

    preview = (
        await api.http.post(f"/conversations/{conversation_id}/shares/preview", json={"system_prompt": True})
    ).json()

    assert (preview["pairs"], preview["running"], preview["secrets"]) == (1, 1, 0)
    assert "Be a spy." in preview["html"]
    assert (await api.http.get("/shares")).json()["items"] == []
    await api.http.post(f"/runs/{running['run_id']}/cancel")


async def test_calls_and_thinking_are_shared_when_they_are_chosen(api: Api):
    conversation_id = await create_conversation(api)
    await store_pairs(api, conversation_id, 3)

    less = await open_link(api, (await share(api, conversation_id))["path"])
    more = await open_link(api, (await share(api, conversation_id, thinking=True, tools=True))["path"])

    assert "<summary>Thinking</summary>" not in less.text
    assert "Calls <code>" not in less.text
    assert "<summary>Thinking</summary>" in more.text


async def test_what_cannot_be_shared_is_refused_with_a_reason(api: Api, monkeypatch: pytest.MonkeyPatch):
    conversation_id = await create_conversation(api)
    await answered(api, conversation_id, "/echo blackbird")
    temporary = (await api.http.post("/conversations", json={"temporary": True})).json()["id"]

    for body, status, said in (
        ({"filter": "s3"}, 422, "shows no pair"),
        ({"filter": "s>"}, 422, ""),
        ({"hours": 0}, 422, "hours"),
        ({"author": "two\nlines"}, 422, "author"),
        ({"secret": 1}, 422, "secret"),
    ):
        refused = await api.http.post(f"/conversations/{conversation_id}/shares", json=body)
        assert (refused.status_code, said in refused.text) == (status, True), body
    assert (await api.http.post("/conversations/none/shares", json={})).status_code == 404
    kept = await api.http.post(f"/conversations/{temporary}/shares", json={})
    assert (kept.status_code, "Save it first" in kept.text) == (409, True)
    monkeypatch.setattr(sharing, "MAX_PAGE_BYTES", 1000)
    large = await api.http.post(f"/conversations/{conversation_id}/shares", json={})
    assert (large.status_code, "share less" in large.text) == (422, True)
