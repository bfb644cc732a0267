"""Deleting a pair in state: asked where there is a reply, stored, taken back; and what no page sends."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from app.runs.app_context import AppContext
from app.runs.child_calls.log import read_log
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.stopping import cancel_run
from app.runs.watch.watcher import Watcher
from app.state.messages.toasts import ToastState
from app.state.reply.deletion import PairDeletionState
from app.store.conversation.pairs import load_pairs
from tests.runs.steps import collect, reply_to, send, wait_for_text
from tests.state.conftest import Tab
from tests.state.watched import watching
from tests.waiting import until


@pytest.fixture
async def watcher(ctx: AppContext, tab: Tab) -> AsyncGenerator[Watcher]:
    """The tab shows a conversation of one pair with a reply."""
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    await reply_to(ctx, conversation.id, "/echo one")
    async with watching(ctx, tab, conversation.id) as watcher:
        yield watcher


async def stored(watcher: Watcher) -> list[str]:
    async with watcher.ctx.store.read() as session:
        return [pair.id for pair in await load_pairs(session, LOCAL_OWNER, watcher.conversation_id)]


def the_pair(watcher: Watcher) -> str:
    return watcher.screen.pairs[0].id


async def test_pair_with_a_reply_is_asked_about_and_the_question_can_be_left(watcher: Watcher, tab: Tab) -> None:
    await tab.send(PairDeletionState.ask, pair_id=the_pair(watcher))
    asked = tab.shows(PairDeletionState, "deleting")
    assert (asked.id, asked.name) == (the_pair(watcher), "Pair 1, “/echo one”")

    await tab.send(PairDeletionState.close)

    assert tab.shows(PairDeletionState, "deleting") is None
    assert await stored(watcher) == [the_pair(watcher)]


async def test_long_request_is_quoted_by_its_beginning(ctx: AppContext, watcher: Watcher, tab: Tab) -> None:
    pair = (await reply_to(ctx, watcher.conversation_id, f"/echo {'x' * 200}")).pair
    await until(lambda: watcher.pair(pair.id) is not None and bool(watcher.screen.pairs[-1].parts))

    await tab.send(PairDeletionState.ask, pair_id=pair.id)

    assert tab.shows(PairDeletionState, "deleting").name == f"Pair 2, “/echo {'x' * 73}…”"


async def test_deleted_pair_comes_back_by_undo_and_that_is_said_afterwards(watcher: Watcher, tab: Tab) -> None:
    pair_id = the_pair(watcher)
    await tab.send(PairDeletionState.delete, pair_id=pair_id)
    assert await stored(watcher) == []
    toast = tab.shows(ToastState, "toast")
    assert (toast.message, toast.undo) == ("Pair 1: Deleted", True)

    await tab.send(ToastState.undo, toast_id=toast.id)

    assert await stored(watcher) == [pair_id]
    assert tab.shows(ToastState, "toast").message == "Undone: pair 1 deleted"


async def test_log_says_that_deleted_messages_are_back_after_undo(watcher: Watcher, tab: Tab) -> None:
    async def reasons() -> list[str]:
        log = await read_log(watcher.ctx, LOCAL_OWNER, watcher.conversation_id)
        return [entry.name for entry in log.entries]

    await tab.send(PairDeletionState.delete, pair_id=the_pair(watcher))
    assert await reasons() == ["Deleted: 2 messages removed."]

    await tab.send(ToastState.undo, toast_id=tab.shows(ToastState, "toast").id)

    assert await reasons() == ["Restored: 2 messages.", "Deleted: 2 messages removed."]


async def test_pair_without_a_reply_is_deleted_without_a_question(ctx: AppContext, watcher: Watcher, tab: Tab) -> None:
    pair = (await reply_to(ctx, watcher.conversation_id, "/fail auth")).pair
    await until(lambda: watcher.pair(pair.id) is not None)

    await tab.send(PairDeletionState.ask, pair_id=pair.id)

    assert tab.shows(PairDeletionState, "deleting") is None
    assert pair.id not in await stored(watcher)


async def test_pair_whose_reply_runs_is_not_deleted_and_it_is_said_why(
    ctx: AppContext, watcher: Watcher, tab: Tab
) -> None:
    started = await send(ctx, watcher.conversation_id, "/long 100 /rate 20")
    try:
        await wait_for_text(ctx, started)
        await until(lambda: watcher.pair(started.pair_id) is not None)
        await tab.send(PairDeletionState.delete, pair_id=started.pair_id)
    finally:
        await cancel_run(ctx, LOCAL_OWNER, started.run_id)
    await collect(ctx, started.run_id)

    assert started.pair_id in await stored(watcher)
    assert tab.shows(ToastState, "toast").fault


async def test_what_is_gone_for_good_is_not_said_to_be_taken_back(watcher: Watcher, tab: Tab) -> None:
    await tab.send(PairDeletionState.take_back, pair_id="nobody")

    assert tab.shows(ToastState, "toast").fault


@pytest.mark.parametrize("pair_id", ["nobody", "", 7, None, "x" * 100])
async def test_no_page_deletes_such_a_pair(watcher: Watcher, tab: Tab, pair_id: object) -> None:
    await tab.send(PairDeletionState.ask, pair_id=pair_id)
    await tab.send(PairDeletionState.delete, pair_id=pair_id)

    assert tab.shows(PairDeletionState, "deleting") is None
    assert await stored(watcher) == [the_pair(watcher)]
