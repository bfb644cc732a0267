"""The bytes of attachments over HTTP: pictures are shown, everything else can only be saved."""

from __future__ import annotations

import pytest

from app.domain.attachments.attachments import Attachment
from app.runs.runtime.ids import now
from app.runs.runtime.owner import LOCAL_OWNER
from app.store.attachments.attachments import keep_attachments
from tests.api.served import Api
from tests.api.talk import create_conversation
from tests.domain.attachments.test_attachments import a_png


async def keep(api: Api, attachment: Attachment) -> None:
    conversation = await create_conversation(api)
    async with api.ctx.store.write() as session:
        await keep_attachments(session, LOCAL_OWNER, conversation, [attachment], now())


async def test_a_picture_is_shown_as_what_its_bytes_are(api: Api) -> None:
    picture = Attachment("text/html", a_png(2, 2))
    await keep(api, picture)

    answer = await api.http.get(f"/attachments/{picture.id}", headers={"Accept": "image/avif,image/webp,*/*;q=0.8"})

    assert answer.status_code == 200
    assert answer.content == picture.data
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["content-disposition"] == "inline"
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "attachment",
    [
        Attachment("text/html", b"<script>alert(1)</script>", "a.html"),
        Attachment("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", 'b"\r\n.svg'),
        Attachment("image/png", b"<html>no picture at all"),
    ],
)
async def test_what_is_no_picture_is_saved_and_never_opened(api: Api, attachment: Attachment) -> None:
    await keep(api, attachment)

    answer = await api.http.get(f"/attachments/{attachment.id}")

    assert answer.content == attachment.data
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith("attachment; filename*=UTF-8''")
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"


async def test_what_is_not_there_is_not_found_and_what_is_no_name_is_refused(api: Api) -> None:
    assert (await api.http.get(f"/attachments/{'0' * 64}")).status_code == 404
    assert (await api.http.get("/attachments/../secret")).status_code == 404
    assert (await api.http.get("/attachments/secret")).status_code == 422
