"""Pages of pairs have a limit in bytes: a conversation with replies of megabytes can be read page by page."""

from __future__ import annotations

from typing import Any

import pytest

from app.runs.transfer import importing
from tests.api.served import Api
from tests.api.talk import follow, send

LONG = "word " * 300_000
"""1.5 MB: a page has room for two such replies."""


@pytest.fixture(autouse=True)
def longer_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an import accept longer texts, as a setting for longer replies does."""
    monkeypatch.setattr(importing, "MAX_TEXT_BYTES", 10_000_000)


async def a_conversation_of(api: Api, *replies: str) -> str:
    pairs = [{"user_text": "?", "reply_text": reply, "model": "offline:demo"} for reply in replies]
    imported = await api.http.post("/import", json={"title": "Long", "model": "offline:demo", "pairs": pairs})
    assert imported.status_code == 201, imported.text
    return str(imported.json()["conversations"][0]["id"])


async def pages_of(api: Api, path: str, **params: Any) -> list[dict[str, Any]]:
    pages: list[dict[str, Any]] = []
    while not pages or pages[-1]["next_cursor"]:
        cursor = {"cursor": pages[-1]["next_cursor"]} if pages else params
        answered = await api.http.get(path, params=cursor)
        assert answered.status_code == 200, answered.text
        pages.append(answered.json())
    return pages


@pytest.mark.parametrize(
    ("start", "expected"), [("newest", [[6, 7], [4, 5], [1, 2, 3]]), ("oldest", [[1, 2, 3], [4, 5], [6, 7]])]
)
async def test_page_of_pairs_ends_where_it_would_be_too_large(api: Api, start: str, expected: list[list[int]]) -> None:
    conversation = await a_conversation_of(api, LONG, "Brief.", LONG, LONG, LONG, LONG, LONG)

    pages = await pages_of(api, f"/conversations/{conversation}/pairs", start=start)
    back = (await api.http.get(f"/conversations/{conversation}/pairs?cursor={pages[1]['previous_cursor']}")).json()

    assert [[pair["position"] for pair in page["items"]] for page in pages] == expected
    assert [pair["position"] for pair in back["items"]] == expected[0]


async def test_pair_that_is_larger_than_a_page_is_one_page(api: Api) -> None:
    conversation = await a_conversation_of(api, "Brief.", LONG * 3, "Brief.")

    pages = await pages_of(api, f"/conversations/{conversation}/pairs", start="oldest")

    assert [[pair["position"] for pair in page["items"]] for page in pages] == [[1], [2], [3]]


async def test_conversation_of_a_reply_that_is_larger_than_a_page_is_continued_and_deleted(api: Api) -> None:
    conversation = await a_conversation_of(api, LONG * 3)
    (large,) = (await api.http.get(f"/conversations/{conversation}/pairs")).json()["items"]

    started = await send(api, conversation, "/echo after it", over_budget="fit")
    await follow(api, started["run_id"])
    deleted = await api.http.delete(f"/pairs/{large['id']}")
    (left,) = (await api.http.get(f"/conversations/{conversation}/pairs")).json()["items"]

    assert len(large["reply_text"]) == len(LONG * 3)
    assert deleted.is_success
    assert (left["id"], left["reply_text"]) == (started["pair_id"], "after it")
    assert (await api.http.delete(f"/conversations/{conversation}")).is_success


async def test_page_of_the_raw_history_ends_where_it_would_be_too_large(api: Api) -> None:
    conversation = await a_conversation_of(api, LONG, "Brief.", LONG, LONG)

    pages = await pages_of(api, f"/conversations/{conversation}/history")

    assert [len(page["items"]) for page in pages] == [6, 2]
