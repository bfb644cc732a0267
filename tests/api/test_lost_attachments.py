"""An attachment that is missing, cut off or changed: its pair says so and is left out, until it is attached again."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from app.runs.runtime.owner import LOCAL_OWNER
from app.store.run.stored_runs import load_run
from tests.api.damaged import screen_of
from tests.api.served import Api, serve_api
from tests.api.talk import create_conversation, follow, send
from tests.api.test_uploads import upload
from tests.media.test_pictures import a_photo

LOSSES = {
    "missing": ("DELETE FROM attachment", "its message refers to it, but it is missing"),
    "cut off": ("UPDATE attachment SET data = substr(data, 1, 5)", "it has 5 of "),
    "no bytes": ("UPDATE attachment SET data = 'gone'", "it is not bytes"),
    "no size": ("UPDATE attachment SET size = 'gone'", "its size cannot be read"),
}


async def _execute(api: Api, statement: str) -> None:
    async with api.ctx.store.write() as session:
        await session.execute(text(statement))


async def _talk(api: Api) -> tuple[str, str]:
    """Create a conversation of two pairs, the first one with a photo. Return its id, and that of the photo."""
    photo = await upload(api, a_photo())
    conversation = await create_conversation(api, model="offline:demo")
    for words, attachments in (("/echo look", [photo["id"]]), ("/echo two", [])):
        await follow(api, (await send(api, conversation, words, attachments=attachments))["run_id"])
    return conversation, photo["id"]


async def _list_out(api: Api, conversation: str) -> list[str | None]:
    return [one["out"] for one in (await api.http.get(f"/conversations/{conversation}/pairs")).json()["items"]]


async def _send_and_list_sent(api: Api, conversation: str, words: str) -> tuple[tuple[int, int], ...]:
    started = await send(api, conversation, words)
    await follow(api, started["run_id"])
    async with api.ctx.store.read() as session:
        return (await load_run(session, LOCAL_OWNER, started["run_id"])).sent or ()


@pytest.mark.parametrize("loss", LOSSES)
async def test_pair_with_a_lost_attachment_is_marked_and_left_out_until_it_is_attached_again(
    tmp_path: Path, loss: str
) -> None:
    statement, reason = LOSSES[loss]
    async with serve_api(tmp_path) as api:
        conversation, photo = await _talk(api)
        assert await _list_out(api, conversation) == [None, None]
    with sqlite3.connect(tmp_path / "inview.db") as connection:
        connection.execute(statement)
    connection.close()

    async with serve_api(tmp_path) as api:
        first, _ = (await api.http.get(f"/conversations/{conversation}/pairs")).json()["items"]
        (damage,) = first["damage"]
        assert (damage["table"], damage["row_id"]) == ("attachment", photo)
        assert damage["reason"].startswith(reason)
        assert await _list_out(api, conversation) == ["damaged", None]
        shown = (await screen_of(api.ctx, conversation, 2)).pairs[0]
        assert [(one.kind, one.name) for one in shown.attached] == [("lost", "Picture: missing")]
        preview = (await api.http.post(f"/conversations/{conversation}/preview", json={"text": "/echo x"})).text
        assert "/echo two" in preview
        assert "/echo look" not in preview
        assert await _send_and_list_sent(api, conversation, "/echo three") == ((2, 2),)
        assert photo in (await api.http.get(f"/pairs/{first['id']}/raw")).text
        assert (await api.http.get(f"/conversations/{conversation}/export")).status_code == 200

        await upload(api, a_photo())
        await api.http.get(f"/conversations/{conversation}/pairs")  # detects the loss
        assert await _list_out(api, conversation) == [None, None, None]
        assert await _send_and_list_sent(api, conversation, "/echo four") == ((1, 3),)


async def test_pair_whose_attachment_is_lost_can_be_deleted(tmp_path: Path) -> None:
    async with serve_api(tmp_path) as api:
        conversation, _ = await _talk(api)
        await _execute(api, "DELETE FROM attachment")
        first, _ = (await api.http.get(f"/conversations/{conversation}/pairs")).json()["items"]

        assert (await api.http.delete(f"/pairs/{first['id']}")).status_code == 200
        assert await _list_out(api, conversation) == [None]


async def test_changed_bytes_are_not_sent_but_refused_before_anything_is(tmp_path: Path) -> None:
    async with serve_api(tmp_path) as api:
        conversation, photo = await _talk(api)
        await _execute(api, "UPDATE attachment SET data = zeroblob(length(data))")
        changed: dict[str, Any] = {"model": "anthropic:claude-sonnet-4-5"}
        await api.http.patch(f"/conversations/{conversation}", json=changed)

        refused = await api.http.post(f"/conversations/{conversation}/preview", json={"text": "Look"})

        assert refused.status_code == 422, refused.text
        assert f"The file {photo[:12]}… is missing, or was changed" in refused.text
        await upload(api, a_photo())
        again = await api.http.post(f"/conversations/{conversation}/preview", json={"text": "Look"})
        assert again.status_code == 200, again.text


async def _delete_pair(api: Api, conversation: str, first: str) -> None:
    assert (await api.http.delete(f"/pairs/{first}")).status_code == 200


async def _narrow_the_view(api: Api, conversation: str, first: str) -> None:
    assert (await api.http.patch(f"/conversations/{conversation}", json={"filter": "r1"})).status_code == 200


async def _attach_again(api: Api, conversation: str, first: str) -> None:
    await upload(api, a_photo())


async def _read_the_pairs(api: Api, conversation: str, first: str) -> None:
    assert await _list_out(api, conversation) == ["damaged", None]


WAYS: dict[str, Callable[[Api, str, str], Awaitable[None]]] = {
    "the pair is deleted": _delete_pair,
    "the pair is not in view": _narrow_the_view,
    "the file is attached again": _attach_again,
    "the pair is read again": _read_the_pairs,
}


@pytest.mark.parametrize("way", WAYS)
async def test_file_that_is_lost_while_inview_runs_is_refused_by_its_name_and_the_conversation_continues(
    tmp_path: Path, way: str
) -> None:
    async with serve_api(tmp_path) as api:
        conversation, photo = await _talk(api)
        changed: dict[str, Any] = {"model": "anthropic:claude-sonnet-4-5"}
        await api.http.patch(f"/conversations/{conversation}", json=changed)
        first, _ = (await api.http.get(f"/conversations/{conversation}/pairs")).json()["items"]
        preview = f"/conversations/{conversation}/preview"
        assert (await api.http.post(preview, json={"text": "Look"})).status_code == 200  # everything is intact so far
        await _execute(api, "DELETE FROM attachment")

        refused = await api.http.post(preview, json={"text": "Look"})
        assert refused.status_code == 422, refused.text
        assert f"The file {photo[:12]}… is missing, or was changed since it was attached." in refused.text
        assert "Hide its pair with a filter, delete the pair, or attach the file again." in refused.text
        unsent = await api.http.post(f"/conversations/{conversation}/send", json={"text": "Look"})
        assert unsent.status_code == 422, unsent.text
        await WAYS[way](api, conversation, first["id"])

        assert (await api.http.post(preview, json={"text": "Look"})).status_code == 200
