"""Sends of other pairs than the page has counted: a person is asked first. Sends of the counted pairs: no question."""

from __future__ import annotations

import pytest
from sqlalchemy import text as sql

from app.domain.context.context import OutReason
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.marks import Marks, PairMarks
from app.domain.errors import NotFoundError
from app.runs.app_context import AppContext
from app.runs.compare.comparisons import read_comparison
from app.runs.conversation.mark_commands import mark_pairs
from app.runs.runtime.event_bus import PairsChanged
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.composer.changed_context import CHANGED
from app.state.composer.over_budget import KEPT
from app.state.composer.state import ComposerState
from app.state.reply.deletion import PairDeletionState
from tests.state.composer.sends import compare, requests, send
from tests.state.conftest import Tab
from tests.state.watched import stored, watching_two
from tests.waiting import until


async def test_a_send_of_other_pairs_than_were_counted_on_screen_is_asked_about(ctx: AppContext, tab: Tab) -> None:
    async with watching_two(ctx, tab) as watcher:
        first = (await stored(watcher))[0]
        watcher.view.change(60)  # the screen does not change
        await mark_pairs(ctx, LOCAL_OWNER, watcher.conversation_id, [PairMarks(first.id, Marks(deleted=True))])
        watcher.view.change(60)

        await send(tab, "What now?")

        shown = tab.shows(ComposerState, "over_budget")
        assert shown.title == "The context has changed"
        assert shown.message.startswith("1 pair would be sent now, instead of the 2 pairs counted before.")
        assert [way.name for way in shown.ways] == ["Send 1 pair"]
        assert await requests(ctx, watcher.conversation_id) == ["/echo two"]
        await tab.send(ComposerState.choose_way, key="as-counted")
        assert await requests(ctx, watcher.conversation_id) == ["/echo two", "What now?"]


async def test_what_is_counted_on_screen_is_sent_without_a_question(ctx: AppContext, tab: Tab) -> None:
    async with watching_two(ctx, tab) as watcher:
        await send(tab, "What now?")

        assert tab.shows(ComposerState, "over_budget") is None
        assert await requests(ctx, watcher.conversation_id) == ["/echo one", "/echo two", "What now?"]


async def test_pairs_that_came_to_the_screen_go_along_although_they_are_not_counted_yet(
    ctx: AppContext, tab: Tab
) -> None:
    async with watching_two(ctx, tab) as watcher:
        watcher.view.change(60)  # later statements are not counted
        for number, text in enumerate(("/echo three", "/echo four"), 3):
            await send(tab, text, send_id=text)
            await until(lambda: [pair.lifecycle for pair in watcher.screen.pairs] == [Lifecycle.SUCCEEDED] * number)  # noqa: B023 - it holds within this round

        await send(tab, "What now?")

        assert tab.shows(ComposerState, "over_budget") is None
        assert (await requests(ctx, watcher.conversation_id))[-2:] == ["/echo four", "What now?"]


async def test_a_pair_that_was_deleted_on_this_page_is_not_asked_about(ctx: AppContext, tab: Tab) -> None:
    async with watching_two(ctx, tab) as watcher:
        first = (await stored(watcher))[0]
        watcher.view.change(60)  # later statements are not counted
        await tab.send(PairDeletionState.delete, pair_id=first.id)
        await until(lambda: len(watcher.screen.pairs) == 1)
        watcher.view.change(60)

        await send(tab, "What now?")

        assert tab.shows(ComposerState, "over_budget") is None
        assert await requests(ctx, watcher.conversation_id) == ["/echo two", "What now?"]


async def test_pair_that_is_shown_as_damaged_is_not_asked_about(ctx: AppContext, tab: Tab) -> None:
    async with watching_two(ctx, tab) as watcher:
        first = (await stored(watcher))[0]
        watcher.view.change(60)  # later statements are not counted
        async with ctx.store.write() as session:
            statement = sql("UPDATE message SET parts = '[' WHERE id = (SELECT reply_id FROM pair WHERE id = :id)")
            await session.execute(statement, {"id": first.id})
        ctx.event_bus.publish(LOCAL_OWNER, watcher.conversation_id, PairsChanged((first.id,)))
        await until(lambda: watcher.screen.pairs[0].out is OutReason.DAMAGED)
        watcher.view.change(60)

        await send(tab, "What now?")

        assert tab.shows(ComposerState, "over_budget") is None
        assert await requests(ctx, watcher.conversation_id) == ["/echo one", "/echo two", "What now?"]


async def test_another_pair_that_goes_elsewhere_is_asked_about_although_one_was_deleted_here(
    ctx: AppContext, tab: Tab
) -> None:
    async with watching_two(ctx, tab) as watcher:
        first, second = await stored(watcher)
        watcher.view.change(60)
        await tab.send(PairDeletionState.delete, pair_id=first.id)
        await mark_pairs(ctx, LOCAL_OWNER, watcher.conversation_id, [PairMarks(second.id, Marks(deleted=True))])
        await until(lambda: not watcher.screen.pairs)
        watcher.view.change(60)

        await send(tab, "What now?")

        assert tab.shows(ComposerState, "over_budget").title == "The context has changed"


async def test_a_pair_that_came_back_and_goes_again_elsewhere_is_asked_about(ctx: AppContext, tab: Tab) -> None:
    async with watching_two(ctx, tab) as watcher:
        first = (await stored(watcher))[0]
        await tab.send(PairDeletionState.delete, pair_id=first.id)
        await until(lambda: len(watcher.screen.pairs) == 1)
        await tab.send(PairDeletionState.take_back, pair_id=first.id)
        await until(lambda: len(watcher.screen.pairs) == 2)
        watcher.view.change(60)
        await mark_pairs(ctx, LOCAL_OWNER, watcher.conversation_id, [PairMarks(first.id, Marks(deleted=True))])
        await until(lambda: len(watcher.screen.pairs) == 1)
        watcher.view.change(60)

        await send(tab, "What now?")

        assert tab.shows(ComposerState, "over_budget").title == "The context has changed"


@pytest.mark.parametrize(
    ("models", "message", "way"),
    [
        (
            ("offline:tiny", "offline:demo"),
            "1 pair would be sent to Offline demo now, instead of the 2 pairs counted before.",
            "Send 1 pair",
        ),
        (  # the page has counted for Offline demo, which gets nothing
            ("offline:tiny", "offline:thinker"),
            (
                "The pairs in view have changed since they were counted. Offline tiny and thinker would get the pairs "
                "in view now."
            ),
            "Send the pairs in view now",
        ),
    ],
)
async def test_a_comparison_of_other_pairs_than_were_counted_on_screen_is_asked_about(
    ctx: AppContext, tab: Tab, models: tuple[str, str], message: str, way: str
) -> None:
    async with watching_two(ctx, tab) as watcher:
        first = (await stored(watcher))[0]
        watcher.view.change(60)
        await mark_pairs(ctx, LOCAL_OWNER, watcher.conversation_id, [PairMarks(first.id, Marks(deleted=True))])
        watcher.view.change(60)

        await compare(tab, *models)

        shown = tab.shows(ComposerState, "over_budget")
        assert (shown.title, shown.message) == (CHANGED, f"{message} {KEPT}")
        assert [(one.name, one.selection != "") for one in shown.ways] == [(way, True)]
        with pytest.raises(NotFoundError):
            await read_comparison(ctx, LOCAL_OWNER, watcher.conversation_id)
        await tab.send(ComposerState.choose_way, key="as-counted")
        comparison, _ = await read_comparison(ctx, LOCAL_OWNER, watcher.conversation_id)
        assert [(run.model, len(run.sent)) for run in comparison.runs] == [(model, 1) for model in models]


async def test_a_comparison_of_what_is_counted_on_screen_begins_without_a_question(ctx: AppContext, tab: Tab) -> None:
    async with watching_two(ctx, tab) as watcher:
        await compare(tab, "offline:demo", "offline:tiny")

        assert tab.shows(ComposerState, "over_budget") is None
        await read_comparison(ctx, LOCAL_OWNER, watcher.conversation_id)
