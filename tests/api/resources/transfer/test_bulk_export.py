"""Several conversations exported over HTTP: written by one request, downloaded by another."""

from __future__ import annotations

from tests.api.served import Api


async def test_several_conversations_are_one_file_that_can_be_imported(api: Api):
    ids = [(await api.http.post("/conversations", json={"title": title})).json()["id"] for title in "ab"]

    made = await api.http.post("/exports", json={"conversation_ids": ids})

    assert (made.status_code, made.json()["conversations"]) == (201, 2)
    file = await api.http.get(f"/exports/{made.json()['id']}")
    assert (file.status_code, file.headers["content-type"]) == (200, "application/json")
    assert "attachment" in file.headers["content-disposition"]
    assert int(file.headers["content-length"]) == made.json()["size"] == len(file.content)
    back = await api.http.post("/import", json=file.json())
    assert [one["title"] for one in back.json()["conversations"]] == ["a", "b"]


async def test_archives_are_zip_files_and_what_is_not_there_is_said(api: Api):
    one = (await api.http.post("/conversations", json={"title": "a"})).json()["id"]

    made = (await api.http.post("/exports", json={"conversation_ids": [one], "format": "md"})).json()

    assert (await api.http.get(f"/exports/{made['id']}")).headers["content-type"] == "application/zip"
    assert (await api.http.get("/exports/nothing")).status_code == 404
    assert (await api.http.post("/exports", json={"conversation_ids": ["nothing"]})).status_code == 404
    assert (await api.http.post("/exports", json={"conversation_ids": []})).status_code == 422
