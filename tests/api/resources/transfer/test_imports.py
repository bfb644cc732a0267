"""Imports over HTTP: handed in under an id, described, carried out, undone, dropped."""

from __future__ import annotations

from tests import foreign
from tests.api.served import Api

BYTES = {"Content-Type": "application/octet-stream"}
ID = "0123456789abcdef"


async def test_a_file_is_handed_in_described_imported_and_undone(api: Api):
    file = foreign.packed(foreign.written(foreign.chatgpt_with_branches()))

    ready = await api.http.post("/imports", params={"id": ID, "name": "export.zip"}, content=file, headers=BYTES)
    again = await api.http.post("/imports", params={"id": ID}, content=file, headers=BYTES)
    done = await api.http.post(f"/imports/{ID}/commit")
    twice = await api.http.post(f"/imports/{ID}/commit")
    listed = (await api.http.get("/conversations")).json()["items"]
    undone = await api.http.post(f"/imports/{ID}/undo")

    assert (ready.status_code, ready.json()["status"], ready.json()["format"]) == (201, "ready", "chatgpt")
    assert (again.status_code, twice.status_code) == (409, 409)
    assert (done.status_code, done.json()["status"], done.json()["brought_count"]) == (200, "done", 2)
    assert {one["id"] for one in listed} == {one["id"] for one in done.json()["brought"]}
    assert undone.json()["status"] == "undone"
    assert (await api.http.get("/conversations")).json()["items"] == []


async def test_a_file_that_is_no_export_is_told_and_can_be_forgotten(api: Api):
    failed = await api.http.post("/imports", params={"id": ID}, content=b"hello", headers=BYTES)

    assert (failed.status_code, failed.json()["status"]) == (201, "failed")
    assert (await api.http.delete(f"/imports/{ID}")).status_code == 204
    assert (await api.http.get(f"/imports/{ID}")).status_code == 404


async def test_an_id_that_can_be_none_is_refused(api: Api):
    named = await api.http.post("/imports", params={"id": "../x"}, content=b"[]", headers=BYTES)

    assert named.status_code == 422
    assert "no id of an import" in named.json()["errors"][0]["reason"]
    assert (await api.http.post("/imports", content=b"[]")).status_code == 415
