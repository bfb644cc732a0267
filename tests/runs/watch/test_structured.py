"""Structured replies on a page: checked during the stream, at the end, and again for another version."""

from __future__ import annotations

from app.domain.conversation.conversation import Parameters
from app.runs.app_context import AppContext
from app.runs.resend.resend import Seen, resend_pair, restore_version
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.watch.screen import Screen
from app.views.structured.json_tree import draw_json
from app.views.structured.shown_reply import Fit, ReadReplyView
from tests.runs.steps import a_conversation, collect, reply_to, send
from tests.runs.watch.page import a_page

SCHEMA = '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}'
ASKED = Parameters(reply_schema=SCHEMA)


def read_of(screen: Screen) -> ReadReplyView | None:
    return screen.pairs[-1].read if screen.pairs else None


def fits(screen: Screen, fit: Fit) -> bool:
    read = read_of(screen)
    return read is not None and read.fit is fit


async def test_stored_reply_is_read_when_its_page_is_opened(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await reply_to(ctx, conversation_id, '/echo {"n": 1}', parameters=ASKED)
    await reply_to(ctx, conversation_id, '/echo {"n": "one"}', parameters=ASKED)

    async with a_page(ctx, conversation_id) as page:
        first, second = (await page.until(lambda screen: all(pair.read for pair in screen.pairs))).pairs

    assert first.read is not None
    assert (first.read.fit, first.read.value, first.read.repair) == (Fit.FITS, draw_json({"n": 1}, ()), "")
    assert second.read is not None
    assert (second.read.fit, second.read.faults[0].place, second.read.schema) == (Fit.FAULTY, "$.n", SCHEMA)
    assert second.read.repair


async def test_reply_is_read_while_it_comes_and_at_its_end(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")

    async with a_page(ctx, conversation_id) as page:
        await page.until_known()
        started = await send(ctx, conversation_id, '/rate 20 /echo {"n": 1, "other": 2}', parameters=ASKED)
        await page.until(lambda screen: fits(screen, Fit.OPEN))
        await collect(ctx, started.run_id)
        end = await page.until(lambda screen: fits(screen, Fit.FAULTY))

    assert end.pairs[-1].lifecycle == "succeeded"
    assert page.watcher.screen.pairs[-1].read == read_of(end)


async def test_another_version_is_checked_again(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    pair = (await reply_to(ctx, conversation_id, '/echo {"n": 1}', parameters=ASKED)).pair

    async with a_page(ctx, conversation_id) as page:
        await page.until(lambda screen: fits(screen, Fit.FITS))
        resent = await resend_pair(ctx, LOCAL_OWNER, pair.id, text="/echo no JSON")
        await collect(ctx, resent.started.run_id)
        faulty = await page.until(lambda screen: fits(screen, Fit.FAULTY))
        await restore_version(ctx, LOCAL_OWNER, pair.id, 1, Seen(2))
        await page.until(lambda screen: fits(screen, Fit.FITS))

    read = read_of(faulty)
    assert read is not None
    assert read.is_text


async def test_reply_without_a_schema_is_not_read(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await reply_to(ctx, conversation_id, '/echo {"n": 1}')

    async with a_page(ctx, conversation_id) as page:
        screen = await page.settle()

    assert read_of(screen) is None
