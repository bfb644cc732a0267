"""A conversation with replies of megabytes opens like any other: the page shows fewer of them at a time."""

from __future__ import annotations

import orjson
import pytest

from app.domain.conversation.page_bytes import MAX_PAGE_BYTES
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.transfer import importing
from app.runs.transfer.importing import import_file
from app.runs.watch import watcher as watching
from app.runs.watch.screen import Screen
from tests.runs.watch.page import a_page, positions_of, text_of

LONG = "word " * 300_000
"""1.5 MB: a page has room for two such replies."""


@pytest.fixture(autouse=True)
def longer_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an import accept longer texts, as a setting for longer replies does."""
    monkeypatch.setattr(importing, "MAX_TEXT_BYTES", 10_000_000)


async def a_conversation_of(ctx: AppContext, *replies: str) -> str:
    pairs = [{"user_text": "?", "reply_text": reply, "model": "offline:demo"} for reply in replies]
    file = orjson.dumps({"title": "Long", "model": "offline:demo", "pairs": pairs})
    return (await import_file(ctx, LOCAL_OWNER, file))[0].id


def size_of(screen: Screen) -> int:
    return sum(len(text_of(pair)) for pair in screen.pairs)


async def test_conversation_of_long_replies_opens_with_as_many_as_a_page_has_room_for(ctx: AppContext) -> None:
    conversation = await a_conversation_of(ctx, *[LONG] * 5)

    async with a_page(ctx, conversation) as page:
        screen = await page.until_known()

    assert positions_of(screen) == [4, 5]
    assert screen.earlier
    assert all(size_of(each) <= MAX_PAGE_BYTES for each in page.screens)


async def test_first_screen_has_a_bound_too(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "PATIENCE_SECONDS", 0)
    conversation = await a_conversation_of(ctx, "Brief.", *[LONG] * 4)

    async with a_page(ctx, conversation) as page:
        screen = await page.until(lambda screen: screen.pairs)

    assert screen.context is None
    assert positions_of(screen) == [4, 5]
    assert screen.earlier


async def test_reader_of_long_replies_comes_to_every_one_of_them_and_back(ctx: AppContext) -> None:
    conversation = await a_conversation_of(
        ctx, LONG, "Brief.", LONG, LONG, "Brief too.", LONG * 3, "Brief again.", LONG
    )

    async with a_page(ctx, conversation) as page:
        screen = await page.until_known()
        seen = [positions_of(screen)]
        while screen.earlier:
            first = positions_of(screen)[0]
            await page.watcher.show_earlier()
            screen = await page.until(lambda screen, first=first: positions_of(screen)[0] < first)
            seen.append(positions_of(screen))
        while screen.later:
            last = positions_of(screen)[-1]
            await page.watcher.show_later()
            screen = await page.until(lambda screen, last=last: positions_of(screen)[-1] > last)
            seen.append(positions_of(screen))

    assert seen[0][-1] == seen[-1][-1] == 8
    assert {position for each in seen for position in each} == set(range(1, 9))
    assert all(size_of(each) <= len(LONG) * 3 + MAX_PAGE_BYTES for each in page.screens)


async def test_newest_pair_pushes_long_ones_out_of_the_window(ctx: AppContext) -> None:
    conversation = await a_conversation_of(ctx, *[LONG] * 3)

    async with a_page(ctx, conversation) as page:
        await page.until(lambda screen: screen.context and positions_of(screen) == [2, 3])
        await page.watcher.show_position(1)
        screen = await page.until(lambda screen: positions_of(screen)[0] == 1)

    assert positions_of(screen) == [1, 2]
    assert screen.later
