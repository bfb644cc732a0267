"""The exact bytes of requests as files."""

from __future__ import annotations

from pathlib import Path

from app.runs.app_context import current
from app.runs.request.prepared import MAX_REQUESTS
from app.runs.runtime.ids import now
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import preview_send
from app.runs.send.send_request import SendRequest
from app.store.run.snapshots import Snapshot, save_snapshot
from tests.api.served import serve_api
from tests.api.talk import create_conversation, send


async def test_previewed_body_is_given_as_a_file_and_only_to_its_conversation(tmp_path: Path) -> None:
    async with serve_api(tmp_path) as api:
        conversation = await create_conversation(api, model="offline:demo")
        other = await create_conversation(api, model="offline:demo")
        planned = await preview_send(current(), LOCAL_OWNER, conversation, SendRequest("Hello"))
        key = current().prepared.keep(LOCAL_OWNER, conversation, planned)

        answer = await api.http.get(f"/conversations/{conversation}/preview/{key}")

        assert answer.content == planned.wire.body
        assert answer.headers["content-disposition"].startswith("attachment")
        assert (await api.http.get(f"/conversations/{other}/preview/{key}")).status_code == 404
        assert (await api.http.get(f"/conversations/{conversation}/preview/{'0' * 64}")).status_code == 404


async def test_few_previews_are_kept_and_the_newest_always_is(tmp_path: Path) -> None:
    async with serve_api(tmp_path) as api:
        conversation = await create_conversation(api, model="offline:demo")
        ctx = current()
        keys = [
            ctx.prepared.keep(
                LOCAL_OWNER, conversation, await preview_send(ctx, LOCAL_OWNER, conversation, SendRequest(f"Text {at}"))
            )
            for at in range(MAX_REQUESTS + 1)
        ]

        found = [ctx.prepared.find(LOCAL_OWNER, conversation, key) is not None for key in keys]

        assert found == [False] + [True] * MAX_REQUESTS


async def test_body_kept_of_a_failed_pair_is_given_as_it_left(tmp_path: Path) -> None:
    async with serve_api(tmp_path) as api:
        conversation = await create_conversation(api, model="offline:demo")
        await send(api, conversation, "/fail server")
        (pair,) = (await api.http.get(f"/conversations/{conversation}/pairs")).json()["items"]
        left = Snapshot(pair["id"], pair["run_id"], "offline:demo", "0" * 64, "http://x/v1", (), b'{"a": 1.0}', now())
        async with current().store.write() as session:
            await save_snapshot(session, LOCAL_OWNER, left)

        answer = await api.http.get(f"/pairs/{pair['id']}/snapshot/body")

        assert (answer.status_code, answer.content) == (200, left.body)
        assert (await api.http.get("/pairs/gone/snapshot/body")).status_code == 404
