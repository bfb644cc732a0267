"""Folders in the API: their routes, the folder of a conversation, and deletion with its undo."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.conversation.folders import MAX_FOLDERS
from tests.api.served import Api
from tests.api.talk import AT_ONCE, answered, create_conversation


async def create_folder(api: Api, name: str = "Work", **fields: Any) -> str:
    made = await api.http.post("/folders", json={"name": name, **fields})
    assert made.status_code == 201, made.text
    assert made.headers["Location"] == f"/api/v1/folders/{made.json()['id']}"
    return made.json()["id"]


async def read(api: Api, path: str) -> Any:
    answer = await api.http.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def list_ids(api: Api, query: str = "") -> list[str]:
    return [one["id"] for one in (await read(api, f"/conversations{query}"))["items"]]


async def folder_of(api: Api, conversation_id: str) -> str | None:
    return (await read(api, f"/conversations/{conversation_id}"))["folder_id"]


async def test_folder_is_created_listed_renamed_and_described(api: Api) -> None:
    work = await create_folder(api, "Work", metadata={"team": 7})
    await create_folder(api, "home")

    renamed = await api.http.patch(f"/folders/{work}", json={"name": " Alpha "})
    described = await api.http.patch(f"/folders/{work}", json={"metadata": {"team": 8}})

    assert renamed.status_code == 200, renamed.text
    assert (renamed.json()["name"], renamed.json()["metadata"]) == ("Alpha", {"team": 7})
    assert (described.json()["name"], described.json()["metadata"]) == ("Alpha", {"team": 8})
    listed = (await read(api, "/folders"))["items"]
    assert [(one["name"], one["count"]) for one in listed] == [("Alpha", 0), ("home", 0)]
    assert await read(api, f"/folders/{work}") == listed[0]
    assert listed[0]["updated_at"] > listed[0]["created_at"]


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 81])
async def test_folder_name_is_checked(api: Api, name: str) -> None:
    work = await create_folder(api)

    refused = [await api.http.post("/folders", json={"name": name})]
    refused.append(await api.http.patch(f"/folders/{work}", json={"name": name}))

    assert [one.status_code for one in refused] == [422, 422]
    assert [one.json()["errors"][0]["field"] for one in refused] == ["name", "name"]


async def test_folder_name_is_unique(api: Api) -> None:
    await create_folder(api, "Work")
    home = await create_folder(api, "Home")

    assert (await api.http.post("/folders", json={"name": "WORK"})).status_code == 409
    assert (await api.http.patch(f"/folders/{home}", json={"name": "work"})).status_code == 409
    assert (await api.http.patch(f"/folders/{home}", json={"name": "HOME"})).status_code == 200


async def test_number_of_folders_is_limited(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_FOLDERS > 2
    monkeypatch.setattr("app.domain.conversation.folders.MAX_FOLDERS", 2)
    first, _ = await create_folder(api, "A"), await create_folder(api, "B")

    refused = await api.http.post("/folders", json={"name": "C"})
    await api.http.delete(f"/folders/{first}")
    await create_folder(api, "C")
    not_restored = await api.http.post(f"/folders/{first}/undelete")

    assert (refused.status_code, not_restored.status_code) == (409, 409)
    assert "The maximum is 2" in refused.json()["detail"]


async def test_conversation_is_created_in_a_folder_and_moved(api: Api) -> None:
    work, home = await create_folder(api, "Work"), await create_folder(api, "Home")
    made = await api.http.post("/conversations", json={"title": "Light", "folder_id": work})
    conversation, other = made.json()["id"], await create_conversation(api)

    assert made.json()["folder_id"] == work
    assert await list_ids(api, f"?folder_id={work}") == [conversation]
    assert await list_ids(api, "?folder_id=") == [other]
    moved = await api.http.patch(f"/conversations/{conversation}", json={"folder_id": home})
    assert moved.json()["folder_id"] == home
    assert [one["count"] for one in (await read(api, "/folders"))["items"]] == [1, 0]
    out = await api.http.patch(f"/conversations/{conversation}", json={"folder_id": ""})
    assert out.json()["folder_id"] is None
    assert await list_ids(api, f"?folder_id={home}") == []


async def test_search_can_be_limited_to_a_folder(api: Api) -> None:
    work = await create_folder(api)
    inside, outside = await create_conversation(api, title="Bread"), await create_conversation(api, title="Bread")
    await api.http.patch(f"/conversations/{inside}", json={"folder_id": work})

    assert set(await list_ids(api, "?text=bread")) == {inside, outside}
    assert await list_ids(api, f"?text=bread&folder_id={work}") == [inside]
    assert await list_ids(api, "?text=bread&folder_id=") == [outside]


async def test_unknown_folder_is_refused(api: Api) -> None:
    conversation = await create_conversation(api)
    deleted = await create_folder(api)
    await api.http.delete(f"/folders/{deleted}")

    for folder_id in ("nowhere", deleted):
        answers = [
            await api.http.post("/conversations", json={"folder_id": folder_id}),
            await api.http.patch(f"/conversations/{conversation}", json={"folder_id": folder_id}),
            await api.http.get(f"/folders/{folder_id}"),
            await api.http.patch(f"/folders/{folder_id}", json={"name": "New"}),
            await api.http.delete(f"/folders/{folder_id}"),
        ]
        assert [one.status_code for one in answers] == [404] * 5
    assert (await api.http.post("/folders/nowhere/undelete")).status_code == 404


async def test_deleted_folder_leaves_its_conversations_and_takes_them_back(api: Api) -> None:
    work, home = await create_folder(api, "Work"), await create_folder(api, "Home")
    stays, moves, leaves = [await create_conversation(api) for _ in range(3)]
    for one in (stays, moves, leaves):
        await api.http.patch(f"/conversations/{one}", json={"folder_id": work})

    deleted = await api.http.delete(f"/folders/{work}")

    assert deleted.status_code == 204
    assert [one["name"] for one in (await read(api, "/folders"))["items"]] == ["Home"]
    assert [await folder_of(api, one) for one in (stays, moves, leaves)] == [None] * 3
    await api.http.patch(f"/conversations/{moves}", json={"folder_id": home})
    await api.http.patch(f"/conversations/{leaves}", json={"folder_id": ""})
    restored = await api.http.post(f"/folders/{work}/undelete")
    assert (restored.status_code, restored.json()["count"]) == (200, 1)
    assert [await folder_of(api, one) for one in (stays, moves, leaves)] == [work, home, None]


async def test_folder_deleted_with_its_conversations_is_restored_with_them(api: Api) -> None:
    work = await create_folder(api)
    inside, before, outside = [await create_conversation(api, model="offline:demo") for _ in range(3)]
    for one in (inside, before):
        await api.http.patch(f"/conversations/{one}", json={"folder_id": work})
    await answered(api, inside, "/echo here")
    assert (await api.http.post(f"/conversations/{inside}/title", json={})).status_code < 300
    (child,) = await list_ids(api, "?kind=tool")
    await api.http.delete(f"/conversations/{before}")
    running = await api.http.post(
        f"/conversations/{inside}/send", json={"text": "/long 4000 /rate 40"}, headers=AT_ONCE
    )

    deleted = await api.http.delete(f"/folders/{work}?conversations=trash")

    assert deleted.status_code == 204, deleted.text
    assert await list_ids(api) == [outside]
    entries = (await read(api, "/trash"))["items"]
    assert {one["id"] for one in entries} == {inside, before}
    assert (await api.http.post(f"/folders/{work}/undelete")).status_code == 200
    assert set(await list_ids(api)) == {inside, outside, child}
    assert await folder_of(api, inside) == work
    assert [one["id"] for one in (await read(api, "/trash"))["items"]] == [before]
    pairs = (await read(api, f"/conversations/{inside}/pairs"))["items"]
    assert (pairs[-1]["run_id"], pairs[-1]["lifecycle"]) == (running.json()["run_id"], "canceled")
    audited = (await read(api, f"/audit?conversation_id={inside}"))["items"]
    changes = [one["action"].removeprefix("conversation.") for one in audited]
    assert [one for one in changes if one in {"trashed", "restored"}] == ["restored", "trashed"]  # newest first


async def test_conversation_restored_from_the_trash_alone_is_in_no_folder(api: Api) -> None:
    work = await create_folder(api)
    inside = await create_conversation(api)
    await api.http.patch(f"/conversations/{inside}", json={"folder_id": work})
    await api.http.delete(f"/folders/{work}?conversations=trash")

    assert (await api.http.post(f"/trash/{inside}/restore")).status_code < 300
    alone = await folder_of(api, inside)
    await api.http.post(f"/folders/{work}/undelete")

    assert (alone, await folder_of(api, inside)) == (None, work)


async def test_folder_is_not_restored_under_a_name_that_is_taken(api: Api) -> None:
    work = await create_folder(api, "Work")
    await api.http.delete(f"/folders/{work}")
    other = await create_folder(api, "work")

    assert (await api.http.post(f"/folders/{work}/undelete")).status_code == 409
    await api.http.patch(f"/folders/{other}", json={"name": "Other"})
    assert (await api.http.post(f"/folders/{work}/undelete")).status_code == 200
    assert (await api.http.post(f"/folders/{work}/undelete")).status_code == 404


async def test_fork_is_in_the_folder_of_its_parent(api: Api) -> None:
    work = await create_folder(api)
    conversation = await create_conversation(api, model="offline:demo")
    await api.http.patch(f"/conversations/{conversation}", json={"folder_id": work})
    await answered(api, conversation)

    fork = (await api.http.post(f"/conversations/{conversation}/fork", json={})).json()

    assert fork["folder_id"] == work


async def test_temporary_and_child_conversations_are_in_no_folder(api: Api) -> None:
    work = await create_folder(api)
    refused = await api.http.post("/conversations", json={"temporary": True, "folder_id": work})
    temporary = (await api.http.post("/conversations", json={"temporary": True})).json()
    conversation = await create_conversation(api, model="offline:demo")
    await api.http.patch(f"/conversations/{conversation}", json={"folder_id": work})
    await answered(api, conversation)
    assert (await api.http.post(f"/conversations/{conversation}/title", json={})).status_code < 300
    (child,) = await list_ids(api, "?kind=tool")

    moved = [
        await api.http.patch(f"/conversations/{one}", json={"folder_id": work}) for one in (temporary["id"], child)
    ]
    cleared = await api.http.patch(f"/conversations/{temporary['id']}", json={"folder_id": ""})
    kept = (await api.http.post(f"/conversations/{temporary['id']}/keep")).json()
    filed = await api.http.patch(f"/conversations/{temporary['id']}", json={"folder_id": work})

    for one in (refused, *moved):
        assert one.status_code == 422, one.text
        assert [error["field"] for error in one.json()["errors"]] == ["folder_id"]
    assert (await folder_of(api, child), cleared.status_code, kept["folder_id"]) == (None, 200, None)
    assert filed.json()["folder_id"] == work


async def test_export_has_no_folder_and_an_import_is_in_none(api: Api) -> None:
    work = await create_folder(api, "Very own name")
    conversation = await create_conversation(api, model="offline:demo")
    await api.http.patch(f"/conversations/{conversation}", json={"folder_id": work})
    await answered(api, conversation)

    file = await api.http.get(f"/conversations/{conversation}/export?format=json")
    imported = await api.http.post("/import", content=file.content, headers={"Content-Type": "application/json"})

    assert work not in file.text
    assert "Very own name" not in file.text
    assert imported.status_code < 300, imported.text
    assert len(await list_ids(api, "?folder_id=")) == 1
