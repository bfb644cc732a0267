"""Pairs of all conversations: found by a filter, paged, and copied into a conversation of their own."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest
from sqlalchemy import func, select

from app.runs.send.commands import LOCAL_OWNER, cancel_run, start_reply
from app.runs.send.intents import NewSend
from app.store.ledger.rows_ledger import LEDGER
from tests.api.served import Api
from tests.api.stored import store_pairs
from tests.api.talk import create_conversation


async def found(api: Api, line: str = "", **asked: Any) -> dict[str, Any]:
    answer = await api.http.get(f"/pairs?{urlencode({'filter': line, **asked})}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def questions(page: dict[str, Any]) -> list[str]:
    return [f"{item['conversation_title']}: {item['pair']['user_text']}" for item in page["items"]]


@pytest.fixture
async def two(api: Api) -> tuple[str, str]:
    """Two conversations of three pairs each; those of the same position were sent at the same time."""
    made = [await create_conversation(api, title=title, model="offline:demo") for title in ("One", "Other")]
    for conversation_id in made:
        await store_pairs(api, conversation_id, 3)
    return made[0], made[1]


async def test_a_filter_finds_pairs_of_all_conversations_the_newest_first(api: Api, two: tuple[str, str]) -> None:
    page = await found(api, "c'question 3' | c'answer 1'")

    assert [one.split(": ")[1] for one in questions(page)] == ["question 3", "question 3", "question 1", "question 1"]
    assert {one.split(": ")[0] for one in questions(page)} == {"One", "Other"}
    assert page["sentence"] == 'pairs containing "question 3", or containing "answer 1"'
    assert page["next_cursor"] is None
    assert questions(await found(api, "d<1d")) == []
    assert len((await found(api, "m'demo' !e l"))["items"]) == 6
    assert questions(await found(api, "k'fetch*'")) == []


async def test_pages_neither_repeat_nor_skip(api: Api, two: tuple[str, str]) -> None:
    seen: list[str] = []
    cursor: dict[str, str] = {}
    for _ in range(4):
        page = await found(api, "!c'question 2'", limit=1, **cursor)
        seen += [item["pair"]["id"] for item in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}

    assert len(seen) == len(set(seen)) == 4
    assert seen == [item["pair"]["id"] for item in (await found(api, "!c'question 2'"))["items"]]


@pytest.mark.parametrize("line", ["r10", "o", "o5", "t", "t10", "m", "a", "u>10", "c'x' (r1 | b)"])
async def test_what_is_relative_to_a_conversation_is_refused(api: Api, line: str) -> None:
    answer = await api.http.get(f"/pairs?{urlencode({'filter': line})}")

    assert answer.status_code == 422
    assert "within one conversation" in answer.text


async def test_what_is_in_the_trash_or_anothers_is_not_found(api: Api, two: tuple[str, str]) -> None:
    first = (await found(api, "c'question 1'"))["items"][0]["pair"]
    await api.http.delete(f"/pairs/{first['id']}")
    await api.http.delete(f"/conversations/{two[1] if first['conversation_id'] == two[0] else two[0]}")
    hidden = await create_conversation(api, model="offline:demo")
    await store_pairs(api, hidden, 2, owner="another")

    assert [one.split(": ")[1] for one in questions(await found(api))] == ["question 3", "question 2"]


async def test_a_conversation_begins_with_copies_that_outlive_their_sources(api: Api, two: tuple[str, str]) -> None:
    page = await found(api, "c'question 2'")
    ids = [item["pair"]["id"] for item in page["items"]]
    newest = (await found(api, "c'question 3'"))["items"][0]["pair"]["id"]

    made = await api.http.post("/conversations", json={"title": "Best", "pairs": [newest, *ids, newest]})

    assert made.status_code == 201, made.text
    conversation = made.json()
    assert conversation["pair_count"] == 3
    copies = (await api.http.get(f"/conversations/{conversation['id']}/pairs")).json()
    assert [pair["user_text"] for pair in copies["items"]] == ["question 2", "question 2", "question 3"]
    assert not {pair["id"] for pair in copies["items"]} & {newest, *ids}
    source = (await api.http.get(f"/pairs/{copies['items'][2]['id']}/source")).json()
    assert (source["pair_id"], source["version"]) == (newest, 1)
    assert (await api.http.get(f"/pairs/{newest}/source")).status_code == 404
    async with api.wb.store.read() as session:
        assert (await session.execute(select(func.count()).select_from(LEDGER))).scalar_one() == 0

    for conversation_id in two:
        await api.http.delete(f"/conversations/{conversation_id}")
    kept = (await api.http.get(f"/conversations/{conversation['id']}/pairs")).json()
    assert [pair["user_text"] for pair in kept["items"]] == ["question 2", "question 2", "question 3"]


async def test_pairs_that_cannot_be_copied_make_no_conversation(api: Api, two: tuple[str, str]) -> None:
    (pair_id, *_) = [item["pair"]["id"] for item in (await found(api))["items"]]
    before = len((await api.http.get("/conversations")).json()["items"])

    missing = await api.http.post("/conversations", json={"pairs": [pair_id, "nothing"]})
    temporary = await api.http.post("/conversations", json={"pairs": [pair_id], "temporary": True})
    with_a_text = await api.http.post("/send", json={"text": "/echo Hi", "pairs": [pair_id]})

    assert (missing.status_code, temporary.status_code, with_a_text.status_code) == (404, 409, 422)
    assert len((await api.http.get("/conversations")).json()["items"]) == before


async def test_a_pair_whose_reply_is_running_makes_no_conversation(api: Api) -> None:
    made = (await api.http.post("/conversations", json={"model": "offline:demo"})).json()
    started = await start_reply(api.wb, LOCAL_OWNER, NewSend(made["id"], "/long 4000 /rate 20"))

    refused = await api.http.post("/conversations", json={"pairs": [started.pair_id]})
    await cancel_run(api.wb, LOCAL_OWNER, started.run_id)

    assert refused.status_code == 409
    assert len((await api.http.get("/conversations")).json()["items"]) == 1
