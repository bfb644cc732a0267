"""The live socket: a browser that does what the protocol says has what is stored, whatever happens on the way."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
import structlog
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosedError

from app.api import live, live_pairs, live_view
from app.api.live_frames import LONGEST_PIECE
from app.api.live_pairs import LivePairs
from app.domain.conversation import Pair
from app.providers.transport import Transport
from app.runs import commands
from app.runs.feeds import PairsChanged, PairsRemoved
from app.store.pairs import load_pair, load_pairs, load_pairs_by_id
from app.store.rows import PAIR
from tests.api.browser import RUNNING, Tab, open_tab
from tests.api.peer import Peer, Piece, cut_at_random, serve_peer
from tests.api.served import Api, serve_api
from tests.api.stored import store_pairs
from tests.api.talk import answered, create_conversation, follow, send

ALPHABET = 'abc def\n\t"\\{}tphi<&>éß\u2028\u200f\u05d0\u0627汉字🙂\U0001f468\u200d\U0001f469'


@pytest.fixture
async def peer() -> AsyncGenerator[Peer]:
    async with serve_peer() as served:
        yield served


@pytest.fixture
async def api(tmp_path: Path, peer: Peer) -> AsyncGenerator[Api]:
    async with serve_api(tmp_path, **peer.environment) as served:
        yield served


async def stored_reply(api: Api, conversation_id: str, pair_id: str) -> list[tuple[str, str]]:
    pairs = (await api.http.get(f"/conversations/{conversation_id}/pairs", params={"limit": 500})).json()["items"]
    (pair,) = [pair for pair in pairs if pair["id"] == pair_id]
    assert pair["lifecycle"] not in RUNNING
    return [(part["type"], part["text"]) for part in pair["parts"]]


async def close_code(url: str) -> int:
    async with connect(url, compression=None) as ws, asyncio.timeout(10):
        with suppress(ConnectionClosedError):
            async for _ in ws:
                pass
    assert ws.close_code is not None
    return ws.close_code


# --- the window ---


async def test_a_new_conversation_has_an_empty_window(api: Api):
    conversation_id = await create_conversation(api)

    async with open_tab(api.live_url(conversation_id)) as tab:
        assert (tab.pairs, tab.older, tab.streaming) == ([], None, None)


async def test_a_window_is_the_newest_pairs_and_knows_where_the_older_ones_are(api: Api):
    conversation_id = await create_conversation(api)
    stored = await store_pairs(api, conversation_id, 35)

    async with open_tab(api.live_url(conversation_id)) as tab:
        window, cursor = tab.pairs, tab.older
    older = (await api.http.get(f"/conversations/{conversation_id}/pairs", params={"cursor": cursor or ""})).json()

    assert [pair["id"] for pair in older["items"] + window] == [pair.id for pair in stored]
    assert older["next_cursor"] is None


async def test_a_pair_in_the_window_is_the_pair_of_the_api_without_its_joined_reply(api: Api):
    conversation_id = await create_conversation(api)
    await answered(api, conversation_id, "/think 5 /long 5")

    async with open_tab(api.live_url(conversation_id)) as tab:
        (shown,) = tab.pairs

    (pair,) = (await api.http.get(f"/conversations/{conversation_id}/pairs")).json()["items"]
    del pair["reply_text"]
    assert shown == pair


@pytest.mark.parametrize("path", ["never-was", "%00", "x" * 300])
async def test_a_conversation_that_is_not_there_closes_the_socket_for_good(api: Api, path: str):
    assert await close_code(api.live_url(path)) == 4404


async def test_another_owners_conversation_is_not_there(api: Api):
    theirs = await commands.create_conversation(api.wb, "somebody else", title="Secret")

    assert await close_code(api.live_url(theirs.id)) == 4404


# --- a reply streams ---


async def test_a_reply_that_starts_while_connected_is_told_from_its_request_to_its_end(api: Api):
    conversation_id = await create_conversation(api)

    async with open_tab(api.live_url(conversation_id)) as tab:
        started = await send(api, conversation_id, "/think 5 /long 20")
        await tab.until_end_of(started["pair_id"])

        (pair,) = tab.pairs
        assert (pair["user_text"], pair["lifecycle"]) == ("/think 5 /long 20", "succeeded")
        assert pair["usage"]["output_tokens"] == 25
        assert tab.reply(pair["id"]) == await stored_reply(api, conversation_id, pair["id"])
        assert await tab.stays_silent()


async def test_a_reply_is_sent_once_and_its_end_has_no_text(api: Api):
    conversation_id = await create_conversation(api)

    async with open_tab(api.live_url(conversation_id)) as tab:
        started = await send(api, conversation_id, "/long 300 /rate 1000")
        await tab.until_end_of(started["pair_id"])

        ((_, text),) = tab.reply(started["pair_id"])
        (end,) = tab.controls("end")
        assert sum(len(frame) - 1 for frame in tab.frames if frame[0] == "t") == len(text)
        assert end["pair"].keys() & {"user_text", "parts", "reply_text"} == set()


async def test_a_tab_opened_in_the_middle_has_the_beginning_too(api: Api):
    conversation_id = await create_conversation(api)
    started = await send(api, conversation_id, "/think 20 /long 100 /rate 50")
    await asyncio.sleep(0.3)

    async with open_tab(api.live_url(conversation_id)) as tab:
        assert tab.streaming is not None
        await tab.until_end_of(started["pair_id"])

        assert tab.reply(started["pair_id"]) == await stored_reply(api, conversation_id, started["pair_id"])


@pytest.mark.parametrize("seed", range(6))
async def test_any_chunking_any_number_of_tabs_and_reconnects_give_the_stored_reply(api: Api, peer: Peer, seed: int):
    random = Random(seed)
    words = ["".join(random.choices(ALPHABET, k=random.randrange(1, 800))) for _ in range(2)]
    pieces = [
        (random.choice([0, 0, 0, 0.001, 0.02]), kind, piece)
        for kind, text in zip(("reasoning_content", "content"), words, strict=True)
        for piece in cut_at_random(random, text, random.randrange(1, 60))
    ]
    peer.script = lambda: pieces
    conversation_id = await create_conversation(api, model="peer:m")
    ended: list[Tab] = []

    async def watch(patience: Random) -> None:
        """Look, leave after a while, look again; the last look is to the end."""
        for _ in range(patience.randrange(4)):
            async with open_tab(api.live_url(conversation_id)) as tab:
                with suppress(TimeoutError):
                    async with asyncio.timeout(patience.random() * 0.3):
                        await tab.until(lambda tab: False)
        async with open_tab(api.live_url(conversation_id)) as tab:
            await tab.until(lambda tab: tab.pairs and tab.streaming is None)
            ended.append(tab)

    tabs = [asyncio.create_task(watch(Random(seed * 100 + number))) for number in range(6)]
    await asyncio.sleep(random.random() * 0.1)
    pair_id = (await send(api, conversation_id, "go"))["pair_id"]
    await asyncio.gather(*tabs)

    stored = await stored_reply(api, conversation_id, pair_id)
    assert "".join(text for kind, text in stored if kind == "text") == words[1]
    assert len(ended) == 6
    for tab in ended:
        assert tab.reply(pair_id) == stored


async def test_replies_that_follow_each_other_are_told_one_after_the_other(api: Api):
    conversation_id = await create_conversation(api)

    async with open_tab(api.live_url(conversation_id)) as tab:
        pair_ids: list[str] = []
        for number in range(5):
            started = await send(api, conversation_id, f"/echo reply {number}")
            pair_ids.append(started["pair_id"])
            await follow(api, started["run_id"])
        await tab.until_end_of(pair_ids[-1])

        assert [tab.reply(pair_id) for pair_id in pair_ids] == [[("text", f"reply {number}")] for number in range(5)]
        assert [pair["id"] for pair in tab.pairs] == pair_ids


async def test_a_pair_is_told_before_its_provider_is_called(api: Api, monkeypatch: pytest.MonkeyPatch):
    order: list[str] = []
    tell, stream = LivePairs.tell_started, Transport.stream

    async def tell_and_note(self: LivePairs, pair: Pair) -> None:
        await tell(self, pair)
        order.append("told")

    def call_and_note(self: Transport, *args: Any) -> Any:
        order.append("called")
        return stream(self, *args)

    monkeypatch.setattr(LivePairs, "tell_started", tell_and_note)
    monkeypatch.setattr(Transport, "stream", call_and_note)
    conversation_id = await create_conversation(api)

    async with open_tab(api.live_url(conversation_id)) as tab:
        for _ in range(3):  # a page that saw a reply has a follower that is done
            started = await send(api, conversation_id, "/long 2 /rate 0")
            await tab.until_end_of(started["pair_id"])

    assert order == ["told", "called"] * 3


async def test_a_retry_is_told_with_its_countdown_and_the_reply_follows(api: Api):
    conversation_id = await create_conversation(api)

    async with open_tab(api.live_url(conversation_id)) as tab:
        started = await send(api, conversation_id, "/fail overloaded times 1")
        await tab.until_end_of(started["pair_id"])

        (retry,) = tab.controls("retry")
        assert (retry["pair_id"], retry["attempt"], retry["class"]) == (started["pair_id"], 1, "overloaded")
        assert tab.pairs[0]["lifecycle"] == "succeeded"
        assert tab.reply(started["pair_id"]) == await stored_reply(api, conversation_id, started["pair_id"])


async def test_an_attempt_that_is_made_now_is_told_to_whoever_counts_down(api: Api):
    conversation_id = await create_conversation(api)

    async with open_tab(api.live_url(conversation_id)) as tab:
        started = await send(api, conversation_id, "/fail overloaded retry-after 50 times 1")
        await tab.until(lambda tab: tab.controls("retry"))
        assert (await api.http.post(f"/runs/{started['run_id']}/retry")).json()["lifecycle"] == "awaiting"
        await tab.until_end_of(started["pair_id"])

        assert tab.controls("attempt") == [{"type": "attempt", "pair_id": started["pair_id"]}]
        assert tab.pairs[0]["lifecycle"] == "succeeded"
    again = await api.http.post(f"/runs/{started['run_id']}/retry")
    assert again.status_code == 409


@pytest.mark.parametrize(("text", "error"), [("/fail auth", "auth"), ("/cut after 5", "stream")])
async def test_a_failure_ends_the_reply_with_its_reason_and_keeps_its_text(api: Api, text: str, error: str):
    conversation_id = await create_conversation(api)

    async with open_tab(api.live_url(conversation_id)) as tab:
        started = await send(api, conversation_id, text)
        await tab.until_end_of(started["pair_id"])

        (pair,) = tab.pairs
        assert (pair["lifecycle"], pair["error"]["class"]) == ("error", error)
        assert tab.reply(pair["id"]) == await stored_reply(api, conversation_id, pair["id"])


async def test_a_tool_call_is_shown_as_it_stands(api: Api):
    conversation_id = await create_conversation(api)

    async with open_tab(api.live_url(conversation_id)) as tab:
        started = await send(api, conversation_id, '/tool clock {"zone": "UTC"}')
        await tab.until_end_of(started["pair_id"])

        (pair,) = (await api.http.get(f"/conversations/{conversation_id}/pairs")).json()["items"]
        assert tab.pairs[0]["parts"] == pair["parts"]


async def test_a_canceled_reply_ends_with_the_text_received(api: Api):
    conversation_id = await create_conversation(api)

    async with open_tab(api.live_url(conversation_id)) as tab:
        started = await send(api, conversation_id, "/long 500 /rate 100")
        await tab.until(lambda tab: len(tab.frames) > 8)
        await api.http.post(f"/runs/{started['run_id']}/cancel")
        await tab.until_end_of(started["pair_id"])

        assert tab.pairs[0]["lifecycle"] == "canceled"
        assert tab.reply(started["pair_id"]) == await stored_reply(api, conversation_id, started["pair_id"])


async def test_a_reply_that_starts_while_the_snapshot_is_read_is_not_missed(api: Api, monkeypatch: pytest.MonkeyPatch):
    conversation_id = await create_conversation(api)

    async def load_then_start(*args: Any, **kwargs: Any) -> tuple[Pair, ...]:
        pairs = await load_pairs(*args, **kwargs)
        await commands.start_reply(api.wb, "local", conversation_id, "/echo between")
        return pairs

    monkeypatch.setattr(live_view, "load_pairs", load_then_start)
    monkeypatch.setattr(live_view, "PATIENCE_SECONDS", 0)

    async with open_tab(api.live_url(conversation_id)) as tab:
        assert tab.pairs == []
        await tab.until(lambda tab: tab.controls("end"))

        assert tab.reply(tab.pairs[0]["id"]) == [("text", "between")]


async def test_an_older_reading_is_never_told_after_a_newer_one(api: Api, monkeypatch: pytest.MonkeyPatch):
    conversation_id = await create_conversation(api)
    readings = 0

    async def load_slowly_at_the_end(*args: Any, **kwargs: Any) -> tuple[Pair, ...]:
        nonlocal readings
        pairs = await load_pairs_by_id(*args, **kwargs)
        if [pair.lifecycle for pair in pairs] == ["succeeded"]:
            readings += 1
            if readings == 1:
                await star(api, pairs[0].id, 3)
                await asyncio.sleep(0.2)
        return pairs

    monkeypatch.setattr(live_pairs, "load_pairs_by_id", load_slowly_at_the_end)

    async with open_tab(api.live_url(conversation_id)) as tab:
        await send(api, conversation_id, "/echo Hello")
        await tab.until(lambda tab: tab.controls("end"))
        await tab.stays_silent()

        assert readings > 1
        assert tab.pairs[0]["stars"] == 3


# --- readers that are slow, or gone ---


async def test_nothing_piles_up_for_a_slow_reader_who_gets_everything_in_the_end(api: Api, peer: Peer):
    size, pieces = 3_000_000, 60
    text = "".join(Random(1).choices(ALPHABET, k=1000)) * (size // 1000)
    piece = size // pieces
    script: list[Piece] = [(0.002, "content", text[place : place + piece]) for place in range(0, size, piece)]
    peer.script = lambda: script
    conversation_id = await create_conversation(api, model="peer:m")
    narrow = socket.socket()
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    narrow.connect(("127.0.0.1", api.port))

    async with open_tab(api.live_url(conversation_id), sock=narrow, max_queue=1) as tab:
        started = await send(api, conversation_id, "go")
        await follow(api, started["run_id"])  # the tab takes nothing until the whole reply is there
        assert api.served.unsent() <= 4 * (LONGEST_PIECE + 64 * 1024)
        await tab.until_end_of(started["pair_id"])

        assert tab.reply(started["pair_id"]) == [("text", text)]
        assert max(map(len, tab.frames)) <= LONGEST_PIECE + 1


async def test_a_reader_that_takes_nothing_is_given_up(api: Api, peer: Peer, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(live, "PING_SECONDS", 0.2)
    monkeypatch.setattr(live, "STALLED_SECONDS", 0.2)
    monkeypatch.setattr(live, "CLOSE_SECONDS", 0.1)
    peer.script = lambda: [(0, "content", "x" * 1_000_000) for _ in range(12)]
    conversation_id = await create_conversation(api, model="peer:m")
    before = sockets_served()
    stuck = socket.create_connection(("127.0.0.1", api.port))
    stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    stuck.sendall(handshake(f"/api/v1/conversations/{conversation_id}/live"))
    await asyncio.sleep(0.1)
    assert sockets_served() == before + 1

    await send(api, conversation_id, "go")

    await until_sockets_served(before)
    stuck.close()


async def test_a_browser_that_leaves_leaves_nothing_behind(api: Api):
    conversation_id = await create_conversation(api)
    started = await send(api, conversation_id, "/slow 20 /long 40")
    before = sockets_served()
    async with open_tab(api.live_url(conversation_id)) as tab:
        await tab.read()
        assert sockets_served() == before + 1

    await until_sockets_served(before)

    assert (await follow(api, started["run_id"]))[-1].kind == "done"


async def test_signs_of_life_come_while_nothing_else_does(api: Api, monkeypatch: pytest.MonkeyPatch):
    assert live.PING_SECONDS == 20.0
    monkeypatch.setattr(live, "PING_SECONDS", 0.03)
    conversation_id = await create_conversation(api)

    async with open_tab(api.live_url(conversation_id)) as tab:
        await tab.until(lambda tab: tab.frames.count("p") == 3)


def sockets_served() -> int:
    return sum(task.get_name().startswith("live socket") for task in asyncio.all_tasks())


async def until_sockets_served(count: int) -> None:
    async with asyncio.timeout(10):
        while sockets_served() != count:  # noqa: ASYNC110 - the server ends by itself and tells nobody
            await asyncio.sleep(0.02)


def handshake(path: str) -> bytes:
    return (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    ).encode()


# --- what else changes ---


async def test_a_changed_title_is_told(api: Api):
    conversation_id = await create_conversation(api)

    async with open_tab(api.live_url(conversation_id)) as tab:
        await api.http.patch(f"/conversations/{conversation_id}", json={"title": "New"})
        await tab.until(lambda tab: tab.conversation)

        assert tab.conversation == (await api.http.get(f"/conversations/{conversation_id}")).json()


async def test_a_deleted_conversation_closes_the_socket_for_good(api: Api):
    conversation_id = await create_conversation(api)
    started = await send(api, conversation_id, "/slow 20 /long 100")
    closing = asyncio.create_task(close_code(api.live_url(conversation_id)))
    await asyncio.sleep(0.2)

    await api.http.delete(f"/conversations/{conversation_id}")

    assert await closing == 4404
    assert started["run_id"] not in api.wb.engine.runs


async def test_a_changed_pair_comes_without_the_texts_the_browser_has(api: Api):
    conversation_id = await create_conversation(api)
    await store_pairs(api, conversation_id, 3)

    async with open_tab(api.live_url(conversation_id)) as tab:
        pair = tab.pairs[1]
        await star(api, pair["id"], 2)
        await tab.until(lambda tab: tab.pairs[1]["stars"] == 2)

        told = tab.controls("pairs")[-1]["pairs"][0]
        assert (told["id"], told["stars"]) == (pair["id"], 2)
        assert told.keys() & {"user_text", "parts"} == set()


async def test_a_change_that_changes_nothing_is_not_told(api: Api):
    conversation_id = await create_conversation(api)
    (pair, *_) = await store_pairs(api, conversation_id, 3)

    async with open_tab(api.live_url(conversation_id)) as tab:
        api.wb.feeds.publish("local", conversation_id, PairsChanged((pair.id,)))

        assert await tab.stays_silent()


async def test_a_pair_changed_while_its_reply_streams_is_told_at_its_end(api: Api):
    conversation_id = await create_conversation(api)

    async with open_tab(api.live_url(conversation_id)) as tab:
        started = await send(api, conversation_id, "/long 30 /rate 100")
        await tab.until(lambda tab: tab.frames[-1][0] == "t")
        await star(api, started["pair_id"], 3)
        await tab.until_end_of(started["pair_id"])

        assert tab.pairs[0]["stars"] == 3
        assert tab.reply(started["pair_id"]) == await stored_reply(api, conversation_id, started["pair_id"])


async def test_a_pair_that_is_back_before_anybody_looked_is_shown_again(api: Api, monkeypatch: pytest.MonkeyPatch):
    conversation_id = await create_conversation(api)
    pair = await answered(api, conversation_id)

    async with open_tab(api.live_url(conversation_id)) as tab:
        await tab.until(lambda tab: tab.view)
        monkeypatch.setattr(live, "SETTLE_SECONDS", 0.2)
        await api.http.delete(f"/pairs/{pair['id']}")
        await tab.until(lambda tab: not tab.pairs)
        await api.http.post(f"/pairs/{pair['id']}/undelete")
        await tab.until(lambda tab: tab.pairs)

    assert tab.pairs[0]["parts"] == pair["parts"]


async def test_the_pair_just_sent_is_shown_again_when_it_is_deleted_and_brought_back(api: Api):
    conversation_id = await create_conversation(api)

    async with open_tab(api.live_url(conversation_id)) as tab:
        pair = await answered(api, conversation_id)
        await tab.until_end_of(pair["id"])
        await api.http.delete(f"/pairs/{pair['id']}")
        await tab.until(lambda tab: not tab.pairs and tab.view and tab.view["y"] == 0)
        await api.http.post(f"/pairs/{pair['id']}/undelete")
        await tab.until(lambda tab: tab.pairs)

    assert tab.pairs[0]["parts"] == pair["parts"]


async def test_a_removed_pair_is_told_by_its_id(api: Api):
    conversation_id = await create_conversation(api)
    (pair, *_) = await store_pairs(api, conversation_id, 3)

    async with open_tab(api.live_url(conversation_id)) as tab:
        api.wb.feeds.publish("local", conversation_id, PairsRemoved((pair.id,)))
        await tab.until(lambda tab: len(tab.pairs) == 2)


async def test_a_fault_closes_the_socket_and_names_its_place_in_the_log(api: Api, monkeypatch: pytest.MonkeyPatch):
    async def fail(*_: object, **__: object) -> None:
        raise KeyError("a secret of the house")

    conversation_id = await create_conversation(api)
    monkeypatch.setattr(live_view, "load_conversation", fail)

    with structlog.testing.capture_logs() as logged:
        assert await close_code(api.live_url(conversation_id)) == 1011

    assert [entry["event"] for entry in logged] == ["live socket failed"]


async def star(api: Api, pair_id: str, stars: int) -> None:
    """As a command will that does not exist yet: store, then tell."""
    async with api.wb.store.write() as session:
        pair = await load_pair(session, "local", pair_id)
        await session.execute(PAIR.update().where(PAIR.c.id == pair_id).values(stars=stars))
    api.wb.feeds.publish("local", pair.conversation_id, PairsChanged((pair_id,)))


# --- what it costs ---


async def test_text_at_a_hundred_tokens_a_second_costs_little_more_than_itself(api: Api):
    conversation_id = await create_conversation(api)

    async with open_tab(api.live_url(conversation_id)) as tab:
        started = await send(api, conversation_id, "/long 300 /rate 100")
        await tab.until_end_of(started["pair_id"])

        ((_, text),) = tab.reply(started["pair_id"])
        sizes = {first: [2 + len(frame.encode()) for frame in tab.frames if frame[0] == first] for first in "t{"}
        assert sum(sizes["t"]) / len(text.encode()) <= 1.75
        assert sum(sizes["{"]) <= 2400  # among them what the view comes to, before and after
