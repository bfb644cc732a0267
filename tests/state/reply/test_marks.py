"""Marks: shown on the page at once, stored, undone; refused changes, and changes that no page sends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from app.domain.conversation.conversation import Mark
from app.domain.errors import ConflictError
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import start_reply
from app.runs.send.context_selection import ViewOptions
from app.runs.send.send_request import SendRequest
from app.runs.watch.broadcast import follow_states
from app.runs.watch.watcher import Watcher
from app.state.filters.applied import FilterState
from app.state.messages.toasts import Toast, ToastState
from app.state.reply import marks
from app.state.reply.marks import MarksState
from app.state.tab.tab_watchers import registered
from app.store.conversation.pairs import load_pairs
from tests.state.conftest import Tab
from tests.state.filters.filtering import opened, positions, write_pairs


@pytest.fixture
async def watcher(ctx: AppContext, tab: Tab) -> AsyncGenerator[Watcher]:
    """Show a conversation of one pair in the tab."""
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    run = await start_reply(ctx, LOCAL_OWNER, conversation.id, SendRequest("/echo one"))
    async for _ in follow_states(ctx, LOCAL_OWNER, run.run_id):
        pass
    tab.path = f"/c/{conversation.id}"
    made = Watcher(ctx, LOCAL_OWNER, conversation.id, ViewOptions())
    with registered(tab.token, made):
        async with made:
            while not made.screen.pairs or made.screen.context is None:
                await made.next_screen()
            yield made


async def stored(watcher: Watcher) -> Any:
    async with watcher.ctx.store.read() as session:
        (pair,) = await load_pairs(session, LOCAL_OWNER, watcher.conversation_id)
    return pair


def the_pair(watcher: Watcher) -> str:
    return watcher.screen.pairs[0].id


async def test_stars_are_stored_and_undo_takes_them_back(watcher: Watcher, tab: Tab) -> None:
    await tab.send(MarksState.give_stars, pair_id=the_pair(watcher), stars=2)
    assert (await stored(watcher)).stars == 2
    toast = tab.shows(ToastState, "toast")
    assert (toast.message, toast.undo) == ("Pair 1: 2 stars", True)

    await tab.send(ToastState.undo, toast_id=toast.id)
    assert (await stored(watcher)).stars == 0
    assert tab.shows(ToastState, "toast").message == "Undone: pair 1, 2 stars"


async def test_undo_says_which_mark_it_took_back(watcher: Watcher, tab: Tab) -> None:
    async def undo() -> str:
        await tab.send(ToastState.undo, toast_id=tab.shows(ToastState, "toast").id)
        return tab.shows(ToastState, "toast").message

    await tab.send(MarksState.cycle_mark, pair_id=the_pair(watcher))
    assert await undo() == "Undone: pair 1 tagged “include”"
    for _ in range(2):
        await tab.send(MarksState.toggle_flag, pair_id=the_pair(watcher))
    assert await undo() == "Undone: pair 1, flag removed"


async def test_flag_comes_and_goes(watcher: Watcher, tab: Tab) -> None:
    for flagged in (True, False):
        await tab.send(MarksState.toggle_flag, pair_id=the_pair(watcher))
        assert (await stored(watcher)).flagged is flagged


async def test_mark_goes_round(watcher: Watcher, tab: Tab) -> None:
    for mark in (Mark.IN, Mark.OUT, None):
        await tab.send(MarksState.cycle_mark, pair_id=the_pair(watcher))
        assert (await stored(watcher)).mark is mark


async def test_first_exclude_offers_the_filter_that_leaves_it_out(ctx: AppContext, tab: Tab) -> None:
    _, second, _, fourth = await write_pairs(ctx, kept="s3")

    async with opened(tab):
        assert (await cycle(tab, second)).offer == ""  # include
        toast = await cycle(tab, second)
        assert (toast.message, toast.undo) == ("Pair 2: Tagged “exclude”", True)
        assert toast.offer == "Show only pairs not tagged “exclude”"
        assert positions(tab) == [2, 4]  # the tag alone changes nothing

        await tab.send(ToastState.take_offer, toast_id=toast.id)
        assert (tab.shows(FilterState, "filter"), positions(tab)) == ("s3 !out", [4])
        assert tab.shows(ToastState, "toast") is None

        await cycle(tab, fourth)
        assert (await cycle(tab, fourth)).offer == ""  # the filter uses tags already


async def test_second_exclude_offers_nothing(ctx: AppContext, tab: Tab) -> None:
    first, second, *_ = await write_pairs(ctx)

    async with opened(tab):
        for pair_id in (first, second):
            await cycle(tab, pair_id)
            toast = await cycle(tab, pair_id)

    assert toast.offer == ""


async def test_offer_ends_with_its_toast(ctx: AppContext, tab: Tab) -> None:
    first, *_ = await write_pairs(ctx)

    async with opened(tab):
        await cycle(tab, first)
        old = await cycle(tab, first)
        await tab.send(MarksState.toggle_flag, pair_id=first)

        await tab.send(ToastState.take_offer, toast_id=old.id)

        assert tab.shows(FilterState, "filter") == ""
        assert tab.shows(ToastState, "toast").message == "Pair 1: Flagged"


async def cycle(tab: Tab, pair_id: str) -> Toast:
    """Press the button of the tag once, and return the toast that follows."""
    await tab.send(MarksState.cycle_mark, pair_id=pair_id)
    toast = tab.shows(ToastState, "toast")
    assert isinstance(toast, Toast)
    return toast


async def test_mark_is_on_the_page_before_it_is_stored(watcher: Watcher, tab: Tab) -> None:
    async with watcher.ctx.store.write():
        sending = asyncio.create_task(tab.send(MarksState.give_stars, pair_id=the_pair(watcher), stars=3))
        while watcher.screen.pairs[0].stars != 3:
            await watcher.next_screen()
        assert (await stored(watcher)).stars == 0

    await sending
    assert (await stored(watcher)).stars == 3


async def test_mark_on_its_way_outlives_what_changes_meanwhile(watcher: Watcher, tab: Tab) -> None:
    def counted() -> int:
        return watcher.screen.context.estimate.draft if watcher.screen.context else 0

    async with watcher.ctx.store.write():
        sending = asyncio.create_task(tab.send(MarksState.give_stars, pair_id=the_pair(watcher), stars=3))
        while watcher.screen.pairs[0].stars != 3:
            await watcher.next_screen()
        before = counted()
        watcher.write("A draft, which is counted anew")
        while counted() == before:
            await watcher.next_screen()
        assert watcher.screen.pairs[0].stars == 3

    await sending


async def test_refused_mark_is_reverted_and_the_reason_is_shown(
    watcher: Watcher, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object) -> None:
        while watcher.screen.pairs[0].stars != 3:
            await watcher.next_screen()
        raise ConflictError("Another program has locked the database.")

    monkeypatch.setattr(marks, "mark_pair", refuse)

    await tab.send(MarksState.give_stars, pair_id=the_pair(watcher), stars=3)

    toast = tab.shows(ToastState, "toast")
    assert (toast.message, toast.fault, toast.undo) == ("Another program has locked the database.", True, False)
    async with asyncio.timeout(10):
        while watcher.screen.pairs[0].stars:
            await watcher.next_screen()


@pytest.mark.parametrize("stars", [-1, 4, "many", None, 1.5])
async def test_no_page_sends_such_stars_and_nothing_changes(watcher: Watcher, tab: Tab, stars: object) -> None:
    await tab.send(MarksState.give_stars, pair_id=the_pair(watcher), stars=stars)

    assert (await stored(watcher)).stars == 0


@pytest.mark.parametrize(("field", "value"), [("stars", 9), ("mark", "x"), ("deleted", True), ("flagged", 1), (7, 7)])
async def test_no_page_takes_back_such_a_mark(watcher: Watcher, tab: Tab, field: object, value: object) -> None:
    await tab.send(MarksState.take_back, pair_id=the_pair(watcher), field=field, value=value)

    pair = await stored(watcher)
    assert (pair.stars, pair.mark, pair.flagged) == (0, None, False)


async def test_pair_that_is_not_on_the_page_is_left_alone(watcher: Watcher, ctx: AppContext, tab: Tab) -> None:
    other = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    run = await start_reply(ctx, LOCAL_OWNER, other.id, SendRequest("/echo elsewhere"))

    await tab.send(MarksState.toggle_flag, pair_id=run.pair_id)

    async with ctx.store.read() as session:
        (pair,) = await load_pairs(session, LOCAL_OWNER, other.id)
    assert not pair.flagged
