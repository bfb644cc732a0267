"""Folders, and where conversations are in the list, over HTTP."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.api.served import Api


async def make(api: Api, title: str) -> str:
    return (await api.http.post("/conversations", json={"title": title})).json()["id"]


async def titles(api: Api, **params: Any) -> list[str]:
    return [one["title"] for one in (await api.http.get("/conversations", params=params)).json()["items"]]


async def test_a_folder_is_created_listed_renamed_and_deleted(api: Api):
    made = await api.http.post("/folders", json={"name": " Work  notes "})
    folder = made.json()
    one = await make(api, "a")
    placed = await api.http.patch(f"/conversations/{one}", json={"folder_id": folder["id"]})

    assert (made.status_code, folder["name"]) == (201, "Work notes")
    assert placed.json()["folder_id"] == folder["id"]
    renamed = await api.http.patch(f"/folders/{folder['id']}", json={"name": "Home"})
    assert renamed.json() == {"id": folder["id"], "name": "Home", "count": 1, "retention_days": None}
    assert (await api.http.delete(f"/folders/{folder['id']}")).status_code == 204
    assert (await api.http.get("/folders")).json() == {"items": []}
    assert (await api.http.get(f"/conversations/{one}")).json()["folder_id"] is None


async def test_conversations_are_listed_by_where_they_are(api: Api):
    folder = (await api.http.post("/folders", json={"name": "Work"})).json()["id"]
    ids = {title: await make(api, title) for title in ("plain", "pinned", "archived", "filed")}
    await api.http.patch(f"/conversations/{ids['pinned']}", json={"pinned": True})
    await api.http.patch(f"/conversations/{ids['archived']}", json={"pinned": True})
    await api.http.patch(f"/conversations/{ids['archived']}", json={"archived": True})
    await api.http.patch(f"/conversations/{ids['filed']}", json={"folder_id": folder})

    assert await titles(api) == ["filed", "archived", "pinned", "plain"]
    assert await titles(api, pinned=True) == ["pinned"]
    assert await titles(api, archived=True) == ["archived"]
    assert await titles(api, folder=folder) == ["filed"]
    assert await titles(api, folder="", archived=False) == ["pinned", "plain"]


async def test_a_conversation_is_marked_as_unread_and_as_read(api: Api):
    one = await make(api, "a")
    assert (await api.http.get(f"/conversations/{one}")).json()["unread"] is False

    await api.http.patch(f"/conversations/{one}", json={"unread": True})
    assert [item["unread"] for item in (await api.http.get("/conversations")).json()["items"]] == [True]
    assert (await api.http.patch(f"/conversations/{one}", json={"unread": False})).json()["unread"] is False


async def test_conversations_are_listed_by_what_they_are(api: Api):
    ids = {title: await make(api, title) for title in ("plain", "unread", "failed")}
    await api.http.patch(f"/conversations/{ids['unread']}", json={"unread": True})
    await api.http.post(f"/conversations/{ids['failed']}/send", json={"text": "/fail model"})
    async with asyncio.timeout(20):
        while await titles(api, failed=True) != ["failed"]:  # noqa: ASYNC110 - over HTTP there is nothing to wait for
            await asyncio.sleep(0.02)

    assert await titles(api, unread=True) == ["failed", "unread"]
    assert await titles(api, unread=False) == ["plain"]
    assert await titles(api, failed=False) == ["unread", "plain"]
    for name in ("running", "waiting", "imported"):
        assert await titles(api, **{name: True}) == []


async def test_what_is_not_there_is_said(api: Api):
    one = await make(api, "a")

    assert (await api.http.patch(f"/conversations/{one}", json={"folder_id": "x"})).status_code == 404
    assert (await api.http.patch("/conversations/x", json={"pinned": True})).status_code == 404
    assert (await api.http.patch("/folders/x", json={"name": "y"})).status_code == 404
    assert (await api.http.delete("/folders/x")).status_code == 404
    blank = await api.http.post("/folders", json={"name": "  "})
    assert (blank.status_code, blank.json()["errors"][0]["field"]) == (422, "name")
