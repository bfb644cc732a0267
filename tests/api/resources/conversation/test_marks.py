"""Marks over HTTP: of one pair, of several, and their undo."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.served import Api
from tests.api.stored import store_pairs
from tests.api.talk import create_conversation


async def pairs(api: Api, conversation_id: str) -> list[dict[str, Any]]:
    return (await api.http.get(f"/conversations/{conversation_id}/pairs")).json()["items"]


async def test_a_pair_is_marked_and_the_change_undone(api: Api):
    conversation_id = await create_conversation(api)
    (pair,) = await store_pairs(api, conversation_id, 1)

    marked = await api.http.patch(f"/pairs/{pair.id}", json={"stars": 3, "flagged": True, "mark": "in"})
    (shown,) = await pairs(api, conversation_id)
    undone = await api.http.post(f"/conversations/{conversation_id}/marks", json={"changes": marked.json()["undo"]})

    assert marked.status_code == 200
    assert (marked.json()["stars"], marked.json()["user_text"]) == (3, "question 1")
    assert marked.json()["undo"] == [{"pair_id": pair.id, "stars": 0, "flagged": False, "mark": None}]
    assert (shown["stars"], shown["flagged"], shown["mark"]) == (3, True, "in")
    assert undone.json() == {
        "count": 1,
        "undo": [{"pair_id": pair.id, "stars": 3, "flagged": True, "mark": "in"}],
    }
    (shown,) = await pairs(api, conversation_id)
    assert (shown["stars"], shown["flagged"], shown["mark"]) == (0, False, None)


async def test_a_pair_is_filed_by_path_or_by_id_and_taken_out_again(api: Api):
    conversation_id = await create_conversation(api)
    (pair,) = await store_pairs(api, conversation_id, 1)
    topic = (await api.http.post("/topics", json={"path": "AI > Planning"})).json()

    for body in ({"topic": "ai > PLANNING"}, {"topic_id": topic["id"]}):
        filed = await api.http.patch(f"/pairs/{pair.id}", json=body)
        assert filed.status_code == 200, filed.text
        assert (filed.json()["topic"], filed.json()["topic_id"]) == ("AI > Planning", topic["id"])
        assert (await api.http.get("/topics")).json()["items"][1]["count"] == 1
        assert (await api.http.patch(f"/pairs/{pair.id}", json={"topic": None})).status_code == 200
        assert (await api.http.get("/topics")).json()["items"][1]["count"] == 0

    unknown = await api.http.patch(f"/pairs/{pair.id}", json={"topic": "Nowhere"})
    assert (unknown.status_code, unknown.json()["errors"][0]["field"]) == (422, "topic")
    assert (await api.http.patch(f"/pairs/{pair.id}", json={"topic_id": "nothing"})).status_code == 404
    assert (await api.http.patch(f"/pairs/{pair.id}", json={"topic": None, "topic_id": None})).status_code == 422


async def test_a_pair_is_deleted_and_brought_back(api: Api):
    conversation_id = await create_conversation(api)
    stored = await store_pairs(api, conversation_id, 3)

    deleted = await api.http.delete(f"/pairs/{stored[1].id}")
    left = [pair["id"] for pair in await pairs(api, conversation_id)]
    preview = (await api.http.post(f"/conversations/{conversation_id}/preview", json={"text": "x"})).json()
    back = await api.http.post(f"/pairs/{stored[1].id}/undelete")

    assert deleted.json() == {"count": 1, "undo": [{"pair_id": stored[1].id, "deleted": False}]}
    assert left == [stored[0].id, stored[2].id]
    assert "question 2" not in str(preview["body"])
    assert back.status_code == 200
    assert [pair["id"] for pair in await pairs(api, conversation_id)] == [pair.id for pair in stored]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"stars": 4},
        {"stars": -1},
        {"stars": True},
        {"stars": None},
        {"mark": "none"},
        {"flagged": 1},
        {"colour": 1},
    ],
)
async def test_a_mark_that_cannot_be_is_refused(api: Api, body: dict[str, Any]):
    conversation_id = await create_conversation(api)
    (pair,) = await store_pairs(api, conversation_id, 1)

    assert (await api.http.patch(f"/pairs/{pair.id}", json=body)).status_code == 422


async def test_marks_of_another_owner_are_not_found(api: Api):
    conversation_id = await create_conversation(api)
    (pair,) = await store_pairs(api, conversation_id, 1, owner="somebody else")

    answers = [
        await api.http.patch(f"/pairs/{pair.id}", json={"stars": 1}),
        await api.http.delete(f"/pairs/{pair.id}"),
        await api.http.post(f"/pairs/{pair.id}/undelete"),
        await api.http.post(
            f"/conversations/{conversation_id}/marks", json={"changes": [{"pair_id": pair.id, "stars": 1}]}
        ),
    ]

    assert [answer.status_code for answer in answers] == [404] * 4
