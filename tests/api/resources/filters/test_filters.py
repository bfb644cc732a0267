"""Saved filters, the filter of a conversation, and lines of the filter bar over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import text as sql

from tests.api.served import Api
from tests.api.stored import store_pairs
from tests.api.talk import create_conversation


async def test_a_filter_is_saved_read_renamed_and_deleted(api: Api):
    put = await api.http.put("/filters/good", json={"filter": "s>=2 !e"})
    renamed = await api.http.patch("/filters/good", json={"name": "best"})

    sentence = "pairs with 2 or more stars, without an error"
    shown: dict[str, object] = {"name": "good", "filter": "s>=2 !e", "sentence": sentence, "number": None, "damage": []}
    assert (put.status_code, put.json()) == (200, shown)
    assert renamed.json() == shown | {"name": "best"}
    assert (await api.http.get("/filters")).json() == {
        "saved": [shown | {"name": "best"}],
        "history": [],
        "damaged_history": [],
    }
    assert (await api.http.get("/filters/best")).json()["filter"] == "s>=2 !e"
    assert (await api.http.get("/filters/good")).status_code == 404
    assert (await api.http.delete("/filters/best")).status_code == 204
    assert (await api.http.delete("/filters/best")).status_code == 404


async def test_a_filter_that_cannot_be_read_says_where(api: Api):
    conversation_id = await create_conversation(api)

    for answer in (
        await api.http.put("/filters/good", json={"filter": "b & s7"}),
        await api.http.patch(f"/conversations/{conversation_id}", json={"filter": "b & s7", "title": "New"}),
    ):
        problem = answer.json()
        assert (answer.status_code, problem["type"]) == (422, "urn:inview:problem:invalid-input")
        assert (problem["position"], problem["found"], problem["expected"]) == (5, "7", "a number of stars from 0 to 3")
        assert problem["errors"][0]["field"] == "filter"
    kept = (await api.http.get(f"/conversations/{conversation_id}")).json()
    assert (kept["filter"], kept["title"]) == ("", "")


async def test_the_filter_of_a_conversation_is_kept_and_goes_into_the_history(api: Api):
    conversation_id = await create_conversation(api)

    changed = await api.http.patch(f"/conversations/{conversation_id}", json={"filter": "s2", "title": "New"})

    assert (changed.json()["filter"], changed.json()["title"]) == ("s2", "New")
    assert (await api.http.get("/filters")).json()["history"] == ["s2"]


async def test_an_entry_of_the_history_that_cannot_be_read_is_listed_apart_and_deleted(api: Api):
    conversation_id = await create_conversation(api)
    for line in ("s1", "s2"):
        await api.http.patch(f"/conversations/{conversation_id}", json={"filter": line})
    async with api.ctx.store.write() as session:
        await session.execute(sql("UPDATE applied_filter SET filter = x'00ff' WHERE filter = 's1'"))

    known = (await api.http.get("/filters")).json()

    (entry,) = known["damaged_history"]
    assert known["history"] == ["s2"]
    assert [one["column"] for one in entry["damage"]] == ["filter"]
    assert (await api.http.delete(f"/filters/history/{entry['number']}")).status_code == 204
    assert (await api.http.delete(f"/filters/history/{entry['number']}")).status_code == 404
    assert (await api.http.get("/filters")).json()["damaged_history"] == []


async def check(api: Api, conversation_id: str, line: str, **more: Any) -> dict[str, Any]:
    answer = await api.http.post(f"/conversations/{conversation_id}/filter", json={"line": line, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_line_is_read_as_it_is_typed(api: Api):
    conversation_id = await create_conversation(api)
    await store_pairs(api, conversation_id, 3)

    read = await check(api, conversation_id, "stars >= 0 & t'AI' :fl")
    whole = await check(api, conversation_id, "stars>=0 | t'AI' :flag")

    assert (read["ok"], read["error"]["position"], read["command"]) == (False, 20, None)
    assert read["error"]["message"].endswith(read["error"]["hint"])
    assert read["completion"]["suggestions"] == [{"text": "flag", "means": "sets the flag"}]
    assert (whole["ok"], whole["canonical"]) == (True, "s>=0 | t'AI'")
    assert whole["sentence"] == "pairs with 0 or more stars, or under AI"
    assert whole["notices"] == ["There is no topic 'AI'."]
    assert whole["command"] == {"name": "flag", "what": "flag 3 pairs", "would": "act", "count": 3}


async def test_names_are_completed_from_what_there_is(api: Api):
    conversation_id = await create_conversation(api)
    await store_pairs(api, conversation_id, 1)
    await api.http.post("/topics", json={"path": "AI > Planning"})
    await api.http.put("/filters/good", json={"filter": "s2"})

    async def offered(line: str, **more: Any) -> list[str]:
        completion = (await check(api, conversation_id, line, **more))["completion"]
        return [line[: completion["start"]] + one["text"] for one in completion["suggestions"]]

    assert await offered("t'plan") == ["t'AI > Planning'"]
    assert await offered("m'de") == ["m'demo'"]
    assert await offered("s2 @") == ["s2 @good"]
    assert "s2 flagged" in await offered("s2 fl & b", cursor=5)


@pytest.mark.parametrize("line", ["(" * 10_000, "'" * 5_000, "s" * 100_000, "t'\\", ":", "\x00", "@", "🙂" * 3_000])
async def test_no_line_is_too_odd_to_be_answered(api: Api, line: str):
    conversation_id = await create_conversation(api)

    read = await check(api, conversation_id, line)

    assert read["ok"] is False
    assert 0 <= read["error"]["position"] <= len(line)
