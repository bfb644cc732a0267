"""What is in view over the live socket: filters, drafts, marks, models; and what a browser may not say."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosedError

from app.api import live_messages
from tests.api.browser import Tab, open_tab
from tests.api.peer import Peer, serve_peer
from tests.api.served import Api, serve_api
from tests.api.stored import store_pairs
from tests.api.talk import create_conversation, send


async def say(tab: Tab, **message: Any) -> None:
    assert tab.socket is not None
    await tab.socket.send(orjson.dumps(message).decode())


@pytest.fixture
async def peer() -> AsyncGenerator[Peer]:
    async with serve_peer() as served:
        yield served


@pytest.fixture
async def peers_api(tmp_path: Path, peer: Peer) -> AsyncGenerator[Api]:
    async with serve_api(tmp_path, **peer.environment) as served:
        yield served


def positions(tab: Tab) -> list[int]:
    return [pair["position"] for pair in tab.pairs]


async def see(tab: Tab, **fields: Any) -> dict[str, Any]:
    """Wait for a view frame that says this."""
    await tab.until(lambda tab: tab.view and all(tab.view[name] == value for name, value in fields.items()))
    assert tab.view is not None
    return tab.view


async def flag(api: Api, pair_id: str, *, flagged: bool) -> None:
    answer = await api.http.patch(f"/pairs/{pair_id}", json={"flagged": flagged})
    assert answer.is_success, answer.text


async def test_the_view_after_the_first_window_is_what_the_api_says(api: Api):
    conversation_id = await create_conversation(api, model="offline:demo")
    await store_pairs(api, conversation_id, 4)

    async with open_tab(api.live_url(conversation_id) + "?filter=r3") as tab:
        assert positions(tab) == [2, 3, 4]
        view = await see(tab, filter="r3")
        page = (await api.http.get(f"/conversations/{conversation_id}/pairs", params={"filter": "r3"})).json()
        await tab.until(lambda tab: all(pair["tokens"] for pair in tab.pairs))

    for name in ("x", "y", "estimate", "sentence", "notices", "boundary", "boundary_reason"):
        assert view[name] == page[name], name
    assert [pair["tokens"] for pair in tab.pairs] == [pair["tokens"] for pair in page["items"]]


async def test_the_first_view_after_a_restart_is_by_the_window_that_a_server_told(peer: Peer, tmp_path: Path):
    peer.window = 131_072
    async with serve_api(tmp_path, **peer.environment) as api:
        conversation_id = await create_conversation(api, model="peer:m", system_prompt="word " * 5_000)
        await store_pairs(api, conversation_id, 200)
        assert (await api.http.get("/models")).is_success

    async with serve_api(tmp_path, **peer.environment) as api, open_tab(api.live_url(conversation_id)) as tab:
        await tab.until(lambda tab: tab.view is not None)
        (first, *_) = tab.controls("view")

    assert (first["x"], first["y"], first["boundary"]) == (200, 200, None)


async def test_what_a_report_changes_of_sizes_is_told_as_sizes_alone(peer: Peer, peers_api: Api):
    api = peers_api
    peer.usage = {"prompt_tokens": 200, "completion_tokens": 2, "total_tokens": 202}
    conversation_id = await create_conversation(api, model="peer:m")
    await store_pairs(api, conversation_id, 4)

    async with open_tab(api.live_url(conversation_id)) as tab:
        await see(tab, x=4)
        await tab.until(lambda tab: all(pair["tokens"] for pair in tab.pairs))
        before, known = [pair["tokens"] for pair in tab.pairs], len(tab.frames)
        await send(api, conversation_id, "a word " * 100)
        await tab.until(lambda tab: [pair["tokens"] for pair in tab.pairs[:4]] != before)
        page = (await api.http.get(f"/conversations/{conversation_id}/pairs")).json()
        await see(tab, estimate=page["estimate"])

    assert [pair["tokens"] for pair in tab.pairs] == [pair["tokens"] for pair in page["items"]]
    told = [orjson.loads(frame) for frame in tab.frames[known:] if frame[0] == "{"]
    assert [pair["position"] for frame in told if frame["type"] == "pairs" for pair in frame["pairs"]] == [5]
    (end,) = (frame["pair"] for frame in told if frame["type"] == "end")
    assert end.keys().isdisjoint({"model", "position", "stars", "created_at", "user_text", "parts"})
    last_view = [frame for frame in told if frame["type"] == "view"][-1]
    assert "filter" not in last_view
    assert "limit" not in last_view["estimate"]


async def test_another_filter_replaces_the_window(api: Api):
    conversation_id = await create_conversation(api)
    await store_pairs(api, conversation_id, 4)

    async with open_tab(api.live_url(conversation_id)) as tab:
        await see(tab, filter="", x=4, y=4)
        await say(tab, type="view", filter="r1")
        await tab.until(lambda tab: positions(tab) == [4])

        assert (await see(tab, filter="r1"))["x"] == 1
        assert tab.controls("window")[-1]["replace"] is True


async def test_a_filter_that_cannot_be_read_changes_nothing_and_says_where(api: Api):
    conversation_id = await create_conversation(api)
    await store_pairs(api, conversation_id, 2)

    async with open_tab(api.live_url(conversation_id)) as tab:
        before = await see(tab, filter="")
        await say(tab, type="view", filter="s7")
        await tab.until(lambda tab: tab.view and tab.view["error"])
        view = tab.view or {}

        assert (view["error"]["position"], view["error"]["found"]) == (1, "7")
        assert {**view, "error": None, "as_of": None} == {**before, "as_of": None}
        assert positions(tab) == [1, 2]


async def test_a_draft_moves_the_estimate(api: Api):
    conversation_id = await create_conversation(api)

    async with open_tab(api.live_url(conversation_id)) as tab:
        await see(tab, filter="")
        await say(tab, type="draft", text="hello " * 200)
        await tab.until(lambda tab: tab.view and tab.view["estimate"]["draft"] >= 200)


async def test_marks_bring_pairs_into_view_and_out_of_it(api: Api):
    conversation_id = await create_conversation(api)
    pairs = await store_pairs(api, conversation_id, 3)

    async with open_tab(api.live_url(conversation_id) + "?filter=b") as tab:
        await see(tab, filter="b", y=0)
        await flag(api, pairs[1].id, flagged=True)
        await tab.until(lambda tab: positions(tab) == [2] and tab.view and tab.view["y"] == 1)
        await flag(api, pairs[1].id, flagged=False)
        await tab.until(lambda tab: positions(tab) == [] and tab.view and tab.view["y"] == 0)


async def test_a_pair_just_sent_stays_until_the_next_though_the_filter_hides_it(api: Api):
    conversation_id = await create_conversation(api)

    async with open_tab(api.live_url(conversation_id) + "?filter=b") as tab:
        first = await send(api, conversation_id, "/echo one", filter="b")
        await tab.until_end_of(first["pair_id"])
        await tab.until(lambda tab: tab.by_id[first["pair_id"]]["out"] == "filtered")
        assert tab.view is not None
        assert tab.view["y"] == 0

        second = await send(api, conversation_id, "/echo two", filter="b")
        await tab.until(lambda tab: [pair["id"] for pair in tab.pairs] == [second["pair_id"]])


async def test_a_reply_goes_on_in_a_window_that_was_replaced(api: Api):
    conversation_id = await create_conversation(api)
    await store_pairs(api, conversation_id, 2)

    async with open_tab(api.live_url(conversation_id)) as tab:
        started = await send(api, conversation_id, "/long 60 /rate 100")
        await tab.until(lambda tab: tab.frames[-1][0] == "t")
        await say(tab, type="view", filter="r1")
        await tab.until_end_of(started["pair_id"])

        stored = (await api.http.get(f"/conversations/{conversation_id}/pairs", params={"filter": "r1"})).json()
        assert [text for _, text in tab.reply(started["pair_id"])] == [stored["items"][0]["reply_text"]]
        assert positions(tab) == [3]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("nonsense", 4400),
        ("[]", 4400),
        ('{"type":"view","filter":7}', 4400),
        ('{"type":"have","from":-1}', 4400),
        ('{"type":"draft"}', 4400),
        (b"bytes", 4400),
        ('{"type":"view","filter":"' + "(" * 30_000 + '"}', 4413),
    ],
)
async def test_what_no_page_says_closes_the_socket_with_its_reason(api: Api, message: str | bytes, code: int):
    conversation_id = await create_conversation(api)

    async with connect(api.live_url(conversation_id), compression=None) as socket, asyncio.timeout(10):
        await socket.send(message)
        with suppress(ConnectionClosedError):
            async for _ in socket:
                pass

    assert socket.close_code == code


async def test_too_many_messages_close_the_socket(api: Api, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(live_messages, "MOST_MESSAGES", 5)
    conversation_id = await create_conversation(api)

    async with connect(api.live_url(conversation_id), compression=None) as socket, asyncio.timeout(10):
        with suppress(ConnectionClosedError):
            for _ in range(20):
                await socket.send('{"type":"draft","text":"x"}')
            async for _ in socket:
                pass

    assert socket.close_code == 4429
