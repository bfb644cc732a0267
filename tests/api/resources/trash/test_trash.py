"""The trash over HTTP."""

from __future__ import annotations

from datetime import datetime, timedelta

from tests.api.served import Api


async def a_conversation(api: Api, title: str, *texts: str) -> tuple[str, list[str]]:
    made = await api.http.post("/conversations", json={"title": title, "model": "offline:demo"})
    conversation = made.json()["id"]
    for text in texts:
        await api.http.post(
            f"/conversations/{conversation}/send", json={"text": text}, headers={"Accept": "text/event-stream"}
        )
    pairs = (await api.http.get(f"/conversations/{conversation}/pairs")).json()["items"]
    return conversation, [pair["id"] for pair in pairs]


async def test_the_trash_is_paged_the_newest_first_and_says_until_when(api: Api) -> None:
    conversation, pairs = await a_conversation(api, "Light", "/echo one", "/echo two")
    await api.http.delete(f"/pairs/{pairs[0]}")
    other, _ = await a_conversation(api, "Dark", "/echo three")
    await api.http.delete(f"/conversations/{other}")

    first = (await api.http.get("/trash", params={"limit": 1})).json()
    second = (await api.http.get("/trash", params={"limit": 1, "cursor": first["next_cursor"]})).json()

    (newest,), (older,) = first["items"], second["items"]
    assert (newest["id"], newest["kind"], newest["title"], newest["count"]) == (other, "conversation", "Dark", 1)
    assert (older["id"], older["kind"], older["snippet"], older["count"]) == (pairs[0], "pairs", "/echo one", 1)
    assert older["conversation_id"] == conversation
    assert second["next_cursor"] is None
    assert first["days"] == 30
    lasts = datetime.fromisoformat(newest["expires_at"]) - datetime.fromisoformat(newest["deleted_at"])
    assert lasts == timedelta(days=30)


async def test_what_is_restored_is_back_and_out_of_the_trash(api: Api) -> None:
    conversation, _ = await a_conversation(api, "Light", "/echo one")
    await api.http.delete(f"/conversations/{conversation}")
    gone = await api.http.get(f"/conversations/{conversation}")

    restored = await api.http.post(f"/trash/{conversation}/restore")
    again = await api.http.post(f"/trash/{conversation}/restore")

    assert gone.status_code == 404
    assert restored.json() == {"kind": "conversation", "conversation_id": conversation, "count": 1}
    assert again.status_code == 404
    assert (await api.http.get(f"/conversations/{conversation}")).json()["pair_count"] == 1


async def test_a_conversation_lists_the_pairs_deleted_from_it(api: Api) -> None:
    conversation, pairs = await a_conversation(api, "Light", "/echo one", "/echo two")
    await api.http.delete(f"/pairs/{pairs[1]}")

    here = (await api.http.get(f"/conversations/{conversation}/trash")).json()
    missing = await api.http.get("/conversations/nothing/trash")

    assert [(entry["id"], entry["count"]) for entry in here["items"]] == [(pairs[1], 1)]
    assert missing.status_code == 404


async def test_the_trash_is_emptied_or_one_entry_of_it_deleted_for_good(api: Api) -> None:
    conversation, pairs = await a_conversation(api, "Light", "/echo one", "/echo two")
    for pair in pairs:
        await api.http.delete(f"/pairs/{pair}")

    one = await api.http.delete(f"/trash/{pairs[0]}")
    emptied = await api.http.delete("/trash")

    assert one.status_code == 204
    assert emptied.json() == {"count": 1}
    assert (await api.http.post(f"/trash/{pairs[1]}/restore")).status_code == 404
    assert (await api.http.get(f"/conversations/{conversation}")).json()["pair_count"] == 0


async def test_how_long_things_stay_is_a_preference(api: Api) -> None:
    conversation, _ = await a_conversation(api, "Light")
    await api.http.delete(f"/conversations/{conversation}")
    preferred = (await api.http.get("/preferences")).json()

    kept = await api.http.put("/preferences", json={**preferred, "trash_days": None})
    refused = await api.http.put("/preferences", json={**preferred, "trash_days": 0})
    (entry,) = (await api.http.get("/trash")).json()["items"]

    assert kept.json()["trash_days"] is None
    assert refused.status_code == 422
    assert entry["expires_at"] is None
