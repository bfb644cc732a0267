"""A program that does not know whether its send arrived sends it again with the same key."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import httpx2
import pytest

from app.runs.process.ids import now
from app.runs.send.idempotency import KEPT
from app.runs.upkeep import keep_up
from tests.api.served import Api
from tests.api.talk import AT_ONCE, create_conversation, follow, words_of


async def post(api: Api, path: str, key: str, **body: Any) -> httpx2.Response:
    return await api.http.post(path, json=body, headers={**AT_ONCE, "Idempotency-Key": key})


async def count_pairs(api: Api, conversation_id: str) -> int:
    return len((await api.http.get(f"/conversations/{conversation_id}/pairs")).json()["items"])


@pytest.mark.parametrize("temporary", [False, True])
async def test_same_key_and_body_give_the_same_run(api: Api, temporary: bool):
    conversation_id = await create_conversation(api, temporary=temporary)
    path = f"/conversations/{conversation_id}/send"

    first = await post(api, path, "k1", text="Hello")
    await follow(api, first.json()["run_id"])
    second = await post(api, path, "k1", text="Hello")

    assert (first.status_code, second.status_code) == (202, 202)
    assert first.json() == second.json()
    assert await count_pairs(api, conversation_id) == 1
    assert words_of(await follow(api, second.json()["run_id"]))


async def test_same_key_with_another_body_is_refused(api: Api):
    path = f"/conversations/{await create_conversation(api)}/send"
    first = await post(api, path, "k1", text="Hello")

    other = await post(api, path, "k1", text="Goodbye")

    assert (first.status_code, other.status_code) == (202, 422)
    assert other.json()["errors"][0]["field"] == "Idempotency-Key"


async def test_sends_at_once_with_one_key_begin_one_run(api: Api):
    conversation_id = await create_conversation(api)
    path = f"/conversations/{conversation_id}/send"

    answers = await asyncio.gather(*(post(api, path, "k1", text="/long 5 /rate 0") for _ in range(5)))

    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.json()["run_id"] for answer in answers}) == 1
    assert await count_pairs(api, conversation_id) == 1


async def test_first_sends_at_once_with_one_key_begin_one_conversation(api: Api):
    answers = await asyncio.gather(*(post(api, "/send", "k1", text="Hello", model="offline:demo") for _ in range(5)))

    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.json()["conversation_id"] for answer in answers}) == 1
    assert len((await api.http.get("/conversations")).json()["items"]) == 1


async def test_refused_send_leaves_its_key_free(api: Api):
    conversation_id = await create_conversation(api)
    path = f"/conversations/{conversation_id}/send"
    refused = await post(api, path, "k1", text="Hello", model="nobody:m")

    again = await post(api, path, "k1", text="Hello")

    assert (refused.status_code, again.status_code) == (422, 202)


async def test_keys_of_yesterday_are_forgotten(api: Api):
    path = f"/conversations/{await create_conversation(api)}/send"
    first = await post(api, path, "k1", text="Hello")
    await follow(api, first.json()["run_id"])

    await keep_up(api.wb, now() + KEPT + timedelta(seconds=1))
    other = await post(api, path, "k1", text="Goodbye")

    assert other.status_code == 202
