"""Summaries in state: the offer, the written summary, and the undo."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from app.domain.conversation.conversation import Checkpoint
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.watch.watcher import Watcher
from app.state.messages.toasts import ToastState
from app.state.reply.summary import SummaryState
from app.state.undo.undo import UndoState
from app.store.conversation.conversations import load_conversation
from tests.runs.steps import reply_to
from tests.state.conftest import Tab
from tests.state.watched import watching


@pytest.fixture
async def watcher(ctx: AppContext, tab: Tab) -> AsyncGenerator[Watcher]:
    """Show a conversation of three pairs in the tab."""
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    for name in ("one", "two", "three"):
        await reply_to(ctx, conversation.id, f"/echo {name}")
    async with watching(ctx, tab, conversation.id) as watcher:
        yield watcher


async def checkpoint(watcher: Watcher) -> Checkpoint | None:
    async with watcher.ctx.store.read() as session:
        return (await load_conversation(session, LOCAL_OWNER, watcher.conversation_id)).checkpoint


async def test_pairs_up_to_the_cursor_and_all_of_them_are_offered(watcher: Watcher, tab: Tab) -> None:
    await tab.send(SummaryState.ask, pair_id=watcher.screen.pairs[1].id)

    choice = tab.shows(SummaryState, "choice")
    assert [way.name for way in choice.ways] == ["The pairs in view up to pair 2 (2)", "All pairs in view (3)"]
    assert choice.ways[0].figures.startswith("~")
    assert choice.ways[0].note == "Read by Offline demo."

    await tab.send(SummaryState.end)
    assert tab.shows(SummaryState, "choice") is None


async def test_summary_is_written_and_taken_back(watcher: Watcher, tab: Tab) -> None:
    await tab.send(SummaryState.ask, pair_id="")
    await tab.send(SummaryState.choose, key="all")

    assert tab.shows(SummaryState, "choice") is None
    assert tab.shows(SummaryState, "work") is None
    written = await checkpoint(watcher)
    assert written is not None
    toast = tab.shows(ToastState, "toast")
    assert toast.message.startswith("3 pairs summarised.")

    await tab.send(SummaryState.ask, pair_id="")
    assert tab.shows(SummaryState, "choice").ways == ()
    assert "Nothing in view is left" in tab.shows(SummaryState, "choice").fault
    await tab.send(ToastState.undo, toast_id=toast.id)

    assert await checkpoint(watcher) is None


async def test_earlier_summary_comes_back_with_the_undo(watcher: Watcher, tab: Tab) -> None:
    await tab.send(SummaryState.ask, pair_id=watcher.screen.pairs[0].id)
    await tab.send(SummaryState.choose, key="up_to")
    first = await checkpoint(watcher)
    await tab.send(SummaryState.ask, pair_id="")
    await tab.send(SummaryState.choose, key="all")
    assert await checkpoint(watcher) != first

    await tab.send(UndoState.undo_last)

    assert await checkpoint(watcher) == first


@pytest.mark.parametrize("wrong", ["nobody", "", 7, None, "up_to"])
async def test_no_page_chooses_so(watcher: Watcher, tab: Tab, wrong: object) -> None:
    await tab.send(SummaryState.ask, pair_id=wrong)
    await tab.send(SummaryState.choose, key=wrong)
    await tab.send(SummaryState.write)
    await tab.send(SummaryState.take_back, run_id=wrong)

    assert await checkpoint(watcher) is None
