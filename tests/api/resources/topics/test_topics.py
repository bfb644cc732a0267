"""Topics over HTTP, as a picker uses them."""

from __future__ import annotations

from tests.api.served import Api


async def test_a_topic_is_created_listed_changed_and_deleted(api: Api):
    made = await api.http.post("/topics", json={"path": "AI"})
    below = await api.http.post("/topics", json={"path": "AI > Planning"})

    assert (made.status_code, below.status_code) == (201, 201)
    assert below.json()["path"] == "AI > Planning"
    listed = (await api.http.get("/topics", params={"order": "manual"})).json()
    assert listed["order"] == "manual"
    assert [(topic["path"], topic["depth"], topic["total"]) for topic in listed["items"]] == [
        ("AI", 0, 0),
        ("AI > Planning", 1, 0),
    ]
    moved = await api.http.patch(f"/topics/{below.json()['id']}", json={"parent_id": None, "name": "Plans"})
    assert (moved.status_code, moved.json()["path"]) == (200, "Plans")
    assert (await api.http.delete(f"/topics/{made.json()['id']}")).status_code == 204
    assert [topic["path"] for topic in (await api.http.get("/topics")).json()["items"]] == ["Plans"]


async def test_a_refused_topic_says_which_field_and_why(api: Api):
    blank = await api.http.post("/topics", json={"path": "AI > "})
    ids = [(await api.http.post("/topics", json={"path": path})).json()["id"] for path in ("AI", "Work")]
    twice = await api.http.patch(f"/topics/{ids[1]}", json={"name": "ai"})
    nothing = await api.http.patch("/topics/x", json={})

    assert (blank.status_code, blank.json()["errors"][0]["field"]) == (422, "path")
    assert (twice.status_code, twice.json()["type"]) == (409, "urn:inview:problem:conflict")
    assert nothing.status_code == 422
    assert (await api.http.patch("/topics/x", json={"name": "y"})).status_code == 404
