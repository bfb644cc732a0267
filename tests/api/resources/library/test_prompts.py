"""Prompts over HTTP, as their page and other programs meet them."""

from __future__ import annotations

from tests.api.served import Api

TEXT = "Translate into {{language=German}}: {{text}}"


async def test_a_prompt_is_created_listed_changed_deleted_and_restored(api: Api):
    wanted = {"name": "translate", "title": "Translate", "folder": "work", "text": TEXT}
    made = await api.http.post("/prompts", json=wanted)
    place = made.headers["Location"].removeprefix("/api/v1")

    assert made.status_code == 201
    assert made.json() | wanted == made.json()
    assert made.json()["variables"] == [{"name": "language", "default": "German"}, {"name": "text", "default": None}]
    assert (await api.http.get("/prompts")).json() == {"items": [made.json()]}
    changed = await api.http.patch(place, json={"name": "put-into", "folder": ""})
    assert (changed.status_code, changed.json()["name"], changed.json()["folder"]) == (200, "put-into", "")
    assert changed.json()["text"] == TEXT
    assert (await api.http.get(place)).json() == changed.json()
    assert (await api.http.delete(place)).status_code == 204
    assert ((await api.http.get(place)).status_code, (await api.http.delete(place)).status_code) == (404, 404)
    assert (await api.http.get("/prompts")).json()["items"] == []
    assert (await api.http.post(f"{place}/undelete")).json() == changed.json()
    assert (await api.http.post(f"{place}/undelete")).status_code == 404


async def test_prompts_are_listed_by_folder_and_name(api: Api):
    for name, folder in (("z", ""), ("b", "Work"), ("A", "work"), ("c", "home")):
        assert (await api.http.post("/prompts", json={"name": name, "folder": folder, "text": "x"})).status_code == 201

    listed = (await api.http.get("/prompts")).json()["items"]

    assert [(one["folder"], one["name"]) for one in listed] == [("", "z"), ("home", "c"), ("Work", "b"), ("work", "A")]


async def test_a_refused_prompt_says_which_field_and_why(api: Api):
    await api.http.post("/prompts", json={"name": "translate", "text": TEXT})
    other = (await api.http.post("/prompts", json={"name": "other", "text": "x"})).json()["id"]

    twice = await api.http.post("/prompts", json={"name": "TRANSLATE", "text": "x"})
    assert (twice.status_code, twice.json()["type"]) == (409, "urn:inview:problem:conflict")
    for body, field in (
        ({"name": "two words"}, "name"),
        ({"folder": "a//b"}, "folder"),
        ({"title": "two\nlines"}, "title"),
        ({"text": "  "}, "text"),
        ({"name": None}, "name"),
        ({"words": "x"}, "words"),
        ({}, "body"),
    ):
        refused = await api.http.patch(f"/prompts/{other}", json=body)
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, field), body
    assert (await api.http.patch(f"/prompts/{other}", json={"name": "Translate"})).status_code == 409
    assert (await api.http.patch("/prompts/none", json={"name": "x"})).status_code == 404
    assert (await api.http.post("/prompts", json={"name": "x"})).status_code == 422


async def test_a_restored_prompt_needs_its_name_free(api: Api):
    old = (await api.http.post("/prompts", json={"name": "tea", "text": "x"})).json()["id"]
    await api.http.delete(f"/prompts/{old}")
    assert (await api.http.post("/prompts", json={"name": "Tea", "text": "y"})).status_code == 201

    assert (await api.http.post(f"/prompts/{old}/undelete")).status_code == 409


async def test_prompts_leave_as_a_file_and_come_back_once(api: Api):
    wanted = {"name": "translate", "title": "Translate", "folder": "work", "text": TEXT}
    first = (await api.http.post("/prompts", json=wanted)).json()
    left = await api.http.get("/prompts/export")
    file = left.json()

    same = await api.http.post("/prompts/import", json=file)
    await api.http.patch(f"/prompts/{first['id']}", json={"text": "Changed here"})
    again = await api.http.post("/prompts/import", json=file)

    assert 'filename="prompts.json"' in left.headers["Content-Disposition"]
    assert (file["format"], file["version"], file["prompts"]) == ("inview-prompts", 1, [wanted])
    assert (same.status_code, same.json()) == (201, {"items": [], "known": 1})
    (made,) = again.json()["items"]
    assert (made["name"], made["text"], again.json()["known"]) == ("translate-2", TEXT, 0)
    refused = await api.http.post("/prompts/import", json={**file, "prompts": [{**wanted, "name": "two words"}]})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "prompts.name")
    assert (await api.http.post("/prompts/import", json={**file, "version": 2})).status_code == 422


async def test_a_deleted_prompt_is_in_the_trash_and_comes_back_or_goes_for_good(api: Api):
    prompt = (await api.http.post("/prompts", json={"name": "translate", "text": TEXT})).json()
    await api.http.delete(f"/prompts/{prompt['id']}")

    (entry,) = (await api.http.get("/trash")).json()["items"]

    assert (entry["id"], entry["kind"], entry["title"], entry["snippet"]) == (prompt["id"], "prompt", "translate", TEXT)
    taken = (await api.http.post("/prompts", json={"name": "translate", "text": "x"})).json()
    assert (await api.http.post(f"/trash/{prompt['id']}/restore")).status_code == 409
    await api.http.delete(f"/prompts/{taken['id']}")
    assert (await api.http.post(f"/trash/{prompt['id']}/restore")).json()["kind"] == "prompt"
    assert [one["id"] for one in (await api.http.get("/prompts")).json()["items"]] == [prompt["id"]]
    await api.http.delete(f"/prompts/{prompt['id']}")
    assert (await api.http.delete("/trash")).json() == {"count": 2}
    assert (await api.http.post(f"/prompts/{prompt['id']}/undelete")).status_code == 404
