"""A provider that is not set up: its conversations can be read in every way, and a send names what is missing."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from sqlalchemy import update

from app.runs.runtime.owner import LOCAL_OWNER
from app.store.conversation.conversations import update_conversation
from app.store.conversation.rows import RUN
from tests.api.served import Api
from tests.api.talk import answered, create_conversation

PAIR = {"user_text": "Where is it?", "reply_text": "It is gone.", "model": "gone:big"}


async def an_imported(api: Api) -> str:
    file = {"format": "inview", "version": 1, "conversations": [{"title": "Old", "model": "gone:big", "pairs": [PAIR]}]}
    answer = await api.http.post("/import", content=orjson.dumps(file), headers={"Content-Type": "application/json"})
    assert answer.status_code == 201, answer.text
    return answer.json()["conversations"][0]["id"]


READS = (
    "/conversations",
    "/conversations/{}",
    "/conversations/{}/pairs",
    "/conversations/{}/pairs?filter=r1",
    "/conversations/{}/history",
    "/conversations/{}/nodes",
    "/conversations/{}/export",
    "/conversations/{}/export?format=md&filter=r1",
    "/conversations/{}/export?format=html",
)
DRAFT = {"text": "And now?"}
SENDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("send", DRAFT),
    ("preview", DRAFT),
    ("count", DRAFT),
    ("compare", DRAFT | {"models": ["gone:big", "offline:demo"]}),
    ("title", {}),
    ("summarize/preview", {}),
)


@pytest.mark.parametrize("path", READS)
async def test_history_of_a_provider_that_is_not_set_up_can_be_read(api: Api, path: str):
    conversation_id = await an_imported(api)

    answer = await api.http.get(path.format(conversation_id))

    assert answer.status_code == 200, answer.text
    assert "pairs" not in path or "Where is it?" in answer.text


@pytest.mark.parametrize(("path", "body"), SENDS)
async def test_whatever_asks_a_provider_that_is_not_set_up_says_what_to_do(api: Api, path: str, body: dict[str, Any]):
    conversation_id = await an_imported(api)

    answer = await api.http.post(f"/conversations/{conversation_id}/{path}", json=body)

    assert answer.status_code == 422, answer.text
    (error,) = answer.json()["errors"]
    assert error["field"] == "model"
    assert error["reason"].startswith(
        "provider 'gone' is not configured. Choose another model, or add the provider in Settings"
    )


async def test_a_queued_text_waits_and_says_what_is_missing(api: Api):
    conversation_id = await an_imported(api)

    queue = (await api.http.post(f"/conversations/{conversation_id}/queue", json=DRAFT)).json()

    assert [item["text"] for item in queue["items"]] == ["And now?"]
    assert "provider 'gone' is not configured. Choose another model" in queue["held"]["message"]


async def test_another_model_answers_where_the_old_provider_is_gone(api: Api):
    conversation_id = await an_imported(api)
    await api.http.patch(f"/conversations/{conversation_id}", json={"model": "offline:demo"})

    pair = await answered(api, conversation_id, "/echo Here")

    assert pair["reply_text"] == "Here"


async def test_history_of_a_model_without_a_provider_can_be_read_and_a_send_refuses_it(api: Api):
    conversation_id = await an_imported(api)
    async with api.ctx.store.write() as session:
        await update_conversation(session, LOCAL_OWNER, conversation_id, {"model": "big"})

    read = await api.http.get(f"/conversations/{conversation_id}/pairs")
    sent = await api.http.post(f"/conversations/{conversation_id}/send", json=DRAFT)

    assert (read.status_code, len(read.json()["items"])) == (200, 1)
    assert sent.status_code == 409
    assert "model" in sent.json()["detail"]


async def test_verification_after_the_provider_was_removed_says_what_is_missing(api: Api):
    conversation_id = await create_conversation(api, model="offline:demo")
    pair = await answered(api, conversation_id)
    async with api.ctx.store.write() as session:
        await session.execute(update(RUN).values(model="gone:big"))

    answer = await api.http.get(f"/runs/{pair['run_id']}/verify")

    assert answer.status_code == 200, answer.text
    assert "provider 'gone' is not configured" in answer.json()["reasons"][0]
