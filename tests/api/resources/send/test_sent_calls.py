"""The record of provider calls over HTTP."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from tests.api.served import serve_api
from tests.api.talk import answered, create_conversation


async def test_calls_of_a_pair_say_what_each_contained_and_give_its_bytes(tmp_path: Path) -> None:
    async with serve_api(tmp_path) as api:
        conversation = await create_conversation(api, model="offline:demo", system_prompt="Be brief.")
        await answered(api, conversation, "/echo one")
        await answered(api, conversation, "/echo two")
        pairs = (await api.http.get(f"/conversations/{conversation}/pairs")).json()["items"]

        (call,) = (await api.http.get(f"/pairs/{pairs[1]['id']}/calls")).json()["calls"]
        body = await api.http.get(f"/calls/{call['id']}/body")

        assert [(one["message_index"], one["role"], one["content_length"]) for one in call["messages"]] == [
            (0, "system", 9),
            (1, "user", 9),
            (2, "assistant", 3),
            (3, "user", 9),
        ]
        assert (call["number"], call["purpose"], call["model"]) == (1, "reply", "offline:demo")
        assert sha256(body.content).hexdigest() == call["body_sha256"]
        assert len(body.content) == call["body_bytes"]
        assert body.headers["content-disposition"].startswith("attachment")


async def test_what_was_never_sent_is_not_found(tmp_path: Path) -> None:
    async with serve_api(tmp_path) as api:
        assert (await api.http.get("/pairs/nothing/calls")).status_code == 404
        for call_id in ("nothing", "nothing-1", "nothing-0", "-1", "nothing-99999999999999999999"):
            assert (await api.http.get(f"/calls/{call_id}/body")).status_code == 404
