"""What one browser is told of a pair when an older reading of it comes late."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import replace

import orjson
import pytest

from app.api.live_beside import tell_beside
from app.api.live_pairs import LivePairs
from app.domain.conversation import Pair
from app.domain.lifecycle import Lifecycle
from app.runs.composing import Look, compose_view
from app.store.database import Store
from app.store.pairs import load_pair
from tests.api.browser import Browser
from tests.api.served import Api
from tests.api.talk import answered, create_conversation, send


async def test_what_was_read_of_a_pair_before_its_next_reply_began_is_not_told_after_it(api: Api):
    conversation_id = await create_conversation(api, model="offline:demo")
    run = await send(api, conversation_id, "/echo before")
    told: list[str] = []

    async def hear(frame: str) -> None:
        told.append(frame)

    pairs = LivePairs(api.wb, "local", hear)
    async with api.wb.store.read() as session:
        before = await load_pair(session, "local", run["pair_id"])
    before = replace(before, lifecycle=Lifecycle.SUCCEEDED)
    again = replace(before, lifecycle=Lifecycle.AWAITING, run_id="the-next-run")

    await pairs.tell_started(again)
    async with pairs.telling:
        assert await pairs.tell_pairs((before,)) is None

    assert [orjson.loads(frame)["pairs"][0]["lifecycle"] for frame in told] == ["awaiting"]


async def test_a_pair_sent_again_before_its_end_was_told_begins_anew(api: Api):
    """Its next run was stored before the end of this one could be read: nobody tells that end."""
    conversation_id = await create_conversation(api, model="offline:demo")
    run = await send(api, conversation_id, "/echo before")
    tab = Browser()

    async def hear(frame: str) -> None:
        tab.take(frame)

    pairs = LivePairs(api.wb, "local", hear)
    async with api.wb.store.read() as session:
        stored = await load_pair(session, "local", run["pair_id"])
    first = replace(stored, lifecycle=Lifecycle.AWAITING, run_id="before")

    await pairs.send_window((), older=False)
    await pairs.tell_started(first)
    await hear("tbefore")
    await pairs.tell_end(first.id, "before")
    await pairs.tell_started(replace(first, run_id="anew"))
    await hear("tanew")

    assert tab.reply(first.id) == [("text", "anew")]


@pytest.mark.parametrize("read", ["before it began", "before there was the pair", "after its end"])
async def test_window_shows_the_reply_that_streams_whenever_its_pairs_were_read(api: Api, read: str):
    conversation_id = await create_conversation(api, model="offline:demo")
    first = (await answered(api, conversation_id))["id"]
    last = (await answered(api, conversation_id))["id"]
    told: list[str] = []

    async def hear(frame: str) -> None:
        told.append(frame)

    pairs = LivePairs(api.wb, "local", hear)
    async with api.wb.store.read() as session:
        earlier, now = [await load_pair(session, "local", pair_id) for pair_id in (first, last)]
    begun = replace(now, lifecycle=Lifecycle.AWAITING, run_id="the-next-run")
    window = {
        "before it began": (earlier, now),
        "before there was the pair": (earlier,),
        "after its end": (earlier, replace(now, run_id="the-next-run")),
    }[read]

    await pairs.tell_started(begun)
    async with pairs.telling:
        assert await pairs.send_window(window, older=False, replace=True) is None
        assert await pairs.tell_pairs((now,)) is None

    frames = [orjson.loads(frame)["pairs"] for frame in told]
    assert [[(pair["id"], pair["lifecycle"]) for pair in frame] for frame in frames] == [
        [(last, "awaiting")],
        [(first, "succeeded"), (last, "awaiting")],
    ]
    assert frames[1][1]["parts"] == []
    assert pairs.told.keys() == {first}


async def test_no_head_is_told_of_a_pair_whose_reply_began_meanwhile(api: Api, monkeypatch: pytest.MonkeyPatch):
    conversation_id = await create_conversation(api, model="offline:demo")
    pair_id = (await answered(api, conversation_id))["id"]
    told: list[str] = []

    async def hear(frame: str) -> None:
        told.append(frame)

    pairs = LivePairs(api.wb, "local", hear)
    before = await pairs.load((pair_id,))
    begun = replace(before[0], lifecycle=Lifecycle.AWAITING, run_id="the-next-run")
    async with pairs.telling:
        await pairs.send_window(before, older=False)

    async def load_late(pair_ids: Collection[str]) -> tuple[Pair, ...]:
        await pairs.tell_started(begun)
        return before

    monkeypatch.setattr(pairs, "load", load_late)
    composed = await compose_view(api.wb, "local", conversation_id, Look(), "")
    async with pairs.telling:
        await pairs.tell_heads(composed)

    last = [pair["lifecycle"] for frame in map(orjson.loads, told) for pair in frame.get("pairs", ())][-1]
    assert last == "awaiting"


async def test_what_stands_beside_the_pairs_is_read_at_one_moment_and_told_if_there_is_any(
    api: Api, monkeypatch: pytest.MonkeyPatch
):
    heard: list[str] = []
    readers: list[object] = []
    read = Store.read

    async def hear(frame: str) -> None:
        heard.append(frame)

    def read_counted(store: Store) -> object:
        readers.append(asyncio.current_task())
        return read(store)

    monkeypatch.setattr(Store, "read", read_counted)
    empty, held = await create_conversation(api), await create_conversation(api)
    pairs = LivePairs(api.wb, "local", hear)

    await tell_beside(pairs, empty)
    assert (heard, readers.count(asyncio.current_task())) == ([], 1)

    await send(api, held, "/slow")
    await api.http.post(f"/conversations/{held}/queue", json={"text": "And then?"})
    await tell_beside(pairs, held)
    (frame,) = heard
    assert orjson.loads(frame)["queue"]["items"][0]["text"] == "And then?"
