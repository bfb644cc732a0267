"""Uploads over HTTP: accepted and refused files, and their names in a send."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from app.domain.attachments.uploads import MAX_UPLOAD_BYTES
from tests.api.served import Api
from tests.api.talk import AT_ONCE, create_conversation, follow, send
from tests.media.test_pictures import a_photo, a_picture

BYTES = {"Content-Type": "application/octet-stream"}


async def upload(api: Api, data: bytes, name: str = "photo.jpg", **more: Any) -> dict[str, Any]:
    answer = await api.http.post("/attachments", content=data, params={"name": name, **more}, headers=BYTES)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def test_a_photo_is_kept_as_it_is_sent_and_can_be_looked_at(api: Api) -> None:
    kept = await upload(api, a_picture("JPEG", (4_000, 3_000)), "../holiday.jpg")

    shown = await api.http.get(f"/attachments/{kept['id']}")

    assert kept | {"id": "", "upload_id": "", "size": 0} == {
        "id": "",
        "upload_id": "",
        "kind": "image",
        "name": "holiday.jpg",
        "media_type": "image/jpeg",
        "size": 0,
        "width": 2_576,
        "height": 1_932,
        "full_width": 4_000,
        "full_height": 3_000,
    }
    assert len(shown.content) == kept["size"]
    assert shown.headers["content-type"] == "image/jpeg"
    assert shown.headers["content-security-policy"] == "default-src 'none'; sandbox"


async def test_a_send_takes_files_along_and_its_pair_shows_them(api: Api) -> None:
    photo = await upload(api, a_photo())
    table = await upload(api, b"a,b\n", "t.csv")
    conversation = await create_conversation(api, model="offline:demo")
    body: dict[str, Any] = {"text": "Look", "attachments": [photo["id"], table["id"]]}

    preview = (await api.http.post(f"/conversations/{conversation}/preview", json=body)).json()
    started = await send(api, conversation, **body)
    await follow(api, started["run_id"])
    (pair,) = (await api.http.get(f"/conversations/{conversation}/pairs")).json()["items"]
    counted = (await api.http.post(f"/conversations/{conversation}/preview", json={"text": "Look"})).json()

    assert started["content_hash"] == preview["content_hash"]
    assert [part["type"] for part in preview["messages"][-1]["parts"]] == ["text", "image", "text"]
    assert pair["user_text"] == "Look"
    assert pair["attached"] == [
        {"type": "image", "attachment_id": photo["id"], "media_type": "image/jpeg", "width": 40, "height": 20},
        {"type": "text_file", "name": "t.csv", "text": "a,b\n"},
    ]
    assert counted["content_hash"] != preview["content_hash"]


async def test_bytes_of_a_picture_are_gone_with_the_last_conversation_that_used_them(api: Api) -> None:
    photo = await upload(api, a_photo())
    place = f"/attachments/{photo['id']}"
    first, second = [await create_conversation(api, model="offline:demo") for _ in range(2)]
    for conversation in (first, second):
        started = await send(api, conversation, text="Look", attachments=[photo["id"]])
        await follow(api, started["run_id"])
    statuses = list[int]()

    for conversation in (first, second):
        await api.http.delete(f"/conversations/{conversation}")
        await api.http.delete(f"/trash/{conversation}")
        statuses.append((await api.http.get(place)).status_code)

    assert statuses == [200, 404]


async def test_what_is_attached_is_counted_in_the_list_of_pairs(api: Api) -> None:
    photo = await upload(api, a_picture("JPEG", (2_000, 2_000)))
    conversation = await create_conversation(api, model="anthropic:claude-sonnet-4-5")
    place = f"/conversations/{conversation}/pairs"

    alone = (await api.http.get(place, params={"draft": "Look"})).json()["estimate"]["draft"]
    both = (await api.http.get(place, params={"draft": "Look", "attachments": photo["id"]})).json()["estimate"]["draft"]
    wrong = await api.http.get(place, params={"attachments": "nothing"})

    assert both - alone > 1_000
    assert wrong.status_code == 422


async def test_a_queued_text_and_a_comparison_take_files_along(api: Api) -> None:
    table = await upload(api, b"a,b\n", "t.csv")
    conversation = await create_conversation(api, model="offline:demo")
    body: dict[str, Any] = {"text": "/long 30 /rate 30", "attachments": [table["id"]]}
    running = await send(api, conversation, **body)

    queue = await api.http.post(f"/conversations/{conversation}/queue", json=body | {"text": "Later"})
    await api.http.post(f"/runs/{running['run_id']}/cancel")
    other = await create_conversation(api, model="offline:demo")
    models = {"models": ["offline:demo", "offline:tiny"]}
    compared = await api.http.post(f"/conversations/{other}/compare", json=body | models, headers=AT_ONCE)

    assert queue.json()["items"][0]["attachments"] == [table["id"]]
    assert compared.status_code == 202, compared.text


@pytest.mark.parametrize(
    ("data", "name", "reason"),
    [
        (b"MZ\x90\0", "photo.png", "photo.png cannot be sent. Inview accepts pictures"),
        (b"\x89PNG\r\n\x1a\n<script>alert(1)</script>", "x.png", "x.png is damaged or not a picture."),
        (b"", "x.txt", "x.txt is empty."),
        (b"x" * 1_100_000, "x.log", "x.log has 1.0 MiB. The maximum for a text is 1.0 MiB."),
    ],
)
async def test_what_cannot_be_sent_is_refused(api: Api, data: bytes, name: str, reason: str) -> None:
    answer = await api.http.post("/attachments", content=data, params={"name": name}, headers=BYTES)

    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["reason"].startswith(reason)


async def test_a_text_is_saved_and_never_opened_whatever_it_holds(api: Api) -> None:
    kept = await upload(api, b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "x.svg")

    read = await api.http.get(f"/attachments/{kept['id']}")

    assert kept["kind"] == "text"
    assert read.headers["content-type"] == "application/octet-stream"
    assert read.headers["content-disposition"].startswith("attachment;")
    assert read.headers["x-content-type-options"] == "nosniff"


async def test_a_body_too_large_is_refused_before_it_is_read(api: Api) -> None:
    answer = await api.http.post("/attachments", content=b"x" * (MAX_UPLOAD_BYTES + 1), headers=BYTES)

    assert answer.status_code == 413
    reader, writer = await asyncio.open_connection("127.0.0.1", api.port)
    head = ("POST /api/v1/attachments HTTP/1.1", f"Host: {api.host}", f"Content-Length: {1024**3}", "", "")
    writer.write("\r\n".join(head).encode())
    assert b" 413 " in await asyncio.wait_for(reader.readline(), 10)
    writer.close()


@pytest.mark.parametrize("said", ["text/plain", "multipart/form-data; boundary=x", "application/json"])
async def test_a_page_of_another_site_cannot_send_such_a_body(api: Api, said: str) -> None:
    answer = await api.http.post("/attachments", content=b"x", headers={"Content-Type": said})

    assert answer.status_code == 415


async def test_an_upload_that_is_dropped_is_gone(api: Api) -> None:
    kept = await upload(api, b"a", "a.txt")

    dropped = await api.http.delete(f"/attachments/{kept['id']}")

    assert dropped.status_code == 204
    assert (await api.http.get(f"/attachments/{kept['id']}")).status_code == 404
    conversation = await create_conversation(api, model="offline:demo")
    body = {"text": "Look", "attachments": [kept["id"]]}
    refused = await api.http.post(f"/conversations/{conversation}/send", json=body, headers=AT_ONCE)
    assert refused.status_code == 422
    assert "Attach the file again" in refused.json()["errors"][0]["reason"]
    assert (await api.http.delete(f"/attachments/{kept['id']}")).status_code == 404


async def test_a_model_that_accepts_no_images_is_reported_before_the_send(api: Api) -> None:
    kept = await upload(api, a_photo())
    conversation = await create_conversation(api, model="offline:tiny")
    body = {"text": "Look", "attachments": [kept["id"]]}

    refused = await api.http.post(f"/conversations/{conversation}/send", json=body, headers=AT_ONCE)

    assert refused.status_code == 422
    (error,) = refused.json()["errors"]
    assert error["field"] == "attachments"
    assert "Choose a model that does, such as Offline demo" in error["reason"]
