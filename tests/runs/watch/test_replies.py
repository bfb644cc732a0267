"""Replies on a page: a page shows the stored reply, for any chunks, any number of pages and any time of opening."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.marks import Marks
from app.providers.wire.transport import Transport
from app.runs.app_context import AppContext
from app.runs.conversation.mark_commands import mark_pair
from app.runs.resend.resend import resend_pair
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.send.queue import queue_text
from app.runs.send.send_request import SendRequest
from app.runs.send.stopping import cancel_run, hurry_run
from app.runs.watch import page_window
from app.runs.watch import pairs as watch_pairs
from app.runs.watch import watcher as watching
from app.runs.watch.pairs import WatchedPairs
from app.runs.wiring import open_app_context
from app.store.conversation import pairs as stored_pairs
from app.views.conversation.pair import NO_FACTS
from app.views.reply.pair import ScreenPairView, show_pair
from tests.api.peer import Peer, Piece, cut_at_random, serve_peer
from tests.runs.steps import a_conversation, collect, pair_of, reply_to, send, settings_of, wait_for_text
from tests.runs.watch.page import Page, a_page, is_running, positions_of, reply_of, store_past, text_of, view_of

ALPHABET = 'abc def\n\t"\\{}tphi<&>éß\u2028\u200f\u05d0\u0627汉字🙂\U0001f468\u200d\U0001f469'


@pytest.fixture
async def peer() -> AsyncGenerator[Peer]:
    async with serve_peer() as served:
        yield served


@pytest.fixture
async def peers(data: Path, peer: Peer) -> AsyncGenerator[AppContext]:
    """Open an app context whose provider is the peer."""
    async with open_app_context(settings_of(data, **peer.environment)) as opened:
        yield opened


async def stored_view(ctx: AppContext, pair_id: str) -> ScreenPairView:
    return show_pair(await pair_of(ctx, pair_id), NO_FACTS)


async def test_a_reply_is_shown_from_its_request_to_its_end(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")

    async with a_page(ctx, conversation_id) as page:
        assert (await page.until_known()).pairs == ()
        started = await send(ctx, conversation_id, "/think 5 /long 20")
        screen = await page.until_end_of(started.pair_id)

    (view,) = screen.pairs
    assert (view.user_text, view.lifecycle) == ("/think 5 /long 20", Lifecycle.SUCCEEDED)
    assert view.spent is not None
    assert "output 25 tokens" in view.spent.title
    assert view.parts == (await stored_view(ctx, view.id)).parts
    assert (screen.running, screen.ended) == ("", view.id)


async def test_a_reply_only_grows_and_its_pair_is_running_until_its_end(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")

    async with a_page(ctx, conversation_id) as page:
        await page.until_known()
        started = await send(ctx, conversation_id, "/long 60 /rate 300")
        await page.until_end_of(started.pair_id)

    shown = [screen for screen in page.screens if screen.pairs]
    texts = [text_of(screen.pairs[0]) for screen in shown]
    assert all(after.startswith(before) for before, after in pairwise(texts))
    assert len(set(texts)) > 5
    assert {screen.running for screen in shown[:-1] if not screen.ended} == {started.pair_id}


async def test_a_page_opened_in_the_middle_has_the_beginning_too(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    started = await send(ctx, conversation_id, "/think 20 /long 100 /rate 100")
    await wait_for_text(ctx, started)

    async with a_page(ctx, conversation_id) as page:
        first = await page.until(lambda screen: screen.pairs)
        assert first.running == started.pair_id
        screen = await page.until_end_of(started.pair_id)

    assert screen.pairs[0].parts == (await stored_view(ctx, started.pair_id)).parts


@pytest.mark.parametrize("seed", range(6))
async def test_any_chunking_any_number_of_pages_and_reloads_show_the_stored_reply(
    peers: AppContext, peer: Peer, seed: int
) -> None:
    random = Random(seed)
    words = ["".join(random.choices(ALPHABET, k=random.randrange(1, 800))) for _ in range(2)]
    pieces = [
        (random.choice([0, 0, 0, 0.001, 0.02]), kind, piece)
        for kind, text in zip(("reasoning_content", "content"), words, strict=True)
        for piece in cut_at_random(random, text, random.randrange(1, 60))
    ]
    peer.script = lambda: pieces
    conversation_id = await a_conversation(peers, model="peer:m")
    ended: list[Page] = []

    async def watch(patience: Random) -> None:
        """Open the page, leave after a while, open it again; the last page is read until the end."""
        for _ in range(patience.randrange(4)):
            async with a_page(peers, conversation_id) as page:
                with suppress(TimeoutError):
                    async with asyncio.timeout(patience.random() * 0.3):
                        await page.until(lambda _: False)
        async with a_page(peers, conversation_id) as page:
            await page.until(lambda screen: screen.pairs and not is_running(screen, screen.pairs[0].id))
            ended.append(page)

    pages = [asyncio.create_task(watch(Random(seed * 100 + number))) for number in range(6)]
    await asyncio.sleep(random.random() * 0.1)
    started = await send(peers, conversation_id, "go")
    await asyncio.gather(*pages)

    stored = reply_of(await stored_view(peers, started.pair_id))
    assert "".join(text for kind, text in stored if kind == "text") == words[1]
    assert len(ended) == 6
    for page in ended:
        assert reply_of(page.screen.pairs[0]) == stored


async def test_words_that_turn_out_to_be_reasoning_are_shown_as_such_on_an_open_page(
    peers: AppContext, peer: Peer
) -> None:
    words = ("The user greets me. ", "Short is best.\n</th", "ink>\n\nHello!")
    peer.script = lambda: [(0, "content", piece) for piece in words]
    conversation_id = await a_conversation(peers, model="peer:qwq-32b")

    async with a_page(peers, conversation_id) as page:
        started = await send(peers, conversation_id, "Hi")
        screen = await page.until_end_of(started.pair_id)

    assert reply_of(screen.pairs[0]) == [("thinking", "The user greets me. Short is best.\n"), ("text", "Hello!")]
    assert reply_of(screen.pairs[0]) == reply_of(await stored_view(peers, started.pair_id))


async def test_replies_that_follow_each_other_are_shown_one_after_the_other(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")

    async with a_page(ctx, conversation_id) as page:
        await page.until_known()
        ids: list[str] = []
        for number in range(5):
            started = await send(ctx, conversation_id, f"/echo reply {number}")
            ids.append(started.pair_id)
            await collect(ctx, started.run_id)
        screen = await page.until_end_of(ids[-1])

    assert [pair.id for pair in screen.pairs] == ids
    assert [text_of(pair) for pair in screen.pairs] == [f"reply {number}" for number in range(5)]
    assert {pair.lifecycle for pair in screen.pairs} == {Lifecycle.SUCCEEDED}


async def test_a_reply_that_the_queue_sends_at_the_end_of_another_leaves_none_unfinished(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")

    async with a_page(ctx, conversation_id) as page:
        await page.until_known()
        await send(ctx, conversation_id, "/long 20 /rate 100")
        for number in range(3):
            await queue_text(ctx, LOCAL_OWNER, conversation_id, SendRequest(f"/echo queued {number}", ViewOptions()))
        screen = await page.until(lambda screen: len(screen.pairs) == 4 and not screen.running)

    assert [text_of(pair) for pair in screen.pairs[1:]] == [f"queued {number}" for number in range(3)]
    assert {pair.lifecycle for pair in screen.pairs} == {Lifecycle.SUCCEEDED}


async def test_a_pair_is_shown_before_its_provider_is_called(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    start, stream = WatchedPairs.start, Transport.stream

    def start_and_note(self: WatchedPairs, pair: Any) -> None:
        start(self, pair)
        order.append("shown")

    def call_and_note(self: Transport, *args: Any) -> Any:
        order.append("called")
        return stream(self, *args)

    monkeypatch.setattr(WatchedPairs, "start", start_and_note)
    monkeypatch.setattr(Transport, "stream", call_and_note)
    conversation_id = await a_conversation(ctx, model="offline:demo")

    async with a_page(ctx, conversation_id) as page:
        await page.until_known()
        for _ in range(3):
            started = await send(ctx, conversation_id, "/long 2 /rate 0")
            await page.until_end_of(started.pair_id)

    assert order == ["shown", "called"] * 3


async def test_a_retry_counts_down_and_the_reply_follows(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")

    async with a_page(ctx, conversation_id) as page:
        started = await send(ctx, conversation_id, "/fail overloaded times 1")
        retry = (await page.until(lambda screen: screen.retry)).retry
        screen = await page.until_end_of(started.pair_id)

    assert retry is not None
    assert (retry.pair_id, retry.attempt, retry.error_class) == (started.pair_id, 1, "overloaded")
    assert retry.until > retry.now
    assert screen.retry is None
    assert screen.pairs[0].lifecycle is Lifecycle.SUCCEEDED
    assert screen.pairs[0].parts == (await stored_view(ctx, started.pair_id)).parts


async def test_an_attempt_that_is_made_now_ends_the_countdown(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")

    async with a_page(ctx, conversation_id) as page:
        started = await send(ctx, conversation_id, "/fail overloaded retry-after 50 times 1")
        retry = (await page.until(lambda screen: screen.retry)).retry
        assert retry is not None
        assert datetime.fromisoformat(retry.until) - datetime.fromisoformat(retry.now) > timedelta(seconds=40)
        await hurry_run(ctx, LOCAL_OWNER, started.run_id)
        await page.until(lambda screen: screen.retry is None or screen.retry.until == screen.retry.now)
        screen = await page.until_end_of(started.pair_id)

    assert screen.retry is None
    assert screen.pairs[0].lifecycle is Lifecycle.SUCCEEDED


@pytest.mark.parametrize(("text", "error"), [("/fail auth", "auth"), ("/cut after 5", "stream")])
async def test_a_failure_ends_the_reply_with_its_reason_and_keeps_its_text(
    ctx: AppContext, text: str, error: str
) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")

    async with a_page(ctx, conversation_id) as page:
        started = await send(ctx, conversation_id, text)
        (view,) = (await page.until_end_of(started.pair_id)).pairs

    assert view.lifecycle is Lifecycle.ERROR
    assert view.error is not None
    assert view.error.error_class == error
    assert view.parts == (await stored_view(ctx, view.id)).parts


async def test_a_tool_call_is_shown_as_stored(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")

    async with a_page(ctx, conversation_id) as page:
        started = await send(ctx, conversation_id, '/tool clock {"zone": "UTC"}')
        (view,) = (await page.until_end_of(started.pair_id)).pairs

    assert view.parts == (await stored_view(ctx, view.id)).parts
    assert "tool_call" in {part.type for part in view.parts}


async def test_a_canceled_reply_ends_with_the_text_received(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")

    async with a_page(ctx, conversation_id) as page:
        started = await send(ctx, conversation_id, "/long 500 /rate 100")
        await page.until(lambda screen: screen.pairs and len(text_of(screen.pairs[0])) > 20)
        await cancel_run(ctx, LOCAL_OWNER, started.run_id)
        (view,) = (await page.until_end_of(started.pair_id)).pairs

    assert view.lifecycle is Lifecycle.CANCELED
    assert view.parts == (await stored_view(ctx, view.id)).parts


async def test_a_reply_that_begins_while_pairs_are_read_is_not_missed(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    load = page_window.load_bytes_beside

    async def load_then_start(*args: Any, **kwargs: Any) -> Any:
        found = await load(*args, **kwargs)
        await send(ctx, conversation_id, "/echo between")
        return found

    monkeypatch.setattr(page_window, "load_bytes_beside", load_then_start)
    monkeypatch.setattr(watching, "PATIENCE_SECONDS", 0)

    async with a_page(ctx, conversation_id) as page:
        screen = await page.until(lambda screen: screen.ended)

    assert text_of(screen.pairs[0]) == "between"


async def test_an_older_reading_never_replaces_a_newer_one(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    readings = 0

    async def load_slowly_at_the_end(*args: Any, **kwargs: Any) -> Any:
        nonlocal readings
        found = await stored_pairs.load_standing(*args, **kwargs)
        pairs = [pair for _, pair in found.values()]
        if [pair.lifecycle for pair in pairs] == [Lifecycle.SUCCEEDED]:
            readings += 1
            if readings == 1:
                await mark_pair(ctx, LOCAL_OWNER, pairs[0].id, Marks(stars=3))
                waiting = page.watcher._pairs.reading  # pyright: ignore[reportPrivateUsage]
                while not waiting._waiters and readings == 1:  # noqa: ASYNC110 - a lock has no event for its waiters
                    await asyncio.sleep(0)
        return found

    monkeypatch.setattr(watch_pairs, "load_standing", load_slowly_at_the_end)

    async with a_page(ctx, conversation_id) as page:
        await send(ctx, conversation_id, "/echo Hello")
        await page.until(lambda screen: screen.ended)
        screen = await page.settle()

    assert readings > 1
    assert screen.pairs[0].stars == 3


async def test_a_pair_answered_again_in_place_starts_again(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    first = await reply_to(ctx, conversation_id, "/echo before")

    async with a_page(ctx, conversation_id) as page:
        await page.until_known()
        again = await resend_pair(ctx, LOCAL_OWNER, first.pair.id, text="/echo anew")
        screen = await page.until(lambda screen: screen.ended)

    assert again.started.pair_id == first.pair.id
    (view,) = screen.pairs
    assert (text_of(view), view.version, view.versions) == ("anew", 2, 2)
    between = [text_of(screen.pairs[0]) for screen in page.screens if screen.running]
    assert all("anew".startswith(text) for text in between)


async def test_a_reader_who_takes_nothing_for_a_while_gets_the_newest_screen_and_misses_nothing(
    peers: AppContext, peer: Peer
) -> None:
    size, pieces = 300_000, 60
    text = "".join(Random(1).choices(ALPHABET, k=1000)) * (size // 1000)
    piece = size // pieces
    script: list[Piece] = [(0.002, "content", text[place : place + piece]) for place in range(0, size, piece)]
    peer.script = lambda: script
    conversation_id = await a_conversation(peers, model="peer:m")

    async with a_page(peers, conversation_id) as page:
        await page.until_known()
        started = await send(peers, conversation_id, "go")
        await collect(peers, started.run_id)
        known = len(page.screens)
        screen = await page.until_end_of(started.pair_id)

    assert text_of(view_of(screen, started.pair_id)) == text
    assert len(page.screens) - known <= 4


async def test_a_closed_page_leaves_nothing_behind_and_the_reply_continues(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    started = await send(ctx, conversation_id, "/slow 20 /long 40")
    before = asyncio.all_tasks()

    async with a_page(ctx, conversation_id) as page:
        await page.until_known()
        assert len(asyncio.all_tasks() - before) >= 3
    await asyncio.sleep(0)

    left = {task for task in asyncio.all_tasks() - before if not task.done()}
    assert not [task for task in left if "Watcher" in repr(task.get_coro())]
    assert (await collect(ctx, started.run_id))[-1].kind == "done"


async def test_a_reply_in_a_long_history_leaves_the_other_pairs_the_same_values(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await store_past(ctx, conversation_id, 40)

    async with a_page(ctx, conversation_id) as page:
        before = await page.settle()
        started = await send(ctx, conversation_id, "/long 30 /rate 200")
        screen = await page.until(
            lambda screen: screen.running == started.pair_id and text_of(view_of(screen, started.pair_id))
        )

    assert positions_of(screen)[-1] == 41
    assert all(now is was for now, was in zip(screen.pairs[-3:-1], before.pairs[-2:], strict=True))
