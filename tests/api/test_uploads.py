"""Uploads over HTTP: what is taken, what is refused, and how a send names it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from sqlalchemy import func, select
from structlog.testing import capture_logs

from app.domain.conversation.uploads import MAX_UPLOAD_BYTES
from app.store.conversation.rows_attachment import ATTACHMENT
from app.store.conversation.rows_upload import UPLOAD
from tests.api.served import Api
from tests.api.talk import AT_ONCE, create_conversation, follow, send
from tests.media.test_pictures import a_photo, a_picture
from tests.pdfs import a_pdf

BYTES = {"Content-Type": "application/octet-stream"}
BYTES_LINE = "Content-Type: application/octet-stream"


async def stored(api: Api) -> int:
    """How many files are stored."""
    async with api.wb.store.read() as session:
        counts = [
            (await session.execute(select(func.count()).select_from(each))).scalar_one()
            for each in (UPLOAD, ATTACHMENT)
        ]
    return sum(counts)


async def upload(api: Api, data: bytes, name: str = "photo.jpg", **more: Any) -> dict[str, Any]:
    answer = await api.http.post("/attachments", content=data, params={"name": name, **more}, headers=BYTES)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def test_a_photo_is_kept_as_it_is_sent_and_can_be_looked_at(api: Api) -> None:
    kept = await upload(api, a_picture("JPEG", (4_000, 3_000)), "../holiday.jpg")

    shown = await api.http.get(f"/attachments/{kept['id']}")

    assert kept | {"id": "", "size": 0} == {
        "id": "",
        "kind": "image",
        "name": "holiday.jpg",
        "media_type": "image/jpeg",
        "size": 0,
        "width": 2_576,
        "height": 1_932,
        "full_width": 4_000,
        "full_height": 3_000,
        "pages": 0,
        "textless_pages": 0,
        "other_id": "",
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


async def test_what_is_attached_is_counted_in_the_list_of_pairs(api: Api) -> None:
    photo = await upload(api, a_picture("JPEG", (2_000, 2_000)))
    conversation = await create_conversation(api, model="anthropic:claude-sonnet-4-5")
    place = f"/conversations/{conversation}/pairs"

    alone = (await api.http.get(place, params={"draft": "Look"})).json()["estimate"]["draft"]
    both = (await api.http.get(place, params={"draft": "Look", "attachments": photo["id"]})).json()["estimate"]["draft"]
    wrong = await api.http.get(place, params={"attachments": "nothing"})

    assert both - alone > 1_000
    assert wrong.status_code == 422


async def test_an_image_needs_no_text_wherever_it_is_sent(api: Api) -> None:
    photo = await upload(api, a_photo())
    conversation = await create_conversation(api, model="offline:demo")
    attached: dict[str, Any] = {"attachments": [photo["id"]]}

    started = await api.http.post(f"/conversations/{conversation}/send", json=attached, headers=AT_ONCE)
    await follow(api, started.json()["run_id"])
    pair = started.json()["pair_id"]
    again = await api.http.post(f"/pairs/{pair}/resend", json={"text": " "}, headers=AT_ONCE)
    await follow(api, again.json()["run_id"])
    queued = await api.http.post(f"/conversations/{conversation}/queue", json=attached | {"text": " ", "paused": True})
    (waiting,) = queued.json()["items"]
    place = f"/conversations/{conversation}/queue/{waiting['id']}"
    changed = await api.http.patch(place, json={"text": ""})
    other = await create_conversation(api, model="offline:demo")
    table = await upload(api, b"a,b\n", "t.csv")
    asked = {"models": ["offline:demo", "offline:tiny"], "attachments": [table["id"]]}
    compared = await api.http.post(f"/conversations/{other}/compare", json=asked, headers=AT_ONCE)

    assert [one.status_code for one in (started, again, queued, changed, compared)] == [202, 202, 200, 200, 202]


async def test_a_request_that_is_a_text_cannot_be_made_blank(api: Api) -> None:
    conversation = await create_conversation(api, model="offline:demo")
    started = await send(api, conversation, "/echo a")
    await follow(api, started["run_id"])

    for address in ("resend", "preview"):
        refused = await api.http.post(f"/pairs/{started['pair_id']}/{address}", json={"text": " "}, headers=AT_ONCE)
        assert refused.status_code == (422 if address == "resend" else 200), refused.text


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
        (b"MZ\x90\0", "photo.png", "photo.png is no file that can be sent. Inview takes pictures"),
        (b"\x89PNG\r\n\x1a\n<script>alert(1)</script>", "x.png", "x.png is damaged, or is no picture."),
        (b"", "x.txt", "x.txt is empty."),
        (b"x" * 1_100_000, "x.log", "x.log has 1.0 MiB; 1.0 MiB are the most for a text."),
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


async def test_a_body_of_no_stated_length_is_refused_where_it_grows_too_large(api: Api) -> None:
    async def endless() -> AsyncGenerator[bytes]:
        for _ in range(MAX_UPLOAD_BYTES // 2**16 + 2):
            yield b"x" * 2**16

    answer = await api.http.post("/attachments", content=endless(), headers=BYTES)

    assert answer.status_code == 413
    assert await stored(api) == 0


@pytest.mark.parametrize("data", [a_picture("PNG", (400, 400)), b"a,b\n" * 1_000], ids=["picture", "text"])
async def test_an_upload_that_is_cut_off_midway_leaves_nothing_behind(api: Api, data: bytes) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", api.port)
    head = ("POST /api/v1/attachments HTTP/1.1", f"Host: {api.host}", f"Content-Length: {len(data)}", BYTES_LINE)
    writer.write("\r\n".join((*head, "", "")).encode() + data[: len(data) // 2])
    await writer.drain()
    await asyncio.sleep(0.1)
    with capture_logs() as logs:
        writer.transport.abort()
        async with asyncio.timeout(10):
            while api.served.server.server_state.connections:  # noqa: ASYNC110 - the server tells nobody
                await asyncio.sleep(0.01)

    assert await stored(api) == 0
    assert logs == []
    del reader


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


async def test_a_model_that_takes_no_images_is_told_before_the_send(api: Api) -> None:
    kept = await upload(api, a_photo())
    conversation = await create_conversation(api, model="offline:tiny")
    body = {"text": "Look", "attachments": [kept["id"]]}

    refused = await api.http.post(f"/conversations/{conversation}/send", json=body, headers=AT_ONCE)

    assert refused.status_code == 422
    (error,) = refused.json()["errors"]
    assert error["field"] == "attachments"
    assert "Choose a model that does, such as Offline demo" in error["reason"]


async def test_a_pdf_is_kept_in_both_forms_and_each_is_sent_by_its_own_id(api: Api) -> None:
    kept = await upload(api, a_pdf("Hello", "", more="/Names <<>>"), "../plan.pdf")
    conversation = await create_conversation(api, model="offline:demo")

    def preview(one: str) -> Any:
        body = {"text": "Look", "attachments": [one]}
        return api.http.post(f"/conversations/{conversation}/preview", json=body)

    as_file, as_text = (await preview(kept["id"])).json(), (await preview(kept["other_id"])).json()
    started = await send(api, conversation, text="Look", attachments=[kept["id"]])
    await follow(api, started["run_id"])
    (pair,) = (await api.http.get(f"/conversations/{conversation}/pairs")).json()["items"]

    assert (kept["kind"], kept["name"], kept["pages"], kept["textless_pages"]) == ("file", "plan.pdf", 2, 1)
    part = as_file["messages"][-1]["parts"][-1]
    assert (part["type"], part["attachment_id"], part["name"]) == ("file", kept["id"], "plan.pdf")
    text = as_text["messages"][-1]["parts"][-1]["text"]
    assert text == '<file name="plan.pdf">\n[Page 1]\nHello\n\n[Page 2 has no text]\n</file>'
    assert started["content_hash"] == as_file["content_hash"] != as_text["content_hash"]
    (attached,) = pair["attached"]
    assert (attached["pages"], attached["characters"], attached["size"]) == (2, 5, kept["size"])


async def test_a_model_that_takes_no_files_is_told_before_the_send_and_takes_the_text(api: Api) -> None:
    kept = await upload(api, a_pdf("Hello"), "plan.pdf")
    conversation = await create_conversation(api, model="offline:tiny")
    place = f"/conversations/{conversation}/send"

    refused = await api.http.post(place, json={"text": "Look", "attachments": [kept["id"]]}, headers=AT_ONCE)
    taken = await api.http.post(place, json={"text": "Look", "attachments": [kept["other_id"]]}, headers=AT_ONCE)

    assert refused.status_code == 422
    reason = refused.json()["errors"][0]["reason"]
    assert "does not take files. Choose a model that does, such as Offline demo, or attach it as text." in reason
    assert taken.status_code == 202, taken.text


async def test_the_pages_of_a_pdf_are_counted_as_text_and_as_pictures(api: Api) -> None:
    kept = await upload(api, a_pdf(*["word " * 400] * 3), "plan.pdf")
    conversation = await create_conversation(api, model="anthropic:claude-sonnet-4-5")

    async def draft(**more: str) -> int:
        params = {"draft": "Look", **more}
        return (await api.http.get(f"/conversations/{conversation}/pairs", params=params)).json()["estimate"]["draft"]

    alone, as_text = await draft(), await draft(attachments=kept["other_id"])
    as_file = await draft(attachments=kept["id"])

    assert as_text - alone > 1_200
    assert as_file - as_text > 3 * 1_000


async def test_a_pdf_is_saved_and_never_opened_and_dropped_in_both_forms(api: Api) -> None:
    kept = await upload(api, a_pdf("Hello", trailing=b"<script>alert(1)</script>"), "plan.html")

    read = await api.http.get(f"/attachments/{kept['id']}")
    await api.http.delete(f"/attachments/{kept['id']}")

    assert read.headers["content-type"] == "application/octet-stream"
    assert read.headers["content-disposition"].startswith("attachment;")
    assert read.headers["x-content-type-options"] == "nosniff"
    assert read.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert await stored(api) == 0
